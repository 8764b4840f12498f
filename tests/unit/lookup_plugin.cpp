// A plug-in with a function of its own under a GL name, and a puts that it wraps.
#include <dlfcn.h>

extern "C" {
__attribute__((visibility("default"))) void glViewport(int, int, int, int) {}
__attribute__((visibility("default"))) void *next_puts() { return dlsym(RTLD_NEXT, "puts"); }
}
