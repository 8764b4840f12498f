// What the X11 programs draw: by functions that desktop GL and OpenGL ES 2 have, which the program looks up in its way.
// It depends on window coordinates in every way that there is: viewport, scissor, gl_FragCoord, reads.
#pragma once

#include <GL/gl.h>
#include <GL/glext.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace scene {

using Lookup = void *(*)(const char *name);

#define SCENE_FUNCTIONS(X)                                                                                             \
    X(void, glViewport, (GLint, GLint, GLsizei, GLsizei))                                                              \
    X(void, glScissor, (GLint, GLint, GLsizei, GLsizei))                                                               \
    X(void, glEnable, (GLenum))                                                                                        \
    X(void, glDisable, (GLenum))                                                                                       \
    X(void, glClearColor, (GLfloat, GLfloat, GLfloat, GLfloat))                                                        \
    X(void, glClear, (GLbitfield))                                                                                     \
    X(void, glReadPixels, (GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *))                                    \
    X(void, glPixelStorei, (GLenum, GLint))                                                                            \
    X(GLenum, glGetError, ())                                                                                          \
    X(GLuint, glCreateShader, (GLenum))                                                                                \
    X(void, glShaderSource, (GLuint, GLsizei, const GLchar *const *, const GLint *))                                   \
    X(void, glCompileShader, (GLuint))                                                                                 \
    X(GLuint, glCreateProgram, ())                                                                                     \
    X(void, glAttachShader, (GLuint, GLuint))                                                                          \
    X(void, glBindAttribLocation, (GLuint, GLuint, const GLchar *))                                                    \
    X(void, glLinkProgram, (GLuint))                                                                                   \
    X(void, glGetProgramiv, (GLuint, GLenum, GLint *))                                                                 \
    X(void, glUseProgram, (GLuint))                                                                                    \
    X(GLint, glGetUniformLocation, (GLuint, const GLchar *))                                                           \
    X(void, glUniform4f, (GLint, GLfloat, GLfloat, GLfloat, GLfloat))                                                  \
    X(void, glVertexAttribPointer, (GLuint, GLint, GLenum, GLboolean, GLsizei, const void *))                          \
    X(void, glEnableVertexAttribArray, (GLuint))                                                                       \
    X(void, glDrawArrays, (GLenum, GLint, GLsizei))

struct Functions {
#define MEMBER(result, name, parameters) result(*name) parameters = nullptr;
    SCENE_FUNCTIONS(MEMBER)
#undef MEMBER
};

