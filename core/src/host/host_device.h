// Host memory as a device: the CPU packs and unpacks, and every copy is over when it returns.
#pragma once

#include "device/device.h"
#include "region/copy_rows.h"

namespace pixmpi {

std::shared_ptr<Device> host_device();

/// Pixels in host memory, as the user named them. The texts call it "surface".
Status make_host_surface(const pixMPI_Surface &named, std::shared_ptr<Surface> &surface);

/// A surface of `height` rows, each of which is the one that `row` has. It is read only.
std::shared_ptr<Surface> repeat_row(std::shared_ptr<Surface> row, int height);

/// Where the pixels of one of its surfaces lie, and those of a rectangle.
const Rows &pixels_of(const Surface &of_the_host);
Rows rows_of(const Surface &of_the_host, const pixMPI_Rect &rect);

} // namespace pixmpi
