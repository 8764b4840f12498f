// A second top-level window that lies over the first one, across the middle; the viewport of each is its own, also when
// one is set from within the other's display callback.
#include "scene.h"
#include <GL/glut.h>

namespace {

int first, second;

void draw_first() {
    glClear(GL_COLOR_BUFFER_BIT);
    GLint box[4];
    glGetIntegerv(GL_VIEWPORT, box);
    scene::backdrop(box[2], box[3], 24);
    glutSwapBuffers();
}

void draw_second() {
    glClear(GL_COLOR_BUFFER_BIT);
    glViewport(5, 6, 70, 50);
    scene::backdrop(150, 100, 25);
    GLint box[4];
    glGetIntegerv(GL_VIEWPORT, box);
    glutSwapBuffers();
    if (box[0] == 5 && box[1] == 6) {
        glutSetWindow(first);
        glViewport(9, 8, glutGet(GLUT_WINDOW_WIDTH) - 20, glutGet(GLUT_WINDOW_HEIGHT) - 30);
        glutSetWindow(second);
    }
}

void idle() {
    glutSetWindow(first);
    glutPostRedisplay();
    glutSetWindow(second);
    glutPostRedisplay();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(331, 253);
    glutInitWindowPosition(0, 0);
    first = glutCreateWindow("first");
    glutDisplayFunc(draw_first);
    glutInitWindowSize(150, 100);
    glutInitWindowPosition(133, 71);
    second = glutCreateWindow("second");
    glutDisplayFunc(draw_second);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
