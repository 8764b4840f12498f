// The state mirror: what a context's program sees in whole-window coordinates, and what the driver was given for it.
//
// The driver's state always follows from the mirror and from `draw_origin`. Whatever changes the origin (a framebuffer
// is bound, the part moved, feedback begins) calls `apply`, which gives the driver everything anew. Each wrapper has
// the same shape:
//
//     MPIGLUT_EXPORT void glThing(GLint x) {
//         Context *c = current();
//         if (!c) return REAL(glThing)(x);
//         perform(*c, [x](Context &c) { REAL(glThing)(x - draw_origin(c).x); });
//     }
//
// `perform` runs the operation now, or stores it in the display list that is being compiled, or both: what an operation
// needs of the program's memory it must hold by value. Wrappers of functions that GL never puts into lists (reads,
// queries, glBindFramebuffer) do their work directly.
#pragma once

#include "gl/context/context.h"
#include "gl/coordinates/lists.h"
#include "gl/coordinates/projection.h"

#include <GL/gl.h>
#include <GL/glext.h>

#include <array>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace mpiglut::gl {

struct Origin {
    int x = 0, y = 0;
    bool operator==(const Origin &) const = default;
};

inline constexpr int max_boxes = 16; ///< GL_MAX_VIEWPORTS of every driver there is

/// Viewports or scissor boxes: x, y, width, height for each index.
template <class T> class Boxes {
  public:
    using Box = std::array<T, 4>;
    /// All indices are equal, as glViewport and glScissor leave them.
    bool same() const { return same_; }
    const Box &operator[](std::size_t index) const { return boxes_[same_ ? 0 : index]; }
    void set_all(const Box &value) {
        boxes_[0] = value;
        same_ = true;
    }
    void set(std::size_t index, const Box &value) {
        if (same_)
            boxes_.fill(boxes_[0]);
        same_ = false;
        boxes_[index] = value;
    }

  private:
    std::array<Box, max_boxes> boxes_{};
    bool same_ = true;
};
using Viewports = Boxes<GLfloat>;
using Scissors = Boxes<GLint>;

/// 32 by 32 bits as glPolygonStipple takes them by default: rows from the bottom, first pixel in the highest bit.
using Pattern = std::array<GLubyte, 128>;

/// What one glPushAttrib saved of the above.
struct Saved {
    int depth = 0; ///< GL_ATTRIB_STACK_DEPTH afterwards: the matching pop is found by it
    GLbitfield mask = 0;
    Origin origin; ///< under which the driver saved its own
    Crop crop;
    Viewports viewport;
    Scissors scissor;
    unsigned scissor_on = 0;
    Pattern stipple{};
};

/// What glFeedbackBuffer was given.
struct Feedback {
    GLfloat *values = nullptr;
    GLsizei size = 0;
    GLenum type = GL_2D;
};

/// What the driver can do, asked for once.
struct Limits {
    int version = 10;         ///< major * 10 + minor
    bool es = false;
    /// It has what these versions of OpenGL and of OpenGL ES brought.
    bool since(int desktop, int embedded) const { return version >= (es ? embedded : desktop); }
    bool fixed_function = true; ///< lists, matrices, raster position, stipple
    bool framebuffers = true;   ///< framebuffer objects
    bool pack_invert = false;   ///< GL_MESA_pack_invert
    bool clip_control = false;
    bool rounds_away = false;   ///< glDrawPixels at a half goes away from zero, so that it depends on the origin
    bool timestamps = false;    ///< queries of the GPU's clock
    bool wide_results = false;  ///< queries have results of 64 bits
    bool named_queries = false; ///< textures and renderbuffers are asked for their size by name
    int viewports = 1;
    int uniform_locations = 0; ///< the library may take the last; 0: shaders cannot choose them
    int driver_width = 0, driver_height = 0; ///< GL_MAX_VIEWPORT_DIMS
    int width = 0, height = 0; ///< the same, or the override
    float lowest = 0, highest = 0; ///< GL_VIEWPORT_BOUNDS_RANGE
};

