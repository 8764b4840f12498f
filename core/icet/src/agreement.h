// What all ranks have to have set alike.
#pragma once

#include "context.h"

#include <array>
#include <vector>

namespace icet {

using Words = std::array<std::uint32_t, 4>;

/// Each rank's words, by rank. All ranks call it.
std::vector<Words> tell_all(const Context &context, const Words &mine);

/// Throws on all ranks when they have not the same tiles. Costs nothing while tiles stay as they are.
void agree_on_tiles(Context &context);

} // namespace icet
