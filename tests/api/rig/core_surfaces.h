// The ends' surfaces as the core knows them, for tests of what no verb leads to.
#pragma once

#include "rig/ends.h"

#include "device/device.h"

namespace api {

/// What a verb of the end's API would make of it, for one message. Vulkan's images are in the layout GENERAL, so that
/// several messages may be under way.
std::shared_ptr<pixmpi::Surface> core_surface(End &end, pixmpi::Direction direction);

} // namespace api
