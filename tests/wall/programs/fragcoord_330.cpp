// gl_FragCoord in GLSL 3.30 with the origin redeclared: upper left, pixel centres at integers, both and neither.
#define GL_GLEXT_PROTOTYPES
#include "scene.h"
#include "shader.h"
#include <GL/glut.h>

#include <string>

namespace {

const char *const vertex = "#version 330 compatibility\nvoid main() { gl_Position = gl_Vertex; }\n";
const char *const layouts[4] = {"", "layout(origin_upper_left) in vec4 gl_FragCoord;\n",
                                "layout(pixel_center_integer) in vec4 gl_FragCoord;\n",
                                "layout(origin_upper_left, pixel_center_integer) in vec4 gl_FragCoord;\n"};
const char *const body = R"(
layout(location = 0) out vec4 colour;
uniform vec3 tint;
void main() {
    vec2 p = gl_FragCoord.xy;
    float fine = mod(floor(p.x / 3.0) + floor(p.y / 2.0), 2.0);
    float coarse = mod(floor(p.x / 29.0) + 2.0 * floor(p.y / 37.0), 3.0) / 2.0;
    float half_pixel = fract(p.x) > 0.25 ? 1.0 : 0.0;
    colour = vec4(tint * (0.25 + 0.75 * coarse) + vec3(0.0, 0.2 * fine, 0.3 * half_pixel), 1.0);
}
)";
GLuint programs[4];

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    for (int i = 0; i < 4; ++i) {
        glUseProgram(programs[i]);
        glUniform3f(glGetUniformLocation(programs[i], "tint"), 0.3f + 0.1f * static_cast<GLfloat>(i), 0.6f,
                    0.7f - 0.2f * static_cast<GLfloat>(i));
        const GLfloat x = i % 2 ? 0.03f : -1, y = i / 2 ? 0.07f : -1;
        glRectf(x, y, x + 0.96f, y + 0.93f);
    }
    glUseProgram(0);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("fragment coordinates, 3.30");
    for (int i = 0; i < 4; ++i)
        programs[i] = shader::link(vertex, (std::string("#version 330 core\n") + layouts[i] + body).c_str());
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
