// The part of a window's picture that the operator looks at, made smaller where it is: by the GPU.
#pragma once

#include "gl/context/context.h"

#include <cstddef>
#include <span>

namespace mpiglut::gl {

/// Where in the current drawable the picture lies; pixels, y up.
struct Source {
    int x = 0, y = 0, width = 0, height = 0;
    int drawable_width = 0, drawable_height = 0;
};

/// Reads the current drawable's pixels as `columns` by `rows` RGB pixels, rows from the top, without padding. Each
/// pixel is the mean of what it stands for, as far as steps of two to one go. All GL state stays as it was.
void read_smaller(const Source &source, int columns, int rows, bool front, std::span<std::byte> rgb);

} // namespace mpiglut::gl
