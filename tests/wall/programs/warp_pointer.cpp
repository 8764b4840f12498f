// Mouse look: each motion warps the pointer back to the middle, and what is seen of it is the offset.
#include "scene.h"
#include <GL/glut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
int yaw, pitch;

void passive(int x, int y) {
    const int dx = x - width / 2, dy = y - height / 2;
    if (dx == 0 && dy == 0)
        return;
    yaw += dx;
    pitch += dy;
    glutWarpPointer(width / 2, height / 2);
    glutPostRedisplay();
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 92);
    glColor3f(1, 1, 1);
    glRecti(width / 2 + yaw - 20, height / 2 - pitch - 15, width / 2 + yaw + 20, height / 2 - pitch + 15);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("warp");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutPassiveMotionFunc(passive);
    glutMainLoop();
    return 0;
}
