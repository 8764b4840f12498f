// The mode pixels' computation in Vulkan.
#pragma once

#include "pixels/pixels_fill.h"

#include <vk.h>

/// Of an image, which is in the layout GENERAL, or of `buffer` if that is not null. Null with what is wrong.
std::unique_ptr<Fill> make_vk_fill(const Object &object, const demo::Gpu &gpu, const vkMPI_Surface &image,
                                   const demo::Buffer *buffer, int steps, std::string &problem);
