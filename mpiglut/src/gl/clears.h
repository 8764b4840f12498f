// What the wrappers of glClear and its like tell gl/habits.cpp.
#pragma once

#include "gl/mirror.h"

namespace mpiglut::gl {

/// The context, if what it does to the window counts: null while nobody asks, and in other threads. `window`: the call
/// names the window; else it counts when that is drawn to.
Context *counted(bool window = false);

/// Clears these buffers of the window.
void note_clear(const Context &c, GLbitfield mask);
/// Draws there from now on.
void note_target(GLenum target);
void note_accumulation();
/// Depth or stencil tests may be on from now on.
void note_tests();

/// While it lives, the real scissor is that of this framebuffer, whichever is bound: for calls that name the one that
/// they clear or draw to.
class NamedScissor {
  public:
    NamedScissor(Context *c, GLuint framebuffer);
    ~NamedScissor();
    NamedScissor(const NamedScissor &) = delete;
    NamedScissor &operator=(const NamedScissor &) = delete;

  private:
    Context *context_ = nullptr;
};

} // namespace mpiglut::gl
