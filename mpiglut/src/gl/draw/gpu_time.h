// How long the GPU works for what the program does between two places, by the GPU's own clock. Timestamps do not
// disturb queries that the program has under way.
#pragma once

#include <cstdint>
#include <optional>

namespace mpiglut::gl {

/// In the current context, if that draws a window. Replaces a beginning before.
void begin_gpu_time();
/// Waits for the GPU. Nanoseconds since the beginning; nothing where the driver has no timestamps, or where the context
/// is not the one of the beginning.
std::optional<std::int64_t> end_gpu_time();

} // namespace mpiglut::gl
