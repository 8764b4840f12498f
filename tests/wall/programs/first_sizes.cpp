// Three windows, and one size for all of them: that of the last reshape callback, as many programs keep it. Each window
// shows what it found in its first picture, and what it finds now, after two of the windows have got other sizes.
#include "scene.h"
#include <GL/freeglut.h>

#include <cstdio>

namespace {

int width, height, placed, inits, drawn;
char first[4][80]; // by window

void write(const char *text, int x, int y) {
    glColor3f(1, 1, 1);
    glRasterPos2i(x, y);
    for (; *text; ++text)
        glutBitmapCharacter(GLUT_BITMAP_8_BY_13, *text);
}

void display() {
    const int window = glutGetWindow();
    char now[80];
    std::snprintf(now, sizeof now, "%dx%d place of %d inits %d", width, height, placed, inits);
    if (!first[window][0])
        std::snprintf(first[window], sizeof first[window], "%s", now);
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 40 + static_cast<unsigned>(window));
    glColor3f(0, 0, 0);
    glRecti(3, 3, 215, 40);
    write(first[window], 7, 7);
    write(now, 7, 23);
    glutSwapBuffers();
    if (window == 1 && ++drawn == 4) {
        glutSetWindow(2);
        glutReshapeWindow(231, 173);
        glutSetWindow(3);
        glutReshapeWindow(217, 159);
        glutSetWindow(1);
    }
}

void reshape(int w, int h) {
    width = w;
    height = h;
    glViewport(0, 0, w, h);
}

void position(int, int) { placed = glutGetWindow(); }

void idle() {
    for (int window = 1; window <= 3; ++window)
        glutPostWindowRedisplay(window);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    for (int number = 0; number < 3; ++number) {
        glutInitWindowSize(303 - 40 * number, 203 - 20 * number);
        glutInitWindowPosition(60 * number, 40 * number);
        glutCreateWindow("first sizes");
        glutDisplayFunc(display);
        glutReshapeFunc(reshape);
        glutPositionFunc(position);
        glutInitContextFunc([] { ++inits; });
    }
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
