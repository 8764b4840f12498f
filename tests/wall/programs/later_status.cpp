// Registers both callbacks for a window's visibility, in one order for the window and in the other for its subwindow:
// the later one counts. Each window's colour says which of the two have been called.
#include "scene.h"
#include <GL/freeglut.h>

namespace {

int inner;
bool told[3], told_status[3]; // by window

void display() {
    const int window = glutGetWindow();
    glClearColor(told[window] ? 0.9f : 0.2f, told_status[window] ? 0.9f : 0.2f, 0.4f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    scene::in_pixels(glutGet(GLUT_WINDOW_WIDTH), glutGet(GLUT_WINDOW_HEIGHT));
    scene::cells(glutGet(GLUT_WINDOW_WIDTH), 40, 5);
    scene::cells(40, glutGet(GLUT_WINDOW_HEIGHT), 6);
    glutSwapBuffers();
}

void visibility(int) { told[glutGetWindow()] = true; }
void status(int) { told_status[glutGetWindow()] = true; }

void idle() {
    glutPostWindowRedisplay(1);
    glutPostWindowRedisplay(inner);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(307, 211);
    const int outer = glutCreateWindow("later status");
    glutDisplayFunc(display);
    glutVisibilityFunc(visibility);
    glutWindowStatusFunc(status);
    inner = glutCreateSubWindow(outer, 90, 60, 150, 110);
    glutDisplayFunc(display);
    glutWindowStatusFunc(status);
    glutVisibilityFunc(visibility);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
