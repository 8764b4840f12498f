// What ranks render of what others show: on its way to these at the end of a frame.
#pragma once

#include "wall/wall.h"

#include <GL/gl.h>

#include <span>

namespace mpiglut {
struct Window;
}

namespace mpiglut::gl {

/// Of a window that is shared out: `picture` is a texture of what the window shows here, `own` one that keeps what this
/// rank has rendered for other ranks, of the window's part's size. All that follows is called in the library's context,
/// which reads from what the program has drawn.

/// Keeps in `own` what others show.
void keep_strips(const Window &window, GLuint own);
/// Sends what was kept, and begins to receive what other ranks have rendered. All ranks come here together.
void begin_strips(const Window &window, GLuint picture, GLuint own);
/// Waits until what was begun is there. `picture` is complete then, and bound.
void finish_strips(GLuint picture);
/// Both. The ranks meet before; the picture stays as it is where they do not.
void exchange_strips(const Window &window, GLuint picture, GLuint own);

/// Draws thin lines into the texture that is bound, of what the window shows here: where these rectangles begin, which
/// ranks have rendered.
void draw_cuts(const Window &window, std::span<const pixmpi::Rect> rendered_by);

} // namespace mpiglut::gl
