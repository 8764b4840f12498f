// Where the whole window's viewport is larger than the driver allows, the real viewport is the visible part of it, and
// the projection is led by a matrix that maps the whole onto that part.
#pragma once

#include <GL/gl.h>

#include <array>
#include <vector>

namespace mpiglut::gl {

struct Context;

/// clip.xy -> clip.xy * scale + offset * clip.w
struct SubWindow {
    double scale_x = 1, scale_y = 1, offset_x = 0, offset_y = 0;
    bool identity() const { return *this == SubWindow{}; }
    bool operator==(const SubWindow &) const = default;
};

/// Column-major, as GL takes it.
using Matrix = std::array<GLdouble, 16>;
/// A matrix of the projection stack: the program's, and what the driver made of sub-window times program.
struct Led {
    Matrix program{}, real{};
};

/// The current context draws to a window whose viewport is too large. The fixed function's matrices have the sub-window
/// in them already (so do gl_ProjectionMatrix, gl_ModelViewProjectionMatrix and ftransform() in shaders); positions
/// that a shader works out from its own uniforms have to pass through sub_window().
bool projection_fallback();
SubWindow sub_window();

} // namespace mpiglut::gl
