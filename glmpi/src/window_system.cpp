#include "window_system.h"

#include "api/core.h"

#include <atomic>
#include <dlfcn.h>
#include <mutex>

namespace glmpi {

namespace {

// A library that the program has loaded already; never loads one. The handle is kept, so that the functions stay.
void *loaded(const char *library) { return dlopen(library, RTLD_LAZY | RTLD_NOLOAD); }

template <class Function> void find(void *library, const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
}

struct Egl {
    static constexpr int draw = 0x3059, width = 0x3057, height = 0x3056;
    void *(*context)() = nullptr;
    void *(*display)() = nullptr;
    void *(*surface)(int which) = nullptr;
    unsigned (*query)(void *display, void *surface, int attribute, int *value) = nullptr;
    void *(*lookup)(const char *name) = nullptr;

    bool load() {
        void *library = loaded("libEGL.so.1");
        if (!library)
            return false;
        find(library, "eglGetCurrentContext", context);
        find(library, "eglGetCurrentDisplay", display);
        find(library, "eglGetCurrentSurface", surface);
        find(library, "eglQuerySurface", query);
        find(library, "eglGetProcAddress", lookup);
        return context && display && surface && query && lookup;
    }
    bool size(pixmpi::Extent &extent) const {
        void *const target = surface(draw);
        return target && query(display(), target, width, &extent.width) &&
               query(display(), target, height, &extent.height);
    }
};

struct Glx {
    static constexpr int width = 0x801D, height = 0x801E;
    void *(*context)() = nullptr;
    void *(*display)() = nullptr;
    unsigned long (*drawable)() = nullptr;
    void (*query)(void *display, unsigned long drawable, int attribute, unsigned *value) = nullptr;
    void *(*lookup)(const char *name) = nullptr;

    bool load() {
        void *library = loaded("libGLX.so.0");
        if (!library)
            library = loaded("libGL.so.1");
        if (!library)
            return false;
        find(library, "glXGetCurrentContext", context);
        find(library, "glXGetCurrentDisplay", display);
        find(library, "glXGetCurrentDrawable", drawable);
        find(library, "glXQueryDrawable", query);
        find(library, "glXGetProcAddressARB", lookup);
        return context && display && drawable && query && lookup;
    }
    bool size(pixmpi::Extent &extent) const {
        if (!drawable() || !display())
            return false;
        unsigned w = 0, h = 0;
        query(display(), drawable(), width, &w);
        query(display(), drawable(), height, &h);
        extent = {static_cast<int>(w), static_cast<int>(h)};
        return w > 0 && h > 0;
    }
};

// One of each for the process, as the libraries themselves are. Functions are found once and published by `ready`.
template <class Api> struct Loaded {
    Api api;
    std::atomic<bool> ready{false};
    std::mutex mutex;

    bool load() {
        if (ready.load(std::memory_order_acquire))
            return true;
        const std::lock_guard lock(mutex);
        Api found;
        if (!ready.load(std::memory_order_relaxed) && found.load()) {
            api = found;
            ready.store(true, std::memory_order_release);
        }
        return ready.load(std::memory_order_relaxed);
    }
};

Loaded<Egl> egl;
Loaded<Glx> glx;

const WindowSystem egl_system{"EGL", [] { return egl.api.context(); },
                              [](const char *name) { return egl.api.lookup(name); },
                              [](pixmpi::Extent &extent) { return egl.api.size(extent); }};
const WindowSystem glx_system{"GLX", [] { return glx.api.context(); },
                              [](const char *name) { return glx.api.lookup(name); },
                              [](pixmpi::Extent &extent) { return glx.api.size(extent); }};

CurrentContext ask(bool look_for_more) {
    // A thread has at most one current context, so that the order only decides what is asked first.
    if (look_for_more ? glx.load() : glx.ready.load(std::memory_order_acquire))
        if (void *const handle = glx.api.context())
            return {&glx_system, handle};
    if (look_for_more ? egl.load() : egl.ready.load(std::memory_order_acquire))
        if (void *const handle = egl.api.context())
            return {&egl_system, handle};
    return {};
}

} // namespace

// Asking takes a sixth of a microsecond, because EGL asks the system for the process. A program cannot change the
// context of a thread that is in one of our calls.
CurrentContext current_context() {
    thread_local std::uint64_t asked_in = 0;
    thread_local CurrentContext known;
    const std::uint64_t call = pixmpi::core().call_number();
    if (call != 0 && call == asked_in)
        return known;
    known = ask(false);
    if (!known.system)
        known = ask(true);
    asked_in = call;
    return known;
}

} // namespace glmpi
