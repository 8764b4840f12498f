// What the programs' objects are to the libraries' devices. In separate files, since the devices declare GL and Vulkan
// in another way than programs do.
#pragma once

#include "device/device.h"
#include "glmpi.h"

#include <functional>

struct vkMPI_Surface;
struct VkBuffer_T;
struct VkCommandBuffer_T;

std::shared_ptr<pixmpi::Surface> device_surface(const pixMPI_Surface &named);
std::shared_ptr<pixmpi::Surface> device_surface(const vkMPI_Surface &named, pixmpi::Direction direction);

/// The device's commands for a region in a buffer, `times`; false when it has none that the GPU does by itself.
bool pack_in_a_row(pixmpi::Surface &surface, pixmpi::Direction direction,
                   const std::shared_ptr<const pixmpi::Region> &region, unsigned gl_buffer, int times);
enum class Moment { before, between, after };
/// The same in one submission, with a warm-up before; `moments` records what comes before, between and after what
/// counts.
bool pack_in_a_row(pixmpi::Surface &surface, pixmpi::Direction direction,
                   const std::shared_ptr<const pixmpi::Region> &region, VkBuffer_T *buffer, int times,
                   const std::function<void(VkCommandBuffer_T *, Moment)> &moments);
