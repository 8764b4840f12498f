// Draws a window once, and all further pictures in game mode, which it enters from a timer.
#include <GL/freeglut.h>

namespace {

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    glutSwapBuffers();
}

void enter(int) {
    glutEnterGameMode();
    glutDisplayFunc(display);
    glutIdleFunc([] { glutPostRedisplay(); });
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutCreateWindow("title");
    glutDisplayFunc(display);
    glutTimerFunc(20, enter, 0);
    glutMainLoop();
    return 0;
}
