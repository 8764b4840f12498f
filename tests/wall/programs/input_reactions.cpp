// Everything input can do: each callback leaves a mark where it happened, with the modifiers in its colour.
#include "scene.h"
#include <GL/freeglut.h>

#include <vector>

namespace {

struct Mark {
    unsigned kind;
    int x, y;
    unsigned value;
    int modifiers;
};
std::vector<Mark> marks;
using scene::window::height, scene::window::reshape, scene::window::width;

void note(unsigned kind, int x, int y, int value) {
    marks.push_back({kind, x, y, static_cast<unsigned>(value), glutGetModifiers()});
    glutPostRedisplay();
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 90);
    int i = 0;
    for (const Mark &mark : marks) {
        const int x = mark.x, y = height - mark.y, size = 6 + 2 * static_cast<int>(mark.kind);
        scene::colour(scene::scramble(mark.kind * 1000 + mark.value, static_cast<unsigned>(mark.modifiers)));
        glBegin(GL_QUADS);
        glVertex2i(x - size, y);
        glVertex2i(x, y - size);
        glVertex2i(x + size, y);
        glVertex2i(x, y + size);
        glEnd();
        glRecti(4 + 9 * i, 3, 11 + 9 * i, 20 + static_cast<int>(mark.kind) * 3); // and the order they came in
        ++i;
    }
    glutSwapBuffers();
}

void keyboard(unsigned char key, int x, int y) { note(1, x, y, key); }
void keyboard_up(unsigned char key, int x, int y) { note(2, x, y, key); }
void special(int key, int x, int y) { note(3, x, y, key); }
void special_up(int key, int x, int y) { note(4, x, y, key); }
void mouse(int button, int state, int x, int y) { note(5, x, y, button * 2 + state); }
void motion(int x, int y) { note(6, x, y, 0); }
void passive(int x, int y) { note(7, x, y, 0); }
void wheel(int number, int direction, int x, int y) { note(8, x, y, number * 3 + direction + 1); }
void entry(int state) {
    marks.push_back({9, width / 2, height / 2 + state * 20, static_cast<unsigned>(state), 0});
    glutPostRedisplay();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("input");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutKeyboardFunc(keyboard);
    glutKeyboardUpFunc(keyboard_up);
    glutSpecialFunc(special);
    glutSpecialUpFunc(special_up);
    glutMouseFunc(mouse);
    glutMotionFunc(motion);
    glutPassiveMotionFunc(passive);
    glutMouseWheelFunc(wheel);
    glutEntryFunc(entry);
    glutMainLoop();
    return 0;
}
