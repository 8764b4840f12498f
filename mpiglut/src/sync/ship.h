// Pixels between ranks for a wall whose work is shared out, by libglmpi, which is loaded when a run asks for that.
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
};

/// Sends and receives the strips, in this context; the ranks have agreed on them. Ranks that do not answer for half a
/// minute are given up, and ranks that die at once. False with `error` set when pixels of the living are missing.
bool exchange(std::span<const Strip> out, std::span<const Strip> in, std::string &error);

/// The current context goes.
void forget_context();

} // namespace mpiglut::ship
