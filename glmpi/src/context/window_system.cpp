#include "context/window_system.h"

#include "api/core.h"

#include <atomic>
#include <dlfcn.h>
#include <mutex>
#include <thread>

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
    // For contexts that share.
    static constexpr int opengl = 0x30A2, client_api = 0x3097, config_id = 0x3028, major = 0x3098, minor = 0x30FB,
                         profile = 0x30FD, core_profile = 1, end = 0x3038;
    unsigned (*query_context)(void *display, void *context, int attribute, int *value) = nullptr;
    unsigned (*choose_config)(void *display, const int *attributes, void **configs, int most, int *count) = nullptr;
    unsigned (*bind_api)(unsigned api) = nullptr;
    unsigned (*bound_api)() = nullptr;
    void *(*create_context)(void *display, void *config, void *share, const int *attributes) = nullptr;
    unsigned (*destroy_context)(void *display, void *context) = nullptr;
    unsigned (*make_current)(void *display, void *draw, void *read, void *context) = nullptr;

    bool load() {
        void *library = loaded("libEGL.so.1");
        if (!library)
            return false;
        find(library, "eglGetCurrentContext", context);
        find(library, "eglGetCurrentDisplay", display);
        find(library, "eglGetCurrentSurface", surface);
        find(library, "eglQuerySurface", query);
        find(library, "eglGetProcAddress", lookup);
        find(library, "eglQueryContext", query_context);
        find(library, "eglChooseConfig", choose_config);
        find(library, "eglBindAPI", bind_api);
        find(library, "eglQueryAPI", bound_api);
        find(library, "eglCreateContext", create_context);
        find(library, "eglDestroyContext", destroy_context);
        find(library, "eglMakeCurrent", make_current);
        return context && display && surface && query && lookup && query_context && choose_config && bind_api &&
               bound_api && create_context && destroy_context && make_current;
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

class SharingEglContext final : public SharingContext {
  public:
    ~SharingEglContext() override {
        if (context_)
            egl.api.destroy_context(display_, context_);
    }

    /// In the thread of the context that it shares with.
    bool open() {
        const Egl &api = egl.api;
        display_ = api.display();
        void *const other = api.context();
        int made_for = 0, number = 0, count = 0;
        if (!api.query_context(display_, other, Egl::client_api, &made_for) || made_for != Egl::opengl ||
            !api.query_context(display_, other, Egl::config_id, &number))
            return false;
        void *config = nullptr; // the program's context may have been made without one
        const int wanted[] = {Egl::config_id, number, Egl::end};
        if (number != 0 && (!api.choose_config(display_, wanted, &config, 1, &count) || count != 1))
            return false;
        const int version[] = {Egl::major, 3, Egl::minor, 3, Egl::profile, Egl::core_profile, Egl::end};
        const unsigned bound = api.bound_api();
        api.bind_api(Egl::opengl);
        context_ = api.create_context(display_, config, other, version);
        api.bind_api(bound);
        bool usable = false;
        if (context_)
            std::thread([&] { // whether a display lets contexts be current without a surface shows when one is
                usable = enter();
                if (usable)
                    leave();
            })
                .join();
        return usable;
    }

    bool enter() override {
        mutex_.lock();
        egl.api.bind_api(Egl::opengl);
        if (egl.api.make_current(display_, nullptr, nullptr, context_))
            return true;
        mutex_.unlock();
        return false;
    }
    void leave() override {
        egl.api.make_current(display_, nullptr, nullptr, nullptr);
        mutex_.unlock();
    }

  private:
    void *display_ = nullptr, *context_ = nullptr;
    std::mutex mutex_;
};

std::unique_ptr<SharingContext> share_current_egl() {
    auto made = std::make_unique<SharingEglContext>();
    return made->open() ? std::move(made) : nullptr;
}

const WindowSystem egl_system{"EGL", [] { return egl.api.context(); },
                              [](const char *name) { return egl.api.lookup(name); },
                              [](pixmpi::Extent &extent) { return egl.api.size(extent); }, share_current_egl};
const WindowSystem glx_system{"GLX", [] { return glx.api.context(); },
                              [](const char *name) { return glx.api.lookup(name); },
                              [](pixmpi::Extent &extent) { return glx.api.size(extent); },
                              []() -> std::unique_ptr<SharingContext> { return nullptr; }};

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
