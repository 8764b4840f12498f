// Escape calls exit(), as in nine programs of ten.
#include "scene.h"
#include <GL/glut.h>

#include <cstdlib>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
unsigned seed = 50;

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, seed);
    glutSwapBuffers();
}

void keyboard(unsigned char key, int, int) {
    if (key == 27)
        std::exit(0);
    seed += key;
    glutPostRedisplay();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(303, 203);
    glutCreateWindow("exit by key");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutKeyboardFunc(keyboard);
    glutMainLoop();
    return 0;
}