struct Programs;
struct Queries;

struct Context {
    GLXContext handle = nullptr;
    /// Some address of the thread where it is current. Drivers may let a context be current in two threads: it is
    /// the later one's.
    std::atomic<const void *> holder{nullptr};
    /// The program has let go of it in the thread of the ticks, and not taken it back there. That thread writes.
    std::atomic<bool> handed_over{false};
    Limits limits;         ///< width 0: not asked for yet
    bool mirrored = false; ///< the driver's state follows from this struct; else it is the program's own

    // Where it draws and reads now. `surface` is not null while wrappers see this context; `read_surface` may be.
    Surface *surface = nullptr, *read_surface = nullptr;
    GLuint draw_framebuffer = 0, read_framebuffer = 0; ///< 0: the default framebuffer
    GLenum render_mode = GL_RENDER;

    // What the program set, in whole-window coordinates.
    Viewports viewport;
    Scissors scissor;
    unsigned scissor_on = 0; ///< a bit for each index: the scissor tests; with --cut alone
    Pattern stipple{};
    bool stippled = false; ///< the program has set a pattern
    std::vector<Saved> saved;

    int target_scale = 0; ///< of the framebuffer object that is bound for drawing, if it may be cut; see gl/cut.h

    // What the driver was last given.
    Part applied_part;
    Origin applied_origin; ///< of viewport, scissor and stipple
    Origin raster_origin;  ///< that the driver's raster position is relative to
    std::array<GLfloat, 2> raster_nudge{}; ///< that the driver's raster position is off by, during one drawing
    Crop crop;             ///< in front of the projection matrices
    std::vector<Cropped> cropped; ///< the projection stack while it is cropped
    Viewports::Box real_viewport{};

    Feedback feedback;

    std::shared_ptr<Lists> lists; ///< shared with the contexts that share display lists
    Recording recording;          ///< the list being compiled
    std::shared_ptr<Programs> programs; ///< of the shader translation; see programs.h
    std::shared_ptr<Queries> queries;   ///< null before the first one; see queries.h

    std::array<GLuint, 2> timestamps{}; ///< queries of the library; see gpu_time.h
    bool timed = false;                 ///< the first of them was begun
};

/// The default framebuffer is bound for drawing, or for reading, so that window coordinates are to be translated.
inline bool draws_window(const Context &c) { return c.draw_framebuffer == 0; }
inline bool reads_window(const Context &c) { return c.read_framebuffer == 0 && c.read_surface; }

/// real = whole - origin for what is drawn, and for what is read.
inline Origin draw_origin(const Context &c) {
    // Nothing is rasterized in feedback and selection, so that every tile can work in the whole window's coordinates
    // and get the same numbers, bit for bit.
    if (!c.surface || !draws_window(c) || c.render_mode != GL_RENDER)
        return {};
    return {c.surface->part.x, c.surface->part.y};
}
inline Origin read_origin(const Context &c) {
    return reads_window(c) ? Origin{c.read_surface->part.x, c.read_surface->part.y} : Origin{};
}

/// The window is drawn to and this tile shows only part of it: what is drawn differs from plain GL.
inline bool translated(const Context &c) {
    return draws_window(c) && c.surface->part != Part{0, 0, c.surface->part.full_width, c.surface->part.full_height,
                                                      c.surface->part.full_width, c.surface->part.full_height};
}

/// Gives the driver everything that depends on the origin. Safe while a list is being compiled.
void apply(Context &c);

/// Runs `operation` now, or stores it in the list being compiled, or both. `operation` is called with the context that
/// is current then; see above.
template <class F> void perform(Context &c, F &&operation) {
    if (c.recording.open)
        record(c, Operation(std::forward<F>(operation)));
    else
        operation(c);
}

/// Implemented by the shader translation; called by `apply` when the origin or the crop of the current context
/// has changed, and after another context became current.
void shaders_moved(Context &c);

} // namespace mpiglut::gl
