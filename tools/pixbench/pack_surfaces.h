// What the programs' objects are to the libraries' devices. In files of their own, since the devices declare GL and Vulkan in
// another way than programs do.
#pragma once

#include "device.h"
#include "glmpi.h"

struct vkMPI_Surface;

std::shared_ptr<pixmpi::Surface> device_surface(const glMPI_Surface &named);
std::shared_ptr<pixmpi::Surface> device_surface(const vkMPI_Surface &named, pixmpi::Direction direction);
