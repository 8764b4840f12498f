// Does the program begin each frame anew, or does it go on with pixels of the last one? Ranks that render another part
// of the wall in each frame have nothing there to go on with.
#pragma once

#include "gl/value/written.h"

#include <GL/gl.h>

namespace pixmpi {
struct Rect;
}

namespace mpiglut::gl {

struct Context;

/// Calls are looked at; before that they cost nothing.
inline bool watched = false;
/// From now on.
void watch_habits();
/// A program reads the window, or copies from it.
void window_is_read();
/// A rectangle of the window, in whole-window coordinates, gets other pixels, without any test or mask but the scissor.
void window_is_overwritten(const Context &c, const pixmpi::Rect &where, GLbitfield buffers);

/// The context, if what it does to the window counts: null while that is off, and in other threads. `window`: the call
/// names the window; else it counts when that is drawn to.
Context *counted(bool window = false);

/// Clears these buffers of the window.
void note_clear(const Context &c, GLbitfield mask);
/// Draws there from now on.
void note_target(GLenum target);
void note_accumulation();
/// Depth or stencil tests may be on from now on.
void note_tests();

/// What of a frame goes on with an earlier one. Each rank sees its own part of the window alone.
enum class Kept { nothing, front, read, accumulation, colours, depths, stencil, count };
/// "it draws to the front buffer"
const char *text(Kept kept);
/// The frame is drawn, and the GPU has finished it. The next frame begins.
Kept kept_pixels();

/// A rectangle over the whole window has no more vertices.
inline constexpr GLsizei covering_vertices = 6;
/// Around a draw call of so many vertices: the samples of one that may cover the window are counted. Before it, what its
/// fragments may write is kept (value/written.h).
bool begin_covering(GLsizei vertices);
void end_covering();
class Covering {
  public:
    explicit Covering(GLsizei vertices) {
        before_draw();
        begun_ = watched && begin_covering(vertices);
    }
    ~Covering() {
        if (begun_)
            end_covering();
    }
    Covering(const Covering &) = delete;
    Covering &operator=(const Covering &) = delete;

  private:
    bool begun_ = false;
};

} // namespace mpiglut::gl
