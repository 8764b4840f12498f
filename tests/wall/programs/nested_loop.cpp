// Callbacks that run the main loop from within, as a program does that waits or fades in the middle of one, and go on
// to read the window and to draw afterwards; one of them has its own window closed meanwhile.
#include "scene.h"
#include <GL/freeglut.h>

#include <vector>

namespace {

int main_window, pane, shade, depth;
std::vector<unsigned> marks;

void display() {
    const int width = glutGet(GLUT_WINDOW_WIDTH), height = glutGet(GLUT_WINDOW_HEIGHT);
    glViewport(0, 0, width, height);
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 120 + static_cast<unsigned>(shade));
    int x = 5;
    for (const unsigned mark : marks) {
        scene::colour(scene::scramble(mark, 9));
        glRecti(x, 5, x + 15, 40);
        x += 18;
    }
    glutSwapBuffers();
}

void draw_pane() {
    glClearColor(1, 1, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glutSwapBuffers();
}

void fade() {
    if (depth)
        return;
    ++depth;
    for (int i = 0; i < 3; ++i) {
        ++shade;
        glutPostWindowRedisplay(main_window);
        glutMainLoopEvent();
    }
    --depth;
    glutSetWindow(main_window);
}

unsigned colour_at(int x, int y) {
    GLubyte pixel[4] = {};
    glReadBuffer(GL_FRONT);
    glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    glReadBuffer(GL_BACK);
    return pixel[0] * 65536u + pixel[1] * 256u + pixel[2];
}

void mouse(int, int state, int x, int y) {
    if (state != GLUT_DOWN)
        return;
    fade();
    marks.push_back(colour_at(x, glutGet(GLUT_WINDOW_HEIGHT) - 1 - y));
    glutPostRedisplay();
}

void close_pane(int, int, int, int) {
    if (!pane)
        return;
    glutDestroyWindow(pane);
    pane = 0;
    fade();
    marks.push_back(77);
    glutPostWindowRedisplay(main_window);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    main_window = glutCreateWindow("nested");
    glutDisplayFunc(display);
    glutMouseFunc(mouse);
    pane = glutCreateSubWindow(main_window, 150, 100, 120, 90);
    glutDisplayFunc(draw_pane);
    glutMouseFunc(close_pane);
    glutSetWindow(main_window);
    glutIdleFunc([] { glutPostWindowRedisplay(main_window); });
    glutMainLoop();
    return 0;
}
