// What OpenGL calls the formats of pixmpi.h.
#pragma once

#include "base/format.h"
#include "context/gl.h"

namespace glmpi {

/// The format and type arguments of glReadPixels and glTexSubImage.
struct PixelTypes {
    GLenum format = 0, type = 0;
};

/// Which part of a surface's pixels travels.
enum class Aspect { color, depth, stencil, depth_stencil };

struct GlFormat {
    GLenum internal = 0; ///< the sized internal format with these bits; 0: there is none, only transfers
    PixelTypes natural;  ///< transfers that lie in memory as the format says
};

/// For every format of pixmpi.h; natural.format is 0 for what is none.
const GlFormat &gl_format(pixMPI_Format format);

/// The format with the bits of a sized internal format; NONE when pixmpi.h has none. Depths of 32 bits of integers are
/// DEPTH24; the low bits of its words count then.
pixMPI_Format format_of_internal(GLenum internal);

Aspect aspect_of(pixMPI_Format format);

/// Whether OpenGL converts between pixels of these formats as they are transferred: between colours that are both
/// integers or both not, and from depth-stencil to its parts.
bool converts(pixMPI_Format surface, pixMPI_Format travelling);

/// An internal format that leaves the sizes to the driver, and stays as it was asked for.
bool is_unsized(GLenum internal);

/// For surfaces that do not tell a sized internal format.
struct ComponentSizes {
    GLint red = 0, green = 0, blue = 0, alpha = 0, depth = 0, stencil = 0;
    GLenum type = 0;       ///< of red, GL_UNSIGNED_NORMALIZED and so on
    GLenum depth_type = 0; ///< the same for depth
    bool srgb = false;
};
pixMPI_Format format_of_sizes(const ComponentSizes &sizes);

/// Of a texture with depths that can be blitted to a surface of these formats: blits do not convert them.
GLenum blit_internal(pixMPI_Format stored, GLint depth_bits);

} // namespace glmpi
