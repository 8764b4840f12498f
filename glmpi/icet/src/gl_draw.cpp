// The calls of icet_pixmpi_gl.h: frames that a callback draws by OpenGL.
#include "gl_picture.h"
#include "icet_pixmpi_gl.h"

#include <algorithm>
#include <GL/gl.h>
#include <string>

using namespace icet;

namespace {

/// What a frame changes of OpenGL's state, and puts back.
class GlState {
  public:
    GlState() {
        glGetDoublev(GL_PROJECTION_MATRIX, projection.data());
        glGetDoublev(GL_MODELVIEW_MATRIX, modelview.data());
        glGetFloatv(GL_COLOR_CLEAR_VALUE, clear.color.data());
        glGetIntegerv(GL_VIEWPORT, viewport);
        glGetIntegerv(GL_MATRIX_MODE, &mode_);
        glGetIntegerv(GL_DRAW_BUFFER, &draw_buffer_);
        glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer_);
    }
    ~GlState() {
        set(projection.data(), modelview.data(), clear);
        glMatrixMode(static_cast<GLenum>(mode_));
        draw_to(static_cast<IceTEnum>(draw_buffer_));
    }
    GlState(const GlState &) = delete;
    GlState &operator=(const GlState &) = delete;

    static void set(const double *with_projection, const double *with_modelview, const Background &background) {
        glMatrixMode(GL_PROJECTION);
        glLoadMatrixd(with_projection);
        glMatrixMode(GL_MODELVIEW);
        glLoadMatrixd(with_modelview);
        const auto &color = background.color;
        glClearColor(color[0], color[1], color[2], color[3]);
    }
    /// Framebuffer objects keep what they draw to.
    void draw_to(IceTEnum buffer) const {
        if (framebuffer_ == 0)
            glDrawBuffer(buffer);
    }

    Matrix projection{}, modelview{};
    Background clear;
    GLint viewport[4] = {0, 0, 0, 0};

  private:
    GLint mode_ = GL_MODELVIEW, draw_buffer_ = GL_BACK, framebuffer_ = 0;
};

class ByOpenGl : public Source {
  public:
    ByOpenGl(Context &context, const GlState &state)
        : context_(context), state_(state),
          picture_(context.settings.gl_read_buffer, context.communicator->comm, context.rank()) {}

    Drawn draw(const Wish &wish, Image &room) override {
        state_.set(wish.projection, wish.modelview, wish.background);
        const double began = icetWallTime();
        context_.settings.gl_draw();
        const double drawn = icetWallTime();
        context_.record.render += drawn - began;
        const GLint x = state_.viewport[0], y = state_.viewport[1];
        if (wish.stays && x == 0 && y == 0 && picture_.has_size(wish.part.width, wish.part.height))
            return {picture_.planes(wish.formats), false};
        room.shape(wish.formats, wish.part.width, wish.part.height);
        if (!empty(wish.wanted))
            picture_.read(x + wish.wanted.x, y + wish.wanted.y, wish.wanted, room);
        context_.record.read += icetWallTime() - drawn;
        return {room.planes(), true};
    }

    /// Shows the image where the callback has drawn.
    void show(const Image &image) {
        const double began = icetWallTime();
        picture_.write(image, state_.viewport[0], state_.viewport[1]);
        context_.record.write = icetWallTime() - began;
        context_.record.total += context_.record.write;
    }

  private:
    Context &context_;
    const GlState &state_;
    const GlPicture picture_;
};

void check_initialized(const Context &context) {
    if (!context.settings.gl_initialized)
        throw Failure{ICET_INVALID_OPERATION, "called before icetGLInitialize"};
}

/// An error on any rank becomes known to all ranks.
std::optional<Failure> refusal(const Settings &settings, const GlState &state) {
    if (!settings.gl_draw)
        return Failure{ICET_INVALID_OPERATION, "no draw callback, expected one of icetGLDrawCallback"};
    const GLint width = state.viewport[2], height = state.viewport[3];
    if (width < settings.widest() || height < settings.highest())
        return Failure{ICET_INVALID_OPERATION, "viewport: " + std::to_string(width) + "x" + std::to_string(height) +
                                                   ", expected at least the largest tile's " +
                                                   std::to_string(settings.widest()) + "x" +
                                                   std::to_string(settings.highest())};
    if (std::all_of(state.projection.begin(), state.projection.end(), [](double number) { return number == 0; }))
        return Failure{ICET_INVALID_OPERATION, "no matrices, expected a context of the compatibility profile"};
    return std::nullopt;
}

} // namespace

void icetGLInitialize(void) {
    const char *const call = "icetGLInitialize";
    in_context(call, [&](Context &context) {
        Settings &settings = context.settings;
        if (settings.gl_initialized)
            return icetInternalWarn(call, ICET_INVALID_OPERATION, "called before, for this context");
        settings.gl_initialized = true;
        settings.gl_read_buffer = GL_BACK;
        settings.features.insert({{ICET_GL_DISPLAY, true},
                                  {ICET_GL_DISPLAY_COLORED_BACKGROUND, false},
                                  {ICET_GL_DISPLAY_INFLATE, false},
                                  {ICET_GL_DISPLAY_INFLATE_WITH_HARDWARE, true}});
    });
}

IceTBoolean icetGLIsInitialized(void) {
    return in_context("icetGLIsInitialized", IceTBoolean{ICET_FALSE},
                      [](Context &context) { return static_cast<IceTBoolean>(context.settings.gl_initialized); });
}

void icetGLSetReadBuffer(unsigned int mode) {
    in_context("icetGLSetReadBuffer", [&](Context &context) {
        check_initialized(context);
        const bool auxiliary = mode >= GL_AUX0 && mode <= GL_AUX3;
        if ((mode < GL_FRONT_LEFT || mode > GL_RIGHT) && !auxiliary)
            throw Failure{ICET_INVALID_ENUM, "mode: " + std::to_string(mode) + ", expected GL_BACK or its like"};
        context.settings.gl_read_buffer = mode;
    });
}

void icetGLDrawCallback(IceTGLDrawCallbackType callback) {
    in_context("icetGLDrawCallback", [&](Context &context) {
        check_initialized(context);
        context.settings.gl_draw = callback;
    });
}

IceTImage icetGLDrawFrame(void) {
    return in_context("icetGLDrawFrame", icetImageNull(), [](Context &context) {
        check_initialized(context);
        const GlState state;
        View view{state.projection.data(), state.modelview.data(), state.clear, {}, {}};
        view.refused = refusal(context.settings, state);
        if (!view.refused) {
            context.settings.render_width = state.viewport[2];
            context.settings.render_height = state.viewport[3];
        }
        state.draw_to(context.settings.gl_read_buffer);
        ByOpenGl source(context, state);
        const IceTImage image = icetInternalFrame(context, view, source);
        const bool whole = context.valid_pixels == icetImageGetNumPixels(image) && !icetImageIsNull(image);
        if (whole && context.settings.features.at(ICET_GL_DISPLAY) &&
            icetImageGetColorFormat(image) != ICET_IMAGE_COLOR_NONE)
            source.show(*static_cast<const Image *>(image.opaque_internals));
        return image;
    });
}
