// glutLeaveMainLoop from the idle callback; main goes on after the loop and returns.
#include "scene.h"
#include <GL/freeglut.h>

namespace {

int width = 1, height = 1;
unsigned step;

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 70 + step);
    glutSwapBuffers();
}

void idle() {
    if (++step == 4)
        glutLeaveMainLoop();
    else
        glutPostRedisplay();
}

void reshape(int w, int h) {
    width = w;
    height = h;
    glViewport(0, 0, w, h);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(303, 203);
    glutCreateWindow("leave");
    glutSetOption(GLUT_ACTION_ON_WINDOW_CLOSE, GLUT_ACTION_GLUTMAINLOOP_RETURNS);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
