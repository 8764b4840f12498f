// What all ranks have to have set alike.
#pragma once

#include "context.h"

#include <array>
#include <vector>

namespace icet {

using Words = std::array<std::uint32_t, 4>;

/// Each rank's words, by rank. All ranks call it.
std::vector<Words> tell_all(const Context &context, const Words &mine);

/// Throws on all ranks when they have not the same tiles. A frame is a composite for each tile, so ranks that had other
/// numbers of them would wait for each other, in this frame and in all that follow.
void agree_on_tiles(const Context &context);

} // namespace icet
