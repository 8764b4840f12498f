// A multisampled window, if one is available: smooth edges, and a copy of them.
#include "scene.h"
#include <GL/freeglut.h>

#ifndef GL_MULTISAMPLE
#define GL_MULTISAMPLE 0x809D
#endif

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;

void display() {
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_MULTISAMPLE);
    scene::backdrop(width, height, 103);
    for (int i = 0; i < 9; ++i) {
        scene::colour(scene::scramble(static_cast<unsigned>(i), 104));
        glBegin(GL_TRIANGLES);
        glVertex2f(static_cast<GLfloat>(i * width) / 9.3f, 12.7f + static_cast<GLfloat>(5 * i));
        glVertex2f(static_cast<GLfloat>(width) - 20.2f * static_cast<GLfloat>(i), static_cast<GLfloat>(height) / 2.1f);
        glVertex2f(static_cast<GLfloat>(width) / 3.1f + 9.4f * static_cast<GLfloat>(i),
                   static_cast<GLfloat>(height) - 8.3f);
        glEnd();
    }
    // A copy of the middle, smooth edges and all.
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, width / 2 - 64, height / 2 - 50, 128, 100, 0);
    glEnable(GL_TEXTURE_2D);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    glBegin(GL_QUADS);
    const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (const auto &c : corner) {
        glTexCoord2i(c[0], c[1]);
        glVertex2i(12 + c[0] * 128, 17 + c[1] * 100);
    }
    glEnd();
    glDisable(GL_TEXTURE_2D);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutSetOption(GLUT_MULTISAMPLE, 4);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH | GLUT_MULTISAMPLE);
    if (!glutGet(GLUT_DISPLAY_MODE_POSSIBLE))
        glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH);
    glutInitWindowSize(403, 301);
    glutCreateWindow("multisample");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
