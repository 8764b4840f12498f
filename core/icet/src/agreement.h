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
/// numbers of them would wait for each other, in this frame and in all that follow. Returns for each rank the lowest one
/// of its data replication group.
std::vector<int> agree(const Context &context);

/// Throws when a rank of this rank's data replication group has another one, or a rank outside of it has this one.
void check_group(const Context &context, const std::vector<int> &leaders);

/// The ranks from front to back. Those of a group stand where its first one does: they share what that one would draw.
std::vector<int> order_of(const Settings &settings, const std::vector<int> &leaders);

} // namespace icet
