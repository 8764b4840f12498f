// Copies between two surfaces of one context, from one list of rectangles to the other.
#pragma once

#include "device/cuda_device.h"

namespace cudampi {

/// Begins one, of a device with kernels. `copy` stays null where there is no such way: for shared memory, two arrays, and
/// where what is written may be what is read.
pixmpi::Status make_cuda_copy(CudaDevice &device, std::span<const pixmpi::CopiesStraight::Ends> planes,
                              std::unique_ptr<pixmpi::StraightCopy> &copy);

} // namespace cudampi
