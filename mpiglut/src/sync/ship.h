// Pixels between ranks for a wall that shares out its work, by libglmpi, which is loaded when a run asks for that.
#pragma once

#include "wall/wall.h"

#include <span>
#include <string>

namespace mpiglut::ship {

/// All ranks together, once. `codec`: how the pixels travel, "raw", "lz4", "auto" or "jpeg:90". False on all ranks,
/// with `error` set where it went wrong, when one of them cannot.
bool start(const std::string &codec, std::string &error);
bool started();

/// A rectangle of a texture of the current context, y up.
struct Strip {
    int rank = 0; ///< where it goes to, or comes from
    unsigned texture = 0;
    pixmpi::Rect rect;
    bool operator==(const Strip &) const = default;
};

/// Begins to send and to receive the strips, in this context; the ranks have agreed on them, and nothing is on its way.
/// Where the strips are those of the last time, what the library has found out about them is used again. False with
/// `error` set when that fails.
bool begin(std::span<const Strip> out, std::span<const Strip> in, std::string &error);
/// Waits until what was begun is over, in the same context. Ranks that do not answer for half a minute are given up,
/// and ranks that die at once. False with `error` set when pixels of the living are missing.
bool finish(std::string &error);
/// Textures of strips get another size, or go, in the context of these strips. Messages under way are given up.
void forget_strips();

/// The current context goes, and with it strips.
void forget_context();

} // namespace mpiglut::ship
