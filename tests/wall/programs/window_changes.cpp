// Subwindows that are hidden, shown, raised, lowered, moved, destroyed and made while the program runs.
#include "scene.h"
#include <GL/glut.h>

namespace {

int frame_window, panes[4], step;

void draw_pane() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(glutGet(GLUT_WINDOW_WIDTH), glutGet(GLUT_WINDOW_HEIGHT),
                    200 + static_cast<unsigned>(glutGetWindow()));
    glutSwapBuffers();
}

void draw_frame() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(glutGet(GLUT_WINDOW_WIDTH), glutGet(GLUT_WINDOW_HEIGHT), 102);
    glutSwapBuffers();
}

int make(int x, int y, int width, int height) {
    const int window = glutCreateSubWindow(frame_window, x, y, width, height);
    glutDisplayFunc(draw_pane);
    return window;
}

void idle() {
    switch (++step) {
    case 2:
        glutSetWindow(panes[0]);
        glutHideWindow();
        glutSetWindow(panes[1]);
        glutPopWindow(); // to the top
        break;
    case 4:
        glutSetWindow(panes[0]);
        glutShowWindow();
        glutDestroyWindow(panes[2]);
        panes[2] = make(210, 30, 90, 240);
        break;
    case 6:
        glutSetWindow(panes[3]);
        glutPositionWindow(170, 190);
        glutReshapeWindow(133, 77);
        glutSetWindow(panes[1]);
        glutPushWindow(); // to the bottom
        break;
    default:
        break;
    }
    for (const int window : panes)
        glutPostWindowRedisplay(window);
    glutPostWindowRedisplay(frame_window);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    frame_window = glutCreateWindow("window changes");
    glutDisplayFunc(draw_frame);
    panes[0] = make(20, 20, 170, 120);
    panes[1] = make(100, 90, 180, 110);
    panes[2] = make(330, 200, 60, 60);
    panes[3] = make(30, 200, 80, 80);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
