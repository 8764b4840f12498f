// What made the context: EGL or GLX, as far as the program has loaded them. Both may be there; which one is current is
// asked each time.
#pragma once

#include "region/region.h"

#include <memory>

namespace glmpi {

/// The library's own context that shares its objects with one of the program. It needs no window, and any thread
/// may enter that has no current context.
class SharingContext {
  public:
    virtual ~SharingContext() = default;
    /// It becomes current. Waits for another thread that has entered. False when it cannot.
    virtual bool enter() = 0;
    virtual void leave() = 0;
};

struct WindowSystem {
    const char *name; ///< "EGL", "GLX"
    void *(*current_context)();
    void *(*lookup)(const char *name);
    /// The size of what the current context draws to; false when it has no such thing.
    bool (*drawable_size)(pixmpi::Extent &extent);
    /// With the current context; null where the window system has no contexts without windows for other threads.
    std::unique_ptr<SharingContext> (*share_current)();
};

struct CurrentContext {
    const WindowSystem *system = nullptr; ///< null: none is current on this thread
    void *handle = nullptr;
};

CurrentContext current_context();

} // namespace glmpi
