// How a callback of ours is registered with FreeGLUT, whichever version the program brings.
#pragma once

#include "base/real.h"

#include <type_traits>

namespace mpiglut {

/// Registers our callback with FreeGLUT, or null. FreeGLUT from 3.2 on has spellings with user data. Its plain
/// spellings call the ones with user data, and would meet our wrappers on the way. Older versions have the plain spellings alone.
template <class R, class F, class... Args, class... More>
R hook(std::type_identity_t<R (*)(void (*)(Args..., void *), More..., void *)> with_data,
       R (*plain)(void (*)(Args...), More...), bool set, F, More... more) {
    if (of_one_library(reinterpret_cast<const void *>(with_data), reinterpret_cast<const void *>(plain)))
        return with_data(set ? +[](Args... args, void *) { F{}(args...); } : nullptr, more..., nullptr);
    return plain(set ? +[](Args... args) { F{}(args...); } : nullptr, more...);
}

} // namespace mpiglut

/// Of FreeGLUT's current window, or for all windows.
#define HOOK(function, ...) mpiglut::hook(REAL(function##Ucall), REAL(function), true, __VA_ARGS__)
