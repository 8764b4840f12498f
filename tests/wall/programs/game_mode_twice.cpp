// A window that never gets a callback, then game mode, entered twice, as a program does that tries one mode after
// another; the callbacks come last. Where there is no game mode, a window that goes full screen.
#include "scene.h"
#include <GL/glut.h>

namespace {

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    const int width = glutGet(GLUT_WINDOW_WIDTH), height = glutGet(GLUT_WINDOW_HEIGHT);
    scene::backdrop(width, height, 31);
    glColor3f(1, 1, 1);
    glRecti(5, height - 25, 80, height - 5);
    glutSwapBuffers();
}

void reshape(int w, int h) { glViewport(0, 0, w, h); }

void idle() { glutPostRedisplay(); }

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutGameModeString("1024x768:32");
    if (glutGameModeGet(GLUT_GAME_MODE_POSSIBLE)) {
        glutCreateWindow("splash");
        glutEnterGameMode();
        glutGameModeString("640x480:16");
        glutEnterGameMode();
    } else {
        glutCreateWindow("no game mode");
        glutFullScreen();
    }
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
