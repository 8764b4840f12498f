// What the files that translate coordinates offer each other: for each piece of state, `pull` takes the driver's for
// the program's (nothing is translated at that moment), `apply` gives the driver what follows from the mirror.
#pragma once

#include "gl/coordinates/mirror.h"

#include <GL/glx.h>

#include <optional>

namespace mpiglut::gl {

// context.cpp
/// The context was created to share display lists with the other (null: with none).
void share_lists(GLXContext context, GLXContext with);

// limits.cpp
void pull_limits(Context &c);

// viewport.cpp
void pull_viewport(Context &c);
void pull_scissor_boxes(Context &c);
void apply_viewport(Context &c);
/// What the program is told of GL_MAX_VIEWPORT_DIMS: at least the whole window.
int widest_viewport(const Context &c);
int highest_viewport(const Context &c);

// scissor.cpp
void pull_scissor(Context &c);
void apply_scissor(Context &c);
/// With --cut, of `what` the scissor test: the program's own, and whether that was set here.
std::optional<bool> scissor_test(GLenum what, GLuint index);
bool enable_scissor(GLenum what);
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

// projection.cpp
/// Works out real_viewport, and puts the crop that it needs in front of the projection.
void place_viewport(Context &c);
/// For feedback and raster positions where the viewport is too large: a viewport at (0, 0) that is small enough, with
/// the program's own projection times `scale`. `unshrink` makes its window coordinates the whole window's;
/// `apply_viewport` ends it.
void shrink_viewport(Context &c, double scale = 1);
void unshrink(const Context &c, GLfloat &x, GLfloat &y);
/// For a raster position there, in the whole window: a viewport around it that is not too large, of the same scale.
/// `apply_viewport` ends it.
void aim_viewport(Context &c, GLfloat x, GLfloat y);
bool too_large(const Context &c);
Matrix program_projection(Context &c);

// framebuffer.cpp
void pull_framebuffers(Context &c);

// stipple.cpp
void pull_stipple(Context &c);
void apply_stipple(Context &c);

// raster.cpp
/// Makes the driver's raster position relative to another origin, and changes nothing else.
void move_raster(Context &c, Origin to);
/// Around a drawing of pixels: where the driver would round the position within the part to another pixel than that
/// within the whole window, moves it a little.
void nudge_raster(Context &c);
void restore_raster(Context &c);

// attrib.cpp
inline constexpr GLbitfield mirrored_bits = GL_VIEWPORT_BIT | GL_SCISSOR_BIT | GL_POLYGON_STIPPLE_BIT;
/// Those with the scissor tests, which are mirrored with --cut.
inline constexpr GLbitfield scissor_tests = GL_SCISSOR_BIT | GL_ENABLE_BIT;
void pull_attrib(Context &c);
int attrib_depth();
/// The mirror's share of a glPushAttrib that the driver has seen already; `depth` is the stack's depth right after it.
void save_attrib(Context &c, GLbitfield mask, int depth);

// feedback.cpp
void pull_feedback(Context &c);

} // namespace mpiglut::gl
