// Menus and submenus, one of them changed in the run; entries are chosen through the recorded input.
#include "scene.h"
#include <GL/glut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
unsigned seed = 31;
int bars, main_menu;

void colours(int value) {
    seed = 100 + static_cast<unsigned>(value);
    glutPostRedisplay();
}

void choose(int value) {
    bars += value;
    if (value == 3) {
        glutSetMenu(main_menu);
        glutChangeToMenuEntry(1, "one bar, really", 5);
    }
    glutPostRedisplay();
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, seed);
    glColor3f(1, 1, 1);
    for (int i = 0; i < bars; ++i)
        glRecti(10 + 25 * i, 20, 25 + 25 * i, height - 20);
    glutSetMenu(main_menu);
    glColor3f(1, 1, 0);
    glRecti(0, 5, 20 * glutGet(GLUT_MENU_NUM_ITEMS), 12);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(347, 263);
    glutCreateWindow("menus");
    const int colour_menu = glutCreateMenu(colours);
    glutAddMenuEntry("red", 1);
    glutAddMenuEntry("green", 2);
    main_menu = glutCreateMenu(choose);
    glutAddMenuEntry("one bar", 1);
    glutAddMenuEntry("three bars", 3);
    glutAddSubMenu("colours", colour_menu);
    glutAttachMenu(GLUT_RIGHT_BUTTON);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
