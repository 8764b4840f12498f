// What ranks render of what others show: on its way to these at the end of a frame.
#pragma once

#include <GL/gl.h>

#include <cstdint>

namespace mpiglut {
struct Window;
}

namespace mpiglut::gl {

/// Completes `picture`, of what the window shows here, by what other ranks have rendered, and gives the others what
/// this rank has rendered for them. `own` is a texture that keeps the latter; its size is the window's part's. In a
/// context of the library's, which reads from what the program has drawn. All ranks come here together; the picture
/// stays as it is where they do not.
void exchange_strips(const Window &window, GLuint picture, GLuint own);

/// Draws thin lines into `picture`, which is bound: where it was rendered by several ranks.
void draw_cuts(const Window &window);

} // namespace mpiglut::gl
