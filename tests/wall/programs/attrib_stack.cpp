// glPushAttrib and glPopAttrib of viewport, scissor, stipple and raster position, nested, and of everything at once.
#include "scene.h"
#include <GL/glut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;

void mark(unsigned seed) {
    scene::in_pixels(100, 100);
    scene::cells(100, 100, seed, 13, 19);
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 17);
    glRasterPos2i(width / 2 + 17, 20);

    glPushAttrib(GL_VIEWPORT_BIT);
    glViewport(10, 10, width / 3, height / 4);
    mark(1);
    glPushAttrib(GL_VIEWPORT_BIT | GL_SCISSOR_BIT);
    glViewport(width / 2, height / 2, width / 3, height / 3);
    glEnable(GL_SCISSOR_TEST);
    glScissor(width / 2 + 9, height / 2 + 5, width / 5, height / 4);
    mark(2);
    glPopAttrib();
    mark(3); // back in the first viewport, without scissor
    glPushAttrib(GL_ALL_ATTRIB_BITS);
    glViewport(width - 95, 13, 83, 91);
    glRasterPos2i(50, 50);
    glColor3f(1, 1, 1);
    mark(4);
    glPopAttrib();
    glPopAttrib();

    scene::in_pixels(width, height);
    glColor3f(1, 1, 0);
    glRecti(width / 5, height - 40, width - width / 5, height - 30); // the whole window's viewport is back
    for (const char *c = "raster position kept"; *c; ++c)
        glutBitmapCharacter(GLUT_BITMAP_8_BY_13, *c);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("attribute stack");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
