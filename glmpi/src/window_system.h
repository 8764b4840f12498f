// What made the context: EGL or GLX, as far as the program has loaded them. Both may be there; which one is current is
// asked each time.
#pragma once

#include "region/region.h"

namespace glmpi {

struct WindowSystem {
    const char *name; ///< "EGL", "GLX"
    void *(*current_context)();
    void *(*lookup)(const char *name);
    /// The size of what the current context draws to; false when it has no such thing.
    bool (*drawable_size)(pixmpi::Extent &extent);
};

struct CurrentContext {
    const WindowSystem *system = nullptr; ///< null: none is current on this thread
    void *handle = nullptr;
};

CurrentContext current_context();

} // namespace glmpi
