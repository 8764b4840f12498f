// A joystick moves a cross and its buttons colour it.
#include "scene.h"
#include <GL/glut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
int at_x, at_y, size = 20;
unsigned pressed;

void joystick(unsigned buttons, int x, int y, int z) {
    pressed = buttons;
    at_x = x / 10;
    at_y = y / 10;
    size = 20 + z / 20;
    glutPostRedisplay();
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 106);
    scene::colour(scene::scramble(pressed, 9));
    glRecti(width / 2 + at_x - size, 0, width / 2 + at_x + size, height);
    glRecti(0, height / 2 + at_y - size, width, height / 2 + at_y + size);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(303, 221);
    glutCreateWindow("joystick");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutJoystickFunc(joystick, 50);
    glutMainLoop();
    return 0;
}
