// Goes full screen before the first picture, as many demos do; the screen is the wall.
#include "scene.h"
#include <GL/glut.h>

namespace {

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    const int width = glutGet(GLUT_WINDOW_WIDTH), height = glutGet(GLUT_WINDOW_HEIGHT);
    scene::backdrop(width, height, 29);
    glColor3f(1, 1, 1);
    glRecti(width - 30, height - 20, width - 10, height - 5);
    glutSwapBuffers();
}

void reshape(int w, int h) { glViewport(0, 0, w, h); }

void idle() { glutPostRedisplay(); }

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(200, 150);
    glutCreateWindow("full screen");
    glutFullScreen();
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
