// Single buffered, as a third of all GLUT programs: the frame is the end of the display callback.
#include "scene.h"
#include <GL/glut.h>

namespace {

int shade;

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::cells(307, 211, static_cast<unsigned>(shade));
    glFlush();
}

void idle() {
    if (shade < 4)
        ++shade;
    glutPostRedisplay();
}

void reshape(int width, int height) {
    glViewport(0, 0, width, height);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    gluOrtho2D(-3, 312, -5, 215);
    glMatrixMode(GL_MODELVIEW);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_SINGLE | GLUT_RGB);
    glutInitWindowSize(315, 220);
    glutCreateWindow("single buffered");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
