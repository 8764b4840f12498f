// The little OpenGL 3.3 that the demos need: textures that can be drawn to, and shaders that draw every pixel of them.
#pragma once

#include "gl_api.h"
#include "picture.h"
#include "space.h"

#include <string>

namespace demo {

/// A 2D texture with its framebuffer object. Filtered linearly, without repetition.
class Texture {
  public:
    /// All zero. `format` is the internal format: GL_RGBA8, GL_RG32F, ...
    Texture(int width, int height, GLenum format);
    explicit Texture(const Picture &picture);
    ~Texture();
    Texture(Texture &&other) noexcept;
    Texture(const Texture &) = delete;
    Texture &operator=(const Texture &) = delete;

    GLuint name() const { return name_; }
    GLuint framebuffer() const { return framebuffer_; }
    int width() const { return width_; }
    int height() const { return height_; }
    /// What it holds; of a GL_RGBA8 texture.
    Picture picture() const;
    /// The same as RGBA floats, of a texture of any kind of colours.
    std::vector<float> floats() const;

  private:
    void make(GLenum format, const void *rgba);
    GLuint name_ = 0, framebuffer_ = 0;
    int width_ = 0, height_ = 0;
};

/// A fragment shader that is run for a rectangle of pixels. It finds its pixel in gl_FragCoord. Or, with its own vertex
/// shader, what triangles are drawn with.
class Shader {
  public:
    /// Sources without their version lines; throws what the compiler says.
    explicit Shader(const std::string &source);
    Shader(const std::string &vertex_source, const std::string &source);
    ~Shader();
    Shader(const Shader &) = delete;
    Shader &operator=(const Shader &) = delete;

    Shader &set(const char *uniform, int value);
    Shader &set(const char *uniform, int x, int y);
    Shader &set(const char *uniform, float value);
    Shader &set(const char *uniform, float x, float y);
    Shader &set(const char *uniform, const Point &point);
    Shader &set(const char *uniform, const Matrix &matrix);
    /// A sampler: binds the texture to that unit.
    Shader &set(const char *uniform, const Texture &texture, int unit = 0);
    /// For triangles that the caller draws.
    void use() const { glUseProgram(program_); }
    /// All pixels of `to`, or those of a rectangle.
    void draw(const Texture &to);
    void draw(const Texture &to, int x, int y, int width, int height);
    /// To a framebuffer by name.
    void draw(GLuint framebuffer, int x, int y, int width, int height);

  private:
    int find(const char *uniform);
    GLuint program_ = 0, vertices_ = 0;
};

/// Throws when OpenGL reports an error; `where` says after what.
void check_gl(const char *where);

} // namespace demo
