#include "gl/present/correction.h"

#include "base/real.h"
#include "base/state.h"
#include "gl/present/over.h"
#include "gl/present/shown.h"
#include "run/report.h"

#include <GL/glext.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

namespace mpiglut::gl {
namespace {

/// Computed for each pixel, which gives 8 bit colours what a table of 256 entries would.
constexpr const char *vertex_text = "void main() {\n"
                                    "    gl_Position = gl_Vertex;\n"
                                    "    gl_TexCoord[0] = gl_MultiTexCoord0;\n"
                                    "}\n";
constexpr const char *fragment_text = "uniform sampler2D picture;\n"
                                      "uniform vec3 factor;\n"
                                      "uniform float exponent;\n"
                                      "void main() {\n"
                                      "    vec4 colour = texture2D(picture, gl_TexCoord[0].xy);\n"
                                      "    gl_FragColor = vec4(factor * pow(colour.rgb, vec3(exponent)), colour.a);\n"
                                      "}\n";

/// What a context needs for it.
struct Tools {
    GLuint program = 0, texture = 0;
    GLint factor = -1, exponent = -1;
    int width = 0, height = 0; ///< of the texture
    bool made = false;
};

std::mutex mutex; ///< of all below: the ticks set what another thread may draw
pixmpi::Correction wanted;
std::atomic<bool> active_here{false};

std::map<GLXContext, Tools> &tools() {
    static auto *const map = new std::map<GLXContext, Tools>; // outlives static destructors, like the windows
    return *map;
}

GLuint compile(GLenum type, const char *text) {
    const GLuint shader = glCreateShader(type);
    REAL(glShaderSource)(shader, 1, &text, nullptr);
    glCompileShader(shader);
    return shader;
}

void make(Tools &made) {
    made.made = true;
    if (!REAL(glShaderSource) || !REAL(glUseProgram))
        return;
    const GLuint program = glCreateProgram();
    for (const auto &[type, text] : {std::pair{GL_VERTEX_SHADER, vertex_text}, {GL_FRAGMENT_SHADER, fragment_text}}) {
        const GLuint shader = compile(static_cast<GLenum>(type), text);
        glAttachShader(program, shader);
        glDeleteShader(shader);
    }
    REAL(glLinkProgram)(program);
    GLint linked = 0;
    REAL(glGetProgramiv)(program, GL_LINK_STATUS, &linked);
    if (!linked)
        return glDeleteProgram(program);
    made.program = program;
    made.factor = glGetUniformLocation(program, "factor");
    made.exponent = glGetUniformLocation(program, "exponent");
    glGenTextures(1, &made.texture);
}

/// The picture as it is, in the texture, which is bound then.
void capture_picture(Tools &own, int width, int height) {
    glBindTexture(GL_TEXTURE_2D, own.texture);
    if (own.width != width || own.height != height) {
        const auto format = static_cast<GLint>(lossless_format());
        REAL(glTexImage2D)(GL_TEXTURE_2D, 0, format, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        own.width = width;
        own.height = height;
    }
    glReadBuffer(GL_BACK);
    REAL(glCopyTexSubImage2D)(GL_TEXTURE_2D, 0, 0, 0, 0, 0, width, height);
}

} // namespace

void set_correction(const pixmpi::Correction &correction) {
    const std::lock_guard lock(mutex);
    wanted = correction;
    active_here = correction != pixmpi::Correction{};
}

pixmpi::Correction correction() {
    const std::lock_guard lock(mutex);
    return wanted;
}

CorrectionTable table_of(const pixmpi::Correction &correction) {
    CorrectionTable table;
    const double colours[] = {correction.red, correction.green, correction.blue};
    for (std::size_t colour = 0; colour < table.size(); ++colour)
        for (std::size_t value = 0; value < 256; ++value) {
            const double share = correction.brightness * colours[colour] *
                                 std::pow(static_cast<double>(value) / 255, 1 / correction.gamma);
            table[colour][value] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
        }
    return table;
}

bool corrects() { return active_here.load(std::memory_order_relaxed); }

void correct_here(const Window &window) {
    const Untranslated untranslated;
    const std::lock_guard lock(mutex);
    Tools &own = tools()[glXGetCurrentContext()];
    if (!own.made)
        make(own);
    if (!own.program)
        return report_once(Report::note, "the tile's colours stay as they are: its OpenGL has no shaders");
    const int width = window.on_screen.width, height = window.on_screen.height;
    GLint bound = 0;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    capture_picture(own, width, height);
    glDrawBuffer(GL_BACK);
    REAL(glViewport)(0, 0, width, height);
    REAL(glUseProgram)(own.program);
    REAL(glUniform3f)
    (own.factor, static_cast<float>(wanted.brightness * wanted.red),
     static_cast<float>(wanted.brightness * wanted.green), static_cast<float>(wanted.brightness * wanted.blue));
    REAL(glUniform1f)(own.exponent, static_cast<float>(1 / wanted.gamma));
    glBegin(GL_QUADS);
    for (const auto &[x, y] : {std::pair{0.0f, 0.0f}, {1.0f, 0.0f}, {1.0f, 1.0f}, {0.0f, 1.0f}}) {
        glTexCoord2f(x, y);
        glVertex2f(2 * x - 1, 2 * y - 1);
    }
    glEnd();
    REAL(glUseProgram)(0);
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
}

void correct(Window &window) {
    in_own_context(window, [&window] { correct_here(window); });
}

void forget_correction(GLXContext context) {
    const std::lock_guard lock(mutex);
    tools().erase(context);
}

} // namespace mpiglut::gl
