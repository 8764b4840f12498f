// The mode pixels' computation in OpenGL.
#include "pixels/pixels_fill.h"

#include "fill_image.glsl.h"
#include "object/gl_format.h"
#include "object/object.h"

#include <array>

namespace {

/// The image's format in the shader and in OpenGL, by the words of a pixel.
struct Kind {
    const char *name;
    GLenum format;
};
Kind kind_of(int words) {
    return words == 1   ? Kind{"r32ui", GL_R32UI}
           : words == 2 ? Kind{"rgba16ui", GL_RGBA16UI}
                        : Kind{"rgba32ui", GL_RGBA32UI};
}

class GlFill final : public Fill {
  public:
    GlFill(const Object &object, GLuint texture, GLuint buffer, int steps)
        : object_(object), texture_(texture), buffer_(buffer), steps_(static_cast<GLuint>(steps)),
          words_(object.pixel_bytes / 4) {}
    ~GlFill() override {
        glUseProgram(0); // else it stays current, and goes when another one is
        glDeleteProgram(program_);
    }

    /// What is wrong, or nothing.
    std::string make() {
        GLint major = 0, minor = 0, stores = GL_NONE;
        glGetIntegerv(GL_MAJOR_VERSION, &major);
        glGetIntegerv(GL_MINOR_VERSION, &minor);
        if (major * 10 + minor < 43)
            return "OpenGL 4.3 is needed for compute shaders, this is " + std::to_string(major) + "." +
                   std::to_string(minor);
        if (texture_)
            glGetInternalformativ(GL_TEXTURE_2D, gl_internal_format(object_.format), GL_SHADER_IMAGE_STORE, 1, &stores);
        if (texture_ && stores == GL_NONE)
            return std::string("--format: compute shaders of this driver do not store to ") +
                   pixMPI_Format_name(object_.format);
        if (texture_ && gl_native(object_.format) != object_.format)
            return std::string("--format: textures keep ") + pixMPI_Format_name(object_.format) +
                   " in another order, expected " + pixMPI_Format_name(gl_native(object_.format));
        std::string start = "#version 430\n#define WORDS " + std::to_string(words_) + "\n";
        if (texture_)
            start += std::string("#define FORMAT ") + kind_of(words_).name + "\n";
        const std::array<const char *, 2> text = {start.c_str(), fill_image};
        program_ = glCreateShaderProgramv(GL_COMPUTE_SHADER, static_cast<GLsizei>(text.size()), text.data());
        GLint linked = 0;
        glGetProgramiv(program_, GL_LINK_STATUS, &linked);
        if (linked)
            return "";
        std::array<char, 300> log{};
        glGetProgramInfoLog(program_, static_cast<GLsizei>(log.size()) - 1, nullptr, log.data());
        return std::string("this driver does not compile shaders/fill_image.comp: ") + log.data();
    }

    void run(pixMPI_Rect rect, std::uint32_t seed) override {
        glUseProgram(program_);
        if (texture_)
            glBindImageTexture(0, texture_, 0, GL_FALSE, 0, GL_WRITE_ONLY, kind_of(words_).format);
        else
            glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer_);
        glUniform4i(0, rect.x, rect.y, rect.width, rect.height);
        glUniform4ui(1, seed, steps_, static_cast<GLuint>(object_.width), 0);
        glDispatchCompute(static_cast<GLuint>(rect.width + 7) / 8, static_cast<GLuint>(rect.height + 7) / 8, 1);
        glMemoryBarrier(GL_ALL_BARRIER_BITS);
    }
    void await() override { glFinish(); }

  private:
    const Object &object_;
    const GLuint texture_, buffer_, steps_;
    const int words_;
    GLuint program_ = 0;
};

} // namespace

std::unique_ptr<Fill> make_gl_fill(const Object &object, unsigned texture, unsigned buffer, int steps,
                                   std::string &problem) {
    auto fill = std::make_unique<GlFill>(object, buffer ? 0 : texture, buffer, steps);
    problem = fill_problem(object);
    if (problem.empty())
        problem = fill->make();
    return fill;
}
