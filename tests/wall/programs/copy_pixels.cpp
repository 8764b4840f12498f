// glCopyPixels between tiles, overlapping, zoomed, mirrored, of depth, and of depth and stencil as colours.
#include "scene.h"
#include <GL/glut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;

void display() {
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    scene::backdrop(width, height, 6);
    glRasterPos2i(width / 2 + 3, height / 2 + 5);
    glCopyPixels(2, 3, width / 3, height / 3, GL_COLOR);
    glRasterPos2i(20, height / 2);
    glCopyPixels(width / 2 - 20, 10, 111, 77, GL_COLOR);
    glRasterPos2i(60, 60); // onto a part of itself
    glCopyPixels(40, 45, 150, 100, GL_COLOR);
    glPixelZoom(2, 3);
    glRasterPos2i(width / 2 - 20, 15);
    glCopyPixels(width - 40, height - 30, 33, 21, GL_COLOR);
    glPixelZoom(-1, 1);
    glRasterPos2i(width - 3, 90);
    glCopyPixels(0, height - 50, 90, 45, GL_COLOR);
    glPixelZoom(1, 1);

    // A wedge of depth, copied elsewhere, then shown by what passes it.
    glEnable(GL_DEPTH_TEST);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    glBegin(GL_TRIANGLES);
    glVertex3f(10, 10, 0.9f);
    glVertex3f(110, 20, 0.9f);
    glVertex3f(50, 100, 0.9f);
    glEnd();
    glDepthFunc(GL_ALWAYS);
    glRasterPos2i(width - 170, height - 130);
    glCopyPixels(5, 5, 120, 110, GL_DEPTH);
    glDepthFunc(GL_LESS);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glColor3f(1, 1, 0.2f);
    glBegin(GL_QUADS);
    glVertex3f(static_cast<float>(width) - 175, static_cast<float>(height) - 135, 0);
    glVertex3f(static_cast<float>(width) - 40, static_cast<float>(height) - 135, 0);
    glVertex3f(static_cast<float>(width) - 40, static_cast<float>(height) - 10, 0);
    glVertex3f(static_cast<float>(width) - 175, static_cast<float>(height) - 10, 0);
    glEnd();
    glDisable(GL_DEPTH_TEST);
    glRasterPos2i(width / 2 - 30, height - 125);
    glCopyPixels(5, 5, 110, 100, GL_DEPTH_STENCIL_TO_RGBA_NV); // an error where the driver has no such copies
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH | GLUT_STENCIL);
    glutInitWindowSize(403, 301);
    glutCreateWindow("copy pixels");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
