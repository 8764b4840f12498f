// Looks functions up in every way and prints the file that each was found in. Not linked with libGL: as with glad, it
// comes in with dlopen.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

namespace {

void say(const char *how, const void *found) {
    Dl_info info{};
    const char *file = found && dladdr(found, &info) && info.dli_fname ? info.dli_fname : "nowhere";
    const char *slash = std::strrchr(file, '/');
    std::printf("%s: %s\n", how, slash ? slash + 1 : file);
}

} // namespace

int main(int, char **arguments) {
    say("before libGL, default glViewport", dlsym(RTLD_DEFAULT, "glViewport"));
    void *gl = dlopen("libGL.so.1", RTLD_NOW | RTLD_LOCAL);
    void *plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    say("glViewport", dlsym(gl, "glViewport"));
    say("glFlush", dlsym(gl, "glFlush"));
    say("glXGetProcAddressARB", dlsym(gl, "glXGetProcAddressARB"));
    say("a plug-in's own glViewport", dlsym(plugin, "glViewport"));
    say("next puts", dlsym(RTLD_NEXT, "puts"));
    say("a plug-in's next puts", reinterpret_cast<void *(*)()>(dlsym(plugin, "next_puts"))());
    say("a plug-in's glViewport of libGL", reinterpret_cast<void *(*)()>(dlsym(plugin, "viewport_of_gl"))());
    const void *none = dlsym(gl, "glNoSuchThing");
    const char *why = dlerror();
    std::printf("none: %d, %s\n", none == nullptr, why && std::strstr(why, "glNoSuchThing") ? "named" : "not named");

    using Get = void *(*)(const unsigned char *);
    const auto get = reinterpret_cast<Get>(dlsym(gl, "glXGetProcAddressARB"));
    say("proc glViewport", get(reinterpret_cast<const unsigned char *>("glViewport")));
    say("proc glXGetProcAddress", get(reinterpret_cast<const unsigned char *>("glXGetProcAddress")));
    if (const auto real = reinterpret_cast<void *(*)(const char *)>(dlsym(RTLD_DEFAULT, "lookup_test_real"))) {
        const void *viewport = real("glViewport");
        std::printf("real glViewport: %s\n", viewport && viewport != dlsym(gl, "glViewport") ? "another" : "the same");
        std::printf("real nothing: %d\n", real("no_such_function") == nullptr);
    }
    return 0;
}
