// gl_FragCoord in GLSL 1.30, source given in several strings with lengths, two programs alternately.
#define GL_GLEXT_PROTOTYPES
#include "scene.h"
#include "shader.h"
#include <GL/glut.h>

#include <cstring>

namespace {

const char *const vertex = "#version 130\nin vec2 corner;\nvoid main() { gl_Position = vec4(corner, 0.0, 1.0); }\n";
const char *const stripes[3] = {
    "#version 130\nout vec4 colour;\n", "float bands(float along) { return mod(floor(along / 11.0), 2.0); }\n",
    "void main() { ivec2 p = ivec2(gl_FragCoord); colour = vec4(bands(gl_FragCoord.x), "
    "bands(gl_FragCoord.y + gl_FragCoord.x), float((p.x ^ p.y) & 31) / 31.0, 1.0); }garbage"};
const char *const depth = "#version 130\nout vec4 colour;\nvoid main() {\n"
                          "  if (mod(gl_FragCoord.x, 5.0) > 2.0 && mod(gl_FragCoord.y, 7.0) > 3.0) discard;\n"
                          "  colour = vec4(vec3(gl_FragCoord.z), gl_FragCoord.w);\n}\n";
GLuint programs[2];

GLuint link_in_pieces() {
    const GLuint v = shader::compile(GL_VERTEX_SHADER, vertex);
    const GLuint f = glCreateShader(GL_FRAGMENT_SHADER);
    const GLint lengths[3] = {-1, static_cast<GLint>(std::strlen(stripes[1])),
                              static_cast<GLint>(std::strlen(stripes[2]) - 7)};
    glShaderSource(f, 3, const_cast<const GLchar **>(stripes), lengths);
    glCompileShader(f);
    const GLuint program = glCreateProgram();
    glAttachShader(program, v);
    glAttachShader(program, f);
    glBindAttribLocation(program, 0, "corner");
    glLinkProgram(program);
    return program;
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(programs[0]);
    glRectf(-1, -1, 1, 1);
    glUseProgram(programs[1]);
    glBegin(GL_TRIANGLES);
    glVertex2f(-0.9f, -0.7f);
    glVertex2f(0.95f, 0.1f);
    glVertex2f(-0.2f, 0.9f);
    glEnd();
    glUseProgram(0);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(357, 283);
    glutCreateWindow("fragment coordinates, 1.30");
    programs[0] = link_in_pieces();
    const GLuint v = shader::compile(GL_VERTEX_SHADER, vertex);
    programs[1] = glCreateProgram();
    glAttachShader(programs[1], v);
    glAttachShader(programs[1], shader::compile(GL_FRAGMENT_SHADER, depth));
    glBindAttribLocation(programs[1], 0, "corner");
    glLinkProgram(programs[1]);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
