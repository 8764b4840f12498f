// The compute shaders of the folder `shaders`, compiled for each size of pixels and each purpose. For shaders.cpp.
#pragma once

#include "device/passes.h"

#include "combine_buffer.spv.h"
#include "combine_image_16.spv.h"
#include "combine_image_4.spv.h"
#include "combine_image_8.spv.h"
#include "combine_onto_16.spv.h"
#include "combine_onto_4.spv.h"
#include "combine_onto_8.spv.h"
#include "copy_image_16.spv.h"
#include "copy_image_4.spv.h"
#include "copy_image_8.spv.h"
#include "copy_segments.spv.h"
#include "depth_stencil_0.spv.h"
#include "depth_stencil_1.spv.h"
#include "depth_stencil_2.spv.h"
#include "fetch_depths.spv.h"
#include "fetch_image_1.spv.h"
#include "fetch_image_16.spv.h"
#include "fetch_image_2.spv.h"
#include "fetch_image_4.spv.h"
#include "fetch_image_8.spv.h"
#include "find_active.spv.h"
#include "jpeg_begins.spv.h"
#include "jpeg_entropy.spv.h"
#include "jpeg_forward.spv.h"
#include "jpeg_join.spv.h"
#include "jpeg_pixels.spv.h"
#include "jpeg_samples.spv.h"
#include "lay_depths.spv.h"
#include "lay_image_16.spv.h"
#include "lay_image_4.spv.h"
#include "lay_image_8.spv.h"
#include "nearest.spv.h"
#include "pack_image_16.spv.h"
#include "pack_image_4.spv.h"
#include "pack_image_8.spv.h"
#include "pack_rows_1.spv.h"
#include "pack_rows_16.spv.h"
#include "pack_rows_2.spv.h"
#include "pack_rows_4.spv.h"
#include "pack_rows_8.spv.h"
#include "raise_image_16.spv.h"
#include "raise_image_4.spv.h"
#include "raise_image_8.spv.h"
#include "running.spv.h"
#include "unpack_image_16.spv.h"
#include "unpack_image_4.spv.h"
#include "unpack_image_8.spv.h"
#include "unpack_rows_1.spv.h"
#include "unpack_rows_16.spv.h"
#include "unpack_rows_2.spv.h"
#include "unpack_rows_4.spv.h"
#include "unpack_rows_8.spv.h"

#include <cstdint>
#include <span>

namespace vkmpi {

constexpr std::span<const std::uint32_t> codes[] = {
    copy_segments,  depth_stencil_0, depth_stencil_1, depth_stencil_2, fetch_image_1,   fetch_image_2,
    fetch_image_4,  fetch_image_8,   fetch_image_16,  pack_image_4,    pack_image_8,    pack_image_16,
    unpack_image_4, unpack_image_8,  unpack_image_16, combine_image_4, combine_image_8, combine_image_16,
    combine_onto_4, combine_onto_8,  combine_onto_16, copy_image_4,    copy_image_8,    copy_image_16,
    pack_rows_1,    pack_rows_2,     pack_rows_4,     pack_rows_8,     pack_rows_16,    unpack_rows_1,
    unpack_rows_2,  unpack_rows_4,   unpack_rows_8,   unpack_rows_16,  lay_image_4,     lay_image_8,
    lay_image_16,   raise_image_4,   raise_image_8,   raise_image_16,  fetch_depths,    lay_depths,
    combine_buffer, nearest,         jpeg_forward,    jpeg_entropy,    jpeg_begins,     jpeg_join,
    jpeg_samples,   jpeg_pixels,     find_active,     running};

/// Where the first of a kind stands, by sizes from the smallest one on.
constexpr int first_depth_stencil = 1, first_fetch = 4, first_pack = 9, first_unpack = 12, first_combine = 15,
              first_onto = 18, first_copy = 21, first_pack_rows = 24, first_unpack_rows = 29, first_lay = 34,
              first_raise = 37, depths_code = 40, lay_depths_code = 41, buffer_code = 42, nearest_code = 43,
              first_pass = 44, running_code = first_pass + pixmpi::pass_kinds - 1;
static_assert(std::size(codes) == running_code + 1);

} // namespace vkmpi
