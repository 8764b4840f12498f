// What a window shows here that is rendered off screen, in textures of a context of the library. See present.h.
#pragma once

#include "wall/wall.h"

#include <GL/gl.h>

#include <vector>

namespace mpiglut {
struct Picture;
struct Window;
} // namespace mpiglut

namespace mpiglut::gl {

struct Texture {
    GLuint name = 0; ///< made when first needed
    int width = 0, height = 0;
};

struct Shown {
    Texture picture;                       ///< upright
    Texture own;                           ///< what this rank has rendered for other ranks; see gl/present/strips.h
    std::vector<pixmpi::Rect> rendered_by; ///< by rank: its part of the picture, where that is shared out
};

/// Of a texture that holds the colours of the current window without loss.
GLenum lossless_format();
/// Puts what this rank has rendered into the textures, and binds that of the picture. Other ranks may have the rest.
/// `front`: what the program has drawn to the front buffer.
void set_aside(const Window &window, Shown &shown, bool front);
/// Draws the picture into the real window, turned as the tile is.
void draw_picture(const Window &window, const Shown &shown);
/// Of the picture, which is bound.
void read_picture(const Shown &shown, Picture &picture);

} // namespace mpiglut::gl
