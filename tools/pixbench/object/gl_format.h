// What OpenGL calls the formats, for the pixels that pixbench moves by hand.
#pragma once

#include "pixmpi.h"

#include <gl_api.h>
#include <vector>

/// How client memory holds the pixels of one call of glReadPixels or glTexSubImage2D.
struct Layout {
    GLenum format = 0, type = 0;
};

/// The internal format of a texture that holds them; 0: none.
GLenum gl_internal_format(pixMPI_Format format);
/// The layouts that keep all bits when they are read back and uploaded, the obvious one first.
std::vector<Layout> gl_layouts(pixMPI_Format format);
/// The attachment of a framebuffer that they go to.
GLenum gl_attachment(pixMPI_Format format);
/// The default format of such a texture's pixels: what BGRA is kept as.
pixMPI_Format gl_native(pixMPI_Format format);
