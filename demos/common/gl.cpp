#include "gl.h"

#include "error.h"

#include <cstdio>
#include <string>
#include <utility>

namespace demo {

void check_gl(const char *where) {
    const GLenum error = glGetError();
    if (error == GL_NO_ERROR)
        return;
    char text[80];
    std::snprintf(text, sizeof text, "%s: OpenGL error 0x%04x", where, error);
    throw Error(text);
}

Texture::Texture(int width, int height, GLenum format) : width_(width), height_(height) { make(format, nullptr); }

Texture::Texture(const Picture &picture) : width_(picture.width), height_(picture.height) {
    make(GL_RGBA8, picture.rgba.data());
}

void Texture::make(GLenum format, const void *rgba) {
    glGenTextures(1, &name_);
    glBindTexture(GL_TEXTURE_2D, name_);
    glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(format), width_, height_, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glGenFramebuffers(1, &framebuffer_);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name_, 0);
    check_gl("making a texture");
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        throw Error("a texture that cannot be drawn to");
    if (!rgba) {
        glClearColor(0, 0, 0, 0);
        glClear(GL_COLOR_BUFFER_BIT);
    }
}

Texture::Texture(Texture &&other) noexcept
    : name_(std::exchange(other.name_, 0)), framebuffer_(std::exchange(other.framebuffer_, 0)), width_(other.width_),
      height_(other.height_) {}

Texture::~Texture() {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteTextures(1, &name_);
}

Picture Texture::picture() const {
    Picture result(width_, height_);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
    glReadPixels(0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, result.rgba.data());
    check_gl("reading a texture");
    return result;
}

std::vector<float> Texture::floats() const {
    std::vector<float> result(std::size_t{4} * width_ * height_);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
    glReadPixels(0, 0, width_, height_, GL_RGBA, GL_FLOAT, result.data());
    check_gl("reading a texture");
    return result;
}

namespace {

// A triangle that covers everything; the viewport cuts the rectangle out of it.
const char *const every_pixel = R"(
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }
)";

GLuint compile(GLenum kind, const std::string &source) {
    const GLuint shader = glCreateShader(kind);
    const std::string whole = "#version 330 core\n" + source;
    const char *text = whole.c_str();
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    GLint good = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (!good) {
        char log[2000] = "";
        glGetShaderInfoLog(shader, sizeof log, nullptr, log);
        throw Error(std::string("shader: ") + log);
    }
    return shader;
}

} // namespace

Shader::Shader(const std::string &source) : Shader(every_pixel, source) {}

Shader::Shader(const std::string &vertex_source, const std::string &source) {
    program_ = glCreateProgram();
    for (const GLuint shader : {compile(GL_VERTEX_SHADER, vertex_source), compile(GL_FRAGMENT_SHADER, source)}) {
        glAttachShader(program_, shader);
        glDeleteShader(shader);
    }
    glLinkProgram(program_);
    GLint good = 0;
    glGetProgramiv(program_, GL_LINK_STATUS, &good);
    if (!good) {
        char log[2000] = "";
        glGetProgramInfoLog(program_, sizeof log, nullptr, log);
        throw Error(std::string("shader: ") + log);
    }
    glGenVertexArrays(1, &vertices_);
}

Shader::~Shader() {
    glDeleteVertexArrays(1, &vertices_);
    glDeleteProgram(program_);
}

int Shader::find(const char *uniform) {
    glUseProgram(program_);
    return glGetUniformLocation(program_, uniform);
}

Shader &Shader::set(const char *uniform, int value) {
    glUniform1i(find(uniform), value);
    return *this;
}

Shader &Shader::set(const char *uniform, int x, int y) {
    glUniform2i(find(uniform), x, y);
    return *this;
}

Shader &Shader::set(const char *uniform, float value) {
    glUniform1f(find(uniform), value);
    return *this;
}

Shader &Shader::set(const char *uniform, float x, float y) {
    glUniform2f(find(uniform), x, y);
    return *this;
}

Shader &Shader::set(const char *uniform, const Point &point) {
    glUniform3fv(find(uniform), 1, point.data());
    return *this;
}

Shader &Shader::set(const char *uniform, const Matrix &matrix) {
    glUniformMatrix4fv(find(uniform), 1, GL_FALSE, matrix.data());
    return *this;
}

Shader &Shader::set(const char *uniform, const Texture &texture, int unit) {
    glUniform1i(find(uniform), unit);
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
    glBindTexture(GL_TEXTURE_2D, texture.name());
    return *this;
}

void Shader::draw(const Texture &to) { draw(to, 0, 0, to.width(), to.height()); }

void Shader::draw(const Texture &to, int x, int y, int width, int height) {
    draw(to.framebuffer(), x, y, width, height);
}

void Shader::draw(GLuint framebuffer, int x, int y, int width, int height) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(x, y, width, height);
    glUseProgram(program_);
    glBindVertexArray(vertices_);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    check_gl("drawing");
}

} // namespace demo