inline Functions look_up(Lookup lookup) {
    Functions gl;
#define FIND(result, name, parameters)                                                                                 \
    gl.name = reinterpret_cast<result(*) parameters>(lookup(#name));                                                   \
    if (!gl.name) {                                                                                                    \
        std::fprintf(stderr, "no function " #name "\n");                                                               \
        std::exit(1);                                                                                                  \
    }
    SCENE_FUNCTIONS(FIND)
#undef FIND
    return gl;
}

constexpr const char *vertex_text = "attribute vec2 at; void main() { gl_Position = vec4(at, 0.0, 1.0); }";
// Squares of eight pixels, in a colour.
constexpr const char *fragment_text = "#ifdef GL_ES\n"
                                      "precision highp float;\n"
                                      "#endif\n"
                                      "uniform vec4 colour;\n"
                                      "void main() {\n"
                                      "    vec2 square = floor(gl_FragCoord.xy / 8.0);\n"
                                      "    float odd = mod(square.x + square.y, 2.0);\n"
                                      "    gl_FragColor = vec4(colour.rgb * (0.5 + 0.5 * odd), 1.0);\n"
                                      "}\n";

class Scene {
  public:
    explicit Scene(Lookup lookup) : gl_(look_up(lookup)), program_(gl_.glCreateProgram()) {
        add(GL_VERTEX_SHADER, vertex_text);
        add(GL_FRAGMENT_SHADER, fragment_text);
        gl_.glBindAttribLocation(program_, 0, "at");
        gl_.glLinkProgram(program_);
        GLint linked = 0;
        gl_.glGetProgramiv(program_, GL_LINK_STATUS, &linked);
        if (!linked) {
            std::fprintf(stderr, "the program cannot be linked\n");
            std::exit(1);
        }
        gl_.glUseProgram(program_);
        colour_ = gl_.glGetUniformLocation(program_, "colour");
    }

    /// Nothing of it depends on the time.
    void draw(int frame, int width, int height) {
        gl_.glViewport(0, 0, width, height);
        gl_.glClearColor(0.1f, 0.2f, 0.3f, 1);
        gl_.glClear(GL_COLOR_BUFFER_BIT);
        gl_.glEnable(GL_SCISSOR_TEST);
        gl_.glScissor(width / 3, height / 3, width / 2, height / 4);
        gl_.glClearColor(0.8f, 0.6f, 0, 1);
        gl_.glClear(GL_COLOR_BUFFER_BIT);
        gl_.glDisable(GL_SCISSOR_TEST);
        gl_.glUniform4f(colour_, 0.2f, 1, 0.4f, 1);
        triangle(-0.9f + 0.05f * static_cast<float>(frame), -0.8f, 0.9f, -0.5f, -0.2f, 0.9f);
        gl_.glViewport(width / 2 + 3, height / 2 - 5, width / 3, height / 3);
        gl_.glUniform4f(colour_, 1, 0.3f, 0.3f, 1);
        triangle(-1, -1, 1, -1, 0, 1);
        gl_.glViewport(0, 0, width, height);
        // What is drawn now has the colour of a pixel that one tile alone has.
        GLubyte pixel[4] = {};
        gl_.glReadPixels(width / 3 + 2, height / 3 + 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        gl_.glUniform4f(colour_, static_cast<float>(pixel[0]) / 255, static_cast<float>(pixel[1]) / 255,
                        static_cast<float>(pixel[2]) / 255, 1);
        triangle(0.5f, 0.6f, 0.9f, 0.6f, 0.9f, 0.95f);
        if (const GLenum error = gl_.glGetError()) {
            std::fprintf(stderr, "frame %d: GL has the error 0x%x\n", frame, error);
            std::exit(1);
        }
    }

    /// A PPM file of the back buffer.
    bool write(const char *file, int width, int height) {
        std::vector<GLubyte> pixels(static_cast<std::size_t>(width) * height * 4);
        gl_.glPixelStorei(GL_PACK_ALIGNMENT, 1);
        gl_.glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
        std::FILE *out = std::fopen(file, "wb");
        if (!out)
            return false;
        std::fprintf(out, "P6\n%d %d\n255\n", width, height);
        for (int y = height - 1; y >= 0; --y)
            for (int x = 0; x < width; ++x)
                std::fwrite(&pixels[(static_cast<std::size_t>(y) * width + x) * 4], 1, 3, out);
        return std::fclose(out) == 0;
    }

  private:
    void add(GLenum kind, const char *text) {
        const GLuint shader = gl_.glCreateShader(kind);
        gl_.glShaderSource(shader, 1, &text, nullptr);
        gl_.glCompileShader(shader);
        gl_.glAttachShader(program_, shader);
    }
    void triangle(float x0, float y0, float x1, float y1, float x2, float y2) {
        const float corners[6] = {x0, y0, x1, y1, x2, y2};
        gl_.glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
        gl_.glEnableVertexAttribArray(0);
        gl_.glDrawArrays(GL_TRIANGLES, 0, 3);
    }

    Functions gl_;
    GLuint program_;
    GLint colour_ = 0;
};

/// A size before and after the window is resized; both have odd sides.
constexpr int first_width = 321, first_height = 243, last_width = 405, last_height = 199, frames_of_each = 4;

} // namespace scene
