// The program moves its window; the picture in it stays the same.
#include "scene.h"
#include <GL/glut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
int drawn;

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 28);
    glColor3f(1, 1, 1);
    const int corners[4][2] = {{0, 0}, {width - 12, 0}, {0, height - 12}, {width - 12, height - 12}};
    for (const auto &corner : corners)
        glRecti(corner[0] + 2, corner[1] + 2, corner[0] + 10, corner[1] + 10);
    glutSwapBuffers();
    if (++drawn == 2)
        glutPositionWindow(40, 30);
    if (drawn == 5)
        glutPositionWindow(13, 11);
}

void idle() { glutPostRedisplay(); }

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(323, 241);
    glutInitWindowPosition(5, 5);
    glutCreateWindow("moving");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
