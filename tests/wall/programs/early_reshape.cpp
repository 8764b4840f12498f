// Chooses another size between making the window and the main loop: the first picture has that size.
#include "scene.h"
#include <GL/glut.h>

namespace {

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    const int width = glutGet(GLUT_WINDOW_WIDTH), height = glutGet(GLUT_WINDOW_HEIGHT);
    scene::backdrop(width, height, 32);
    glutSwapBuffers();
}

void reshape(int w, int h) {
    glViewport(0, 0, w, h);
    glutPostRedisplay();
}

void idle() { glutPostRedisplay(); }

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(101, 67);
    glutCreateWindow("early reshape");
    glutDisplayFunc(display);
    glutReshapeFunc(reshape);
    glutReshapeWindow(403, 301);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
