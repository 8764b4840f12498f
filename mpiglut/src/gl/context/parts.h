// The parts of the thread that draws apart from the ticks. The model of windows changes parts with the ticks, which
// that thread knows nothing of; so it works with copies, and all ranks' threads go over to newer parts together.
#pragma once

#include "gl/context/context.h"

#include <cstdint>

namespace mpiglut::gl {

/// From the model, on every rank alike: the surface as it is now.
void post(const Surface &surface);
/// How often this rank has done so.
std::uint64_t posted();

/// The thread that draws: from here on it is given surfaces as they were after so many posts; this rank has had at least
/// as many. True when the one changed that it draws to now: `draw_agreed_part` is due.
bool agree_on_parts(std::uint64_t posts);
/// The model's surface as this thread may look at it: for the thread that draws, its copy.
Surface *seen_here(Surface *model);
/// The window goes. Copies stay, for contexts that are current there.
void forget(const Surface &model);

} // namespace mpiglut::gl
