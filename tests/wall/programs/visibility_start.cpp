// Animates only while it is visible, as the gears and many demos after them do: the idle callback is set from the
// visibility callback.
#include "scene.h"
#include <GL/glut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
int step;

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 101);
    glColor3f(1, 1, 1);
    glRecti(20 + step * 31, 15, 60 + step * 31, height - 15);
    glutSwapBuffers();
}

void idle() {
    if (step < 6)
        ++step;
    glutPostRedisplay();
}

void visible(int state) { glutIdleFunc(state == GLUT_VISIBLE ? idle : nullptr); }

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("while visible");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutVisibilityFunc(visible);
    glutMainLoop();
    return 0;
}
