// --api vk: images and buffers of a device of Vulkan.
#pragma once

#include "object/api.h"

std::unique_ptr<Api> make_vk_api();
