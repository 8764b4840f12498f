// Animates in glutTimerFunc callbacks, two of them of different periods that set themselves again.
#include "scene.h"
#include <GL/glut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
int fast, slow;

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 42);
    glColor3f(1, 1, 1);
    glRecti(fast * 23, 10, fast * 23 + width / 5, height / 2 - 5);
    glColor3f(1, 0.9f, 0);
    glRecti(slow * 37, height / 2 + 5, slow * 37 + width / 5, height - 10);
    glutSwapBuffers();
}

void tick(int which) {
    // The slow one counts every third call of the fast one, so that the picture depends on no clock's pace.
    if (fast < 9) {
        ++fast;
        slow = fast / which;
        glutTimerFunc(20, tick, 3);
    } else {
        glutTimerFunc(40, tick, 3);
    }
    glutPostRedisplay();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("timers");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutTimerFunc(20, tick, 3);
    glutMainLoop();
    return 0;
}
