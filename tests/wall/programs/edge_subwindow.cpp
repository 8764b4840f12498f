// Subwindows that lie on one tile alone, in the middle of it and against its edges; elsewhere not a pixel is to be seen
// of them. Nothing but clear colours, so that pictures agree to the last pixel.
#include <GL/glut.h>

namespace {

void draw_frame() {
    glClearColor(0.2f, 0, 0.4f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glutSwapBuffers();
}

void draw_pane() {
    glClearColor(1, 1, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glutSwapBuffers();
}

void idle() {
    for (int window = 1; window <= 4; ++window)
        glutPostWindowRedisplay(window);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    const int window = glutCreateWindow("panes");
    glutDisplayFunc(draw_frame);
    const int places[3][4] = {{30, 20, 40, 30}, {340, 250, 63, 51}, {0, 280, 50, 21}};
    for (const auto &place : places) {
        glutCreateSubWindow(window, place[0], place[1], place[2], place[3]);
        glutDisplayFunc(draw_pane);
    }
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
