#include "base/real.h"

#include "base/export.h"
#include "base/lookup.h"

#include <dlfcn.h>
#include <GL/glx.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>

// The first and one past the last byte of this object, as the linker lays it out.
extern "C" {
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));
}

namespace mpiglut {

namespace {

// The oldest version of dlsym in each architecture's C library; the newer one came when libdl was merged into it.
#if defined(__x86_64__)
constexpr const char *oldest_version = "GLIBC_2.2.5";
#else
constexpr const char *oldest_version = "GLIBC_2.17";
#endif

/// In libraries that the program loaded out of the reach of RTLD_NEXT (RTLD_LOCAL, after this one).
void *from_loaded_libraries(const char *name) {
    const bool is_egl = std::strncmp(name, "egl", 3) == 0;
    if (is_egl || std::strncmp(name, "vk", 2) == 0) {
        void *const handle = dlopen(is_egl ? "libEGL.so.1" : "libvulkan.so.1", RTLD_LAZY | RTLD_NOLOAD);
        void *const found = handle ? real_dlsym()(handle, name) : nullptr;
        return is_own(found) ? nullptr : found;
    }
    if (std::strncmp(name, "gl", 2) != 0)
        return nullptr;
    for (const char *library : {"libGL.so.1", "libGLX.so.0", "libOpenGL.so.0", "libglut.so.3.12", "libglut.so.3"})
        if (void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD))
            if (void *found = real_dlsym()(handle, name); found && !is_own(found))
                return found; // the reference to the library stays: what is found must not go away
    return nullptr;
}

/// libEGL exports the functions of no extension.
void *of_egl_extension(const char *name) {
    using GetProcAddress = void *(*)(const char *);
    if (std::strcmp(name, "eglGetProcAddress") == 0)
        return nullptr;
    const auto get = reinterpret_cast<GetProcAddress>(real_symbol("eglGetProcAddress"));
    void *const found = get ? get(name) : nullptr;
    return is_own(found) ? nullptr : found;
}

void *own_handle() {
    static void *const handle = []() -> void * {
        Dl_info info{};
        if (!dladdr(reinterpret_cast<const void *>(&own_handle), &info) || !info.dli_fname)
            return nullptr;
        void *by_name = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        return by_name ? by_name : dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD); // linked into the program itself
    }();
    return handle;
}

} // namespace

// Called by sanitizer runtimes before they are set up, hence without instrumentation and without a guarded static.
MPIGLUT_UNCHECKED Dlsym real_dlsym() {
    static void *known = nullptr; // any thread would find the same
    void *found = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!found) {
        found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
        if (!found)
            found = dlvsym(RTLD_NEXT, "dlsym", oldest_version);
        __atomic_store_n(&known, found, __ATOMIC_RELAXED);
    }
    return reinterpret_cast<Dlsym>(found);
}

bool is_own(const void *address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= reinterpret_cast<std::uintptr_t>(__ehdr_start) && at < reinterpret_cast<std::uintptr_t>(_end);
}

void *real_symbol(const char *name) {
    if (void *next = real_dlsym()(RTLD_NEXT, name); next && !is_own(next))
        return next;
    if (void *loaded = from_loaded_libraries(name))
        return loaded;
    if (std::strncmp(name, "egl", 3) == 0)
        return of_egl_extension(name);
    if (std::strncmp(name, "gl", 2) != 0 || std::strncmp(name, "glut", 4) == 0 ||
        std::strncmp(name, "glXGetProcAddress", 17) == 0)
        return nullptr;
    using GetProcAddress = void *(*)(const GLubyte *);
    const auto get = reinterpret_cast<GetProcAddress>(real_symbol("glXGetProcAddressARB"));
    void *found = get ? get(reinterpret_cast<const GLubyte *>(name)) : nullptr;
    return is_own(found) ? nullptr : found;
}

bool of_one_library(const void *function, const void *other) {
    Dl_info one{}, two{};
    return function && other && dladdr(function, &one) && dladdr(other, &two) && one.dli_fbase == two.dli_fbase;
}

void *own_symbol(const char *name) {
    void *handle = own_handle();
    void *found = handle ? real_dlsym()(handle, name) : nullptr;
    return is_own(found) ? found : nullptr;
}

} // namespace mpiglut
