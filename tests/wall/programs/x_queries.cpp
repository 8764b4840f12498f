// Takes the size of its window, and of a subwindow, from the X server and from GLX, as programs do that have more than
// GLUT in them.
#include "scene.h"
#include <GL/glut.h>
#include <GL/glx.h>

#include <cstdio>

namespace {

int inner;

void write(int line, const char *text) {
    glColor3f(1, 1, 1);
    glRasterPos2i(7, 7 + 16 * line);
    for (; *text; ++text)
        glutBitmapCharacter(GLUT_BITMAP_8_BY_13, *text);
}

void display() {
    Display *const display = glXGetCurrentDisplay();
    const GLXDrawable window = glXGetCurrentDrawable();
    Window root = 0;
    int x = 0, y = 0;
    unsigned width = 1, height = 1, border = 0, depth = 0, across = 0, down = 0;
    XGetGeometry(display, window, &root, &x, &y, &width, &height, &border, &depth);
    XWindowAttributes attributes{};
    XGetWindowAttributes(display, window, &attributes);
    glXQueryDrawable(display, window, GLX_WIDTH, &across);
    glXQueryDrawable(display, window, GLX_HEIGHT, &down);
    const int w = static_cast<int>(width), h = static_cast<int>(height);
    glViewport(0, 0, w, h);
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(w, h, 71);
    glColor3f(0, 0, 0);
    glRecti(3, 3, 90, 40);
    char text[40];
    std::snprintf(text, sizeof text, "%dx%d", attributes.width, attributes.height);
    write(0, text);
    std::snprintf(text, sizeof text, "%ux%u", across, down);
    write(1, text);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(311, 213);
    const int outer = glutCreateWindow("X queries");
    glutDisplayFunc(display);
    inner = glutCreateSubWindow(outer, 120, 60, 130, 90);
    glutDisplayFunc(display);
    glutIdleFunc([] {
        glutPostWindowRedisplay(1);
        glutPostWindowRedisplay(inner);
    });
    glutMainLoop();
    return 0;
}
