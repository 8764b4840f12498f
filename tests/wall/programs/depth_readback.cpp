// Reads the depth and the stencil buffer back, whole and in pieces, and draws what it read as grey levels.
#include "scene.h"
#include <GL/glut.h>

#include <cstddef>
#include <vector>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;

void display() {
    glClearStencil(3);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glOrtho(0, width, 0, height, -100, 100);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glEnable(GL_STENCIL_TEST);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 12; ++i) {
        glStencilFunc(GL_ALWAYS, 10 + i, 0xff);
        glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
        scene::colour(scene::scramble(static_cast<unsigned>(i), 1));
        glBegin(GL_TRIANGLES);
        glVertex3i((i * 37) % width, (i * 91) % height, -80 + 13 * i);
        glVertex3i(width - (i * 53) % width, (i * 29) % height, 70 - 11 * i);
        glVertex3i((i * 71) % width, height - (i * 17) % height, 20);
        glEnd();
    }
    glDisable(GL_STENCIL_TEST);
    glDisable(GL_DEPTH_TEST);

    const auto count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    std::vector<GLfloat> depth(count);
    glReadPixels(0, 0, width, height, GL_DEPTH_COMPONENT, GL_FLOAT, depth.data());
    std::vector<GLubyte> stencil(count);
    glReadPixels(0, 0, width, height, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, stencil.data());

    scene::in_pixels(width, height);
    glPointSize(3);
    glBegin(GL_POINTS);
    for (int y = 2; y < height; y += 6) {
        for (int x = 2; x < width; x += 6) {
            const std::size_t at =
                static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
            glColor3f(depth[at], static_cast<GLfloat>(stencil[at]) / 25, 0.5f);
            glVertex2f(static_cast<GLfloat>(x) + 0.5f, static_cast<GLfloat>(y) + 0.5f);
        }
    }
    glEnd();
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH | GLUT_STENCIL);
    glutInitWindowSize(311, 233);
    glutCreateWindow("depth and stencil");
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
