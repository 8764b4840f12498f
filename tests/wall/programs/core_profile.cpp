// OpenGL 3.3 core profile: vertex arrays and shaders, every GL function from a loader, none linked.
#include "core_loader.h"
#include <GL/freeglut.h>

namespace {

const char *const vertex = R"(#version 330 core
layout(location = 0) in vec2 place;
layout(location = 1) in vec3 tint;
out vec3 shade;
void main() { gl_Position = vec4(place, 0.0, 1.0); shade = tint; }
)";
const char *const fragment = R"(#version 330 core
in vec3 shade;
out vec4 colour;
uniform vec2 window;
void main() {
    vec2 at = gl_FragCoord.xy / window;
    float ring = step(0.5, fract(distance(at, vec2(0.37, 0.61)) * 17.0));
    colour = vec4(shade * (0.6 + 0.4 * ring), 1.0);
}
)";
constexpr int columns = 14, rows = 11;
GLuint program;

unsigned noise(unsigned i) {
    i = (i ^ 61u) ^ (i >> 16);
    i *= 9u;
    i ^= i >> 4;
    i *= 0x27d4eb2du;
    return i ^ (i >> 15);
}

GLuint compile(GLenum kind, const char *text) {
    const GLuint name = loader::CreateShader(kind);
    loader::ShaderSource(name, 1, &text, nullptr);
    loader::CompileShader(name);
    GLint ok = 0;
    loader::GetShaderiv(name, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[1000] = "";
        loader::GetShaderInfoLog(name, sizeof log, nullptr, log);
        std::fprintf(stderr, "%s\n", log);
        std::exit(3);
    }
    return name;
}

void set_up() {
    program = loader::CreateProgram();
    loader::AttachShader(program, compile(GL_VERTEX_SHADER, vertex));
    loader::AttachShader(program, compile(GL_FRAGMENT_SHADER, fragment));
    loader::LinkProgram(program);
    static GLfloat data[columns * rows * 6 * 5];
    GLfloat *at = data;
    for (int y = 0; y < rows; ++y) {
        for (int x = 0; x < columns; ++x) {
            const int corners[6][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 1}};
            for (int i = 0; i < 6; ++i) {
                const unsigned h = noise(static_cast<unsigned>((y * columns + x) * 2 + i / 3));
                *at++ = static_cast<GLfloat>(x + corners[i][0]) * 2 / columns - 1;
                *at++ = static_cast<GLfloat>(y + corners[i][1]) * 2 / rows - 1;
                for (int c = 0; c < 3; ++c)
                    *at++ = static_cast<GLfloat>((h >> (8 * c)) & 255) / 255;
            }
        }
    }
    GLuint array = 0, buffer = 0;
    loader::GenVertexArrays(1, &array);
    loader::BindVertexArray(array);
    loader::GenBuffers(1, &buffer);
    loader::BindBuffer(GL_ARRAY_BUFFER, buffer);
    loader::BufferData(GL_ARRAY_BUFFER, sizeof data, data, GL_STATIC_DRAW);
    loader::VertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 5 * sizeof(GLfloat), nullptr);
    loader::VertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, 5 * sizeof(GLfloat),
                                reinterpret_cast<void *>(2 * sizeof(GLfloat)));
    loader::EnableVertexAttribArray(0);
    loader::EnableVertexAttribArray(1);
}

void display() {
    GLint box[4];
    loader::GetIntegerv(GL_VIEWPORT, box);
    loader::Clear(GL_COLOR_BUFFER_BIT);
    loader::UseProgram(program);
    loader::Uniform2f(loader::GetUniformLocation(program, "window"), static_cast<GLfloat>(box[2]),
                      static_cast<GLfloat>(box[3]));
    loader::DrawArrays(GL_TRIANGLES, 0, columns * rows * 6);
    loader::Enable(GL_SCISSOR_TEST);
    loader::Scissor(box[2] / 3, box[3] / 3, box[2] / 3 + 20, box[3] / 3);
    loader::ClearColor(0.1f, 0.2f, 0.3f, 1);
    loader::Clear(GL_COLOR_BUFFER_BIT);
    loader::Disable(GL_SCISSOR_TEST);
    loader::Viewport(box[2] / 3 + 9, box[3] / 3 + 7, box[2] / 3, box[3] / 3 - 20);
    loader::DrawArrays(GL_TRIANGLES, 0, columns * rows * 6);
    loader::Viewport(0, 0, box[2], box[3]);
    glutSwapBuffers();
}

void reshape(int w, int h) { loader::Viewport(0, 0, w, h); }

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitContextVersion(3, 3);
    glutInitContextProfile(GLUT_CORE_PROFILE);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGBA);
    glutInitWindowSize(403, 301);
    glutCreateWindow("core profile");
    loader::load();
    set_up();
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
