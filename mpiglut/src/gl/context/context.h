// What the GL layer knows of the context that is current: the window and the part of it that it draws, and the state
// that the program sees in whole-window coordinates.
//
// GL window coordinates have their origin at the lower left. A window's part on this tile is a rectangle in the
// coordinates of the whole window; a program's coordinate c becomes c - part.x in the real drawable:
//     real = whole - origin,   whole = real + origin,   origin = (part.x, part.y)
// with the default framebuffer bound, and real = whole with a framebuffer object bound.
#pragma once

#include <GL/gl.h>
#include <GL/glx.h>

#include <vector>

namespace mpiglut {
struct Picture;
}

namespace mpiglut::gl {

struct Part {
    int x = 0, y = 0;                      ///< lower left pixel of the part, in the whole window, y up
    int width = 0, height = 0;             ///< of the part: what is rendered here (at least 1 by 1)
    int full_width = 0, full_height = 0;   ///< of the whole window, as the program sees it
    bool operator==(const Part &) const = default;
};

/// A drawable that shows part of a window of the wall. Owned by the window model (model/window/windows.h), one per
/// window; drawables that are not known here (menus, programs' own pbuffers) are left alone.
struct Surface {
    int window = 0;                  ///< GLUT window number, the same on every rank
    Part part;                       ///< on this rank
    /// On every rank, by rank, as far as it counts for reads; width 0 where the window does not show. This rank may
    /// render a row or column more, see model/window/behind.h.
    std::vector<Part> parts;
    bool double_buffered = true;
};

/// From the window model. `attach` before the drawable is first made current; `moved` after surface.part changed:
/// re-applies viewport, scissor, stipple and the rest if its context is current, else when it next is.
void attach(GLXDrawable drawable, Surface *surface);
void detach(GLXDrawable drawable);
void moved(Surface *surface);
/// The same for the thread that draws apart from the ticks, once it has another copy of the surface; see parts.h.
void draw_agreed_part();
/// From the window model, before there are windows: what to call before a window's context becomes current in a thread.
void on_window_current(void (*call)(GLXDrawable));
/// The same: what to call when the program does what precedes drawing in another thread, on all ranks alike.
void on_hand_over(void (*call)());

/// From the interposed glXMakeCurrent and glXMakeContextCurrent, after the real call succeeded; `chosen`: by the
/// program itself, in the thread of the ticks.
void made_current(GLXContext context, GLXDrawable draw, GLXDrawable read, bool chosen);
void destroyed(GLXContext context);
/// It is a window's of the wall, or stands in for one.
bool is_window(GLXDrawable drawable);
/// For the thread of the ticks: the context is current in another thread, or the program has handed it over.
bool held_elsewhere(GLXContext context);
/// The last that was made current in this thread, even if another thread has taken it since.
bool was_current_here(GLXContext context);
/// It is current in another thread than this one.
bool held_by_another(GLXContext context);
/// The program has handed it over, and another thread than this one has it: the one of the ticks, where FreeGLUT made
/// it current again, unless a third one has taken it. From any thread.
bool is_on_loan(GLXContext context);
/// In the thread of the ticks: such a context is current here, and no other thread has taken it.
bool has_on_loan();
/// In the thread of the ticks, between two callbacks: lets go of a context that is current here on loan. Another thread
/// may be waiting for it, or the next callback for that thread.
void return_loan();

/// Any is current in this thread, the program's or ours.
bool has_context();
/// In the thread of the ticks: it has no context, or one that another thread has taken or is about to take. Ranks may
/// be at different steps of that, but agree on the answer.
bool is_handed_over();

/// The surface that the current context draws to, or null (no context, a foreign drawable, no launcher).
Surface *current_surface();

struct Context; // the state mirror; gl/coordinates/mirror.h, private to the GL layer
/// Null when the thread has no context or its drawable is foreign: wrappers then call straight through.
Context *current();

/// While it lives a context of the library is current in this thread: of what is called there, by FreeGLUT too,
/// nothing is translated and nothing is compared.
class Untranslated {
  public:
    Untranslated();
    ~Untranslated();
    Untranslated(const Untranslated &) = delete;
    Untranslated &operator=(const Untranslated &) = delete;

  private:
    Context *context_;
};

/// The part's pixels of the current drawable, for captures; leaves all GL state as it was. `front` reads the front
/// buffer, for single-buffered windows.
Picture read_part(const Surface &surface, bool front);

/// The current context draws to the window's front buffer, so that a double-buffered program shows without a swap.
bool draws_to_front();

/// For tests: pretend that GL_MAX_VIEWPORT_DIMS is this (environment MPIGLUT_MAX_VIEWPORT), 0 for the driver's own.
int max_viewport_override();

} // namespace mpiglut::gl
