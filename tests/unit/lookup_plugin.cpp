// A plug-in with its own function under a GL name, and a puts that it wraps. Preloaded, it is an interposer, which
// looks for the function behind its own in libGL.
#include <dlfcn.h>

extern "C" {
__attribute__((visibility("default"))) void glViewport(int, int, int, int) {}
__attribute__((visibility("default"))) void *viewport_of_gl() {
    return dlsym(dlopen("libGL.so.1", RTLD_NOW | RTLD_LOCAL), "glViewport");
}
__attribute__((visibility("default"))) void *next_puts() { return dlsym(RTLD_NEXT, "puts"); }
}
