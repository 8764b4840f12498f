// The program resizes its own window while it runs, and shows the sizes it was told of.
#include "scene.h"
#include <GL/glut.h>

#include <cstdio>

namespace {

int width = 1, height = 1, drawn;
char last[40];

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 27);
    glColor3f(0, 0, 0);
    glRecti(5, 5, 130, 25);
    glColor3f(1, 1, 1);
    glRasterPos2i(9, 9);
    for (const char *c = last; *c; ++c)
        glutBitmapCharacter(GLUT_BITMAP_8_BY_13, *c);
    glutSwapBuffers();
    ++drawn;
    if (drawn == 2)
        glutReshapeWindow(251, 333);
    else if (drawn == 6)
        glutReshapeWindow(401, 267);
}

void reshape(int w, int h) {
    width = w;
    height = h;
    glViewport(0, 0, w, h);
    std::snprintf(last, sizeof last, "%dx%d", w, h);
}

void idle() { glutPostRedisplay(); }

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(303, 221);
    glutCreateWindow("reshape in the run");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
