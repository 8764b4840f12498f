// The calls of icet_pixmpi_gl3.h: frames that a callback draws into textures.
#define GL_GLEXT_PROTOTYPES
#include "gl_picture.h"
#include "icet_pixmpi_gl3.h"

#include <GL/gl.h>
#include <GL/glext.h>
#include <string>

using namespace icet;

namespace {

/// A framebuffer object with colours and depths. A context of IceT's keeps it from frame to frame.
class Target {
  public:
    Target() { glGenFramebuffers(1, &framebuffer_); }
    ~Target() {
        glDeleteFramebuffers(1, &framebuffer_);
        glDeleteTextures(2, textures_);
    }
    Target(const Target &) = delete;
    Target &operator=(const Target &) = delete;
    GLuint framebuffer() const { return framebuffer_; }

    /// Of this size and these colours; it is bound.
    void make(int width, int height, IceTEnum color_format) {
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
        const GLenum colors = color_format == ICET_IMAGE_COLOR_RGBA_FLOAT || color_format == ICET_IMAGE_COLOR_RGB_FLOAT
                                  ? GL_RGBA32F
                                  : GL_RGBA8;
        if (width == width_ && height == height_ && colors == colors_)
            return;
        GLint bound = 0, buffer = 0;
        glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
        glGetIntegerv(GL_PIXEL_UNPACK_BUFFER_BINDING, &buffer);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0); // else null would be an offset
        glDeleteTextures(2, textures_);
        glGenTextures(2, textures_);
        for (int i = 0; i < 2; ++i) {
            glBindTexture(GL_TEXTURE_2D, textures_[i]);
            glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(i ? GL_DEPTH_COMPONENT32F : colors), width, height, 0,
                         i ? GL_DEPTH_COMPONENT : GL_RGBA, GL_FLOAT, nullptr);
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
            glFramebufferTexture2D(GL_FRAMEBUFFER, i ? GL_DEPTH_ATTACHMENT : GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                                   textures_[i], 0);
        }
        glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, static_cast<GLuint>(buffer));
        width_ = height_ = 0;
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
            throw Failure{ICET_OUT_OF_MEMORY, "OpenGL has no textures of " + std::to_string(width) + "x" +
                                                  std::to_string(height) + " pixels to draw into"};
        width_ = width;
        height_ = height;
        colors_ = colors;
    }

  private:
    GLuint framebuffer_ = 0, textures_[2] = {0, 0};
    int width_ = 0, height_ = 0;
    GLenum colors_ = 0;
};

/// What a frame changes of OpenGL's state, and puts back.
class Saved {
  public:
    Saved() {
        glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw_);
        glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read_);
        glGetIntegerv(GL_VIEWPORT, viewport_);
        glGetFloatv(GL_COLOR_CLEAR_VALUE, clear.color.data());
    }
    ~Saved() {
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw_));
        glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read_));
        glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
        const auto &color = clear.color;
        glClearColor(color[0], color[1], color[2], color[3]);
    }
    Saved(const Saved &) = delete;
    Saved &operator=(const Saved &) = delete;

    Background clear;

  private:
    GLint draw_ = 0, read_ = 0, viewport_[4] = {0, 0, 0, 0};
};

class ByTextures : public Source {
  public:
    ByTextures(Context &context, Target &target) : context_(context), target_(target) {}

    Drawn draw(const Wish &wish, Image &room) override {
        const double began = icetWallTime();
        target_.make(wish.part.width, wish.part.height, wish.formats.color);
        glViewport(0, 0, wish.part.width, wish.part.height);
        const auto &color = wish.background.color;
        glClearColor(color[0], color[1], color[2], color[3]);
        const IceTInt wanted[4] = {wish.wanted.x, wish.wanted.y, wish.wanted.width, wish.wanted.height};
        context_.settings.gl3_draw(wish.projection, wish.modelview, wanted, target_.framebuffer());
        glBindFramebuffer(GL_FRAMEBUFFER, target_.framebuffer());
        const double drawn = icetWallTime();
        context_.record.render += drawn - began;
        const GlPicture picture(GL_NONE, context_.communicator->comm, context_.rank());
        if (wish.stays)
            return {picture.planes(wish.formats), false};
        room.shape(wish.formats, wish.part.width, wish.part.height);
        if (!empty(wish.wanted))
            picture.read(wish.wanted.x, wish.wanted.y, wish.wanted, room);
        context_.record.read += icetWallTime() - drawn;
        return {room.planes(), true};
    }

  private:
    Context &context_;
    Target &target_;
};

void check_initialized(const Context &context) {
    if (!context.settings.gl3_initialized)
        throw Failure{ICET_INVALID_OPERATION, "called before icetGL3Initialize"};
}

} // namespace

void icetGL3Initialize(void) {
    const char *const call = "icetGL3Initialize";
    in_context(call, [&](Context &context) {
        if (context.settings.gl3_initialized)
            return icetInternalWarn(call, ICET_INVALID_OPERATION, "called before, for this context");
        context.settings.gl3_initialized = true;
    });
}

IceTBoolean icetGL3IsInitialized(void) {
    return in_context("icetGL3IsInitialized", IceTBoolean{ICET_FALSE},
                      [](Context &context) { return static_cast<IceTBoolean>(context.settings.gl3_initialized); });
}

void icetGL3DrawCallbackTexture(IceTGL3DrawCallbackTextureType callback) {
    in_context("icetGL3DrawCallbackTexture", [&](Context &context) {
        check_initialized(context);
        context.settings.gl3_draw = callback;
    });
}

IceTImage icetGL3DrawFrame(const IceTDouble *projection_matrix, const IceTDouble *modelview_matrix) {
    return in_context("icetGL3DrawFrame", icetImageNull(), [&](Context &context) {
        check_initialized(context);
        const Saved saved;
        View view{projection_matrix, modelview_matrix, saved.clear, {}, {}};
        if (!projection_matrix || !modelview_matrix)
            view.refused =
                Failure{ICET_INVALID_VALUE, !projection_matrix ? "projection_matrix: null" : "modelview_matrix: null"};
        if (!context.settings.gl3_draw)
            view.refused =
                Failure{ICET_INVALID_OPERATION, "no draw callback, expected one of icetGL3DrawCallbackTexture"};
        if (!context.gl_target)
            context.gl_target = std::make_shared<Target>();
        ByTextures source(context, *static_cast<Target *>(context.gl_target.get()));
        return icetInternalFrame(context, view, source);
    });
}
