// Leaves through exit() in the middle of a display callback: the last picture is the one before.
#include "scene.h"
#include <GL/glut.h>

#include <cstdlib>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
unsigned drawn;

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 45 + drawn);
    if (drawn == 4)
        std::exit(0);
    glutSwapBuffers();
    ++drawn;
    glutPostRedisplay();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(303, 203);
    glutCreateWindow("exit in display");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
