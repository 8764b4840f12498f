// What GPUs take from blocks of 2x2 pixels: the level of a texture, and derivatives in a shader. A window inside the
// other one begins at an odd pixel of it.
#define GL_GLEXT_PROTOTYPES
#include "scene.h"
#include "shader.h"
#include <GL/glut.h>

#include <vector>

namespace {

const char *const vertex = "#version 120\n"
                           "varying vec2 at;\n"
                           "void main() { gl_Position = ftransform(); at = gl_Vertex.xy; }\n";
// Differences that change from pixel to pixel, so that it shows which two pixels were taken.
const char *const fragment = R"(#version 120
varying vec2 at;
void main() {
    vec2 bent = sin(at * at * 0.003);
    gl_FragColor = vec4(abs(dFdx(bent.x)), abs(dFdy(bent.y)), fwidth(bent.x * bent.y), 1.0) * 2.0;
}
)";

GLuint program, texture;
int outer = 0, inner = 0, displays = 0;

void make_here() {
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    std::vector<GLubyte> pixels(128 * 128 * 3);
    for (unsigned i = 0; i < pixels.size(); ++i)
        pixels[i] = static_cast<GLubyte>(64 + scene::scramble(i, 5) % 128);
    for (int level = 0, size = 128; size > 0; ++level, size /= 2)
        glTexImage2D(GL_TEXTURE_2D, level, GL_RGB8, size, size, 0, GL_RGB, GL_UNSIGNED_BYTE,
                     &pixels[static_cast<std::size_t>(level) * 37]);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
}

/// A floor that leads away from the viewer.
void floor(int width, int height) {
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glFrustum(-0.1, 0.1, -0.1, 0.1 * height / width, 0.1, 100);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glRotatef(17, 0, 1, 0);
    glBindTexture(GL_TEXTURE_2D, texture);
    glEnable(GL_TEXTURE_2D);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    glBegin(GL_QUADS);
    for (const auto &[x, z] : {std::pair{-40, -1}, {40, -1}, {40, -60}, {-40, -60}}) {
        glTexCoord2f(static_cast<GLfloat>(x) / 8, static_cast<GLfloat>(z) / 8);
        glVertex3f(static_cast<GLfloat>(x), -0.8f, static_cast<GLfloat>(z));
    }
    glEnd();
    glDisable(GL_TEXTURE_2D);
}

void display() {
    const int width = glutGet(GLUT_WINDOW_WIDTH), height = glutGet(GLUT_WINDOW_HEIGHT);
    glViewport(0, 0, width, height);
    glClear(GL_COLOR_BUFFER_BIT);
    if (glutGetWindow() == outer) {
        scene::in_pixels(width, height);
        glUseProgram(program);
        glRecti(0, height / 3, width, height);
        glUseProgram(0);
    }
    floor(width, height);
    glutSwapBuffers();
    if (++displays < 12)
        glutPostRedisplay();
}

void reshape(int width, int height) {
    glutSetWindow(inner);
    glutPositionWindow(width / 4 | 1, height / 3 | 1);
    glutReshapeWindow(width / 2, height / 2);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    outer = glutCreateWindow("derivatives");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    program = shader::link(vertex, fragment);
    make_here();
    inner = glutCreateSubWindow(outer, 101, 77, 200, 150);
    glutDisplayFunc(display);
    make_here();
    glutMainLoop();
    return 0;
}
