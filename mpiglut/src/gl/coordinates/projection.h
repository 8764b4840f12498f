// Where the whole window's viewport is larger than the driver allows, the real viewport is the visible part of it, and
// a crop, a matrix that maps the whole onto that part, stands in front of the projection.
#pragma once

#include <GL/gl.h>

#include <array>
#include <vector>

namespace mpiglut::gl {

struct Context;

/// clip.xy -> clip.xy * scale + offset * clip.w
struct Crop {
    double scale_x = 1, scale_y = 1, offset_x = 0, offset_y = 0;
    bool identity() const { return *this == Crop{}; }
    bool operator==(const Crop &) const = default;
};

/// Column-major, as GL takes it.
using Matrix = std::array<GLdouble, 16>;
/// A matrix of the projection stack: the program's, and what the driver made of the crop times that.
struct Cropped {
    Matrix program{}, real{};
};

/// The current context draws to a window with a viewport that is too large. The fixed function's matrices have the crop
/// in them already, and so do gl_ProjectionMatrix, gl_ModelViewProjectionMatrix and ftransform() in shaders. Positions
/// that a shader computes from its own uniforms have to pass through crop().
bool projection_fallback();
/// Some window on this wall may have such a viewport.
bool crop_possible(const Context &c);
Crop crop();

} // namespace mpiglut::gl
