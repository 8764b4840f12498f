// Game mode where it is available, else a window: the choice every game makes.
#include "scene.h"
#include <GL/glut.h>

namespace {

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    const int width = glutGet(GLUT_WINDOW_WIDTH), height = glutGet(GLUT_WINDOW_HEIGHT);
    scene::backdrop(width, height, 30);
    glColor3f(1, 1, 1);
    glRecti(3, height - 20, 60, height - 3);
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
