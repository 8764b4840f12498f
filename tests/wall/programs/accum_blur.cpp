// Motion blur with the accumulation buffer, over several frames.
#include "scene.h"
#include <GL/glut.h>

#include <cstdio>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
int step;

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 14);
    glColor3f(1, 1, 1);
    glBegin(GL_TRIANGLES);
    const int x = step * width / 6;
    glVertex2i(x, height / 5);
    glVertex2i(x + width / 4, height / 2 + step * 9);
    glVertex2i(x - 20, height - 10);
    glEnd();
    if (step == 0)
        glAccum(GL_LOAD, 0.5f);
    else
        glAccum(GL_ACCUM, 0.1f);
    glAccum(GL_RETURN, 1);
    glutSwapBuffers();
}

void idle() {
    ++step;
    glutPostRedisplay();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_ACCUM);
    if (!glutGet(GLUT_DISPLAY_MODE_POSSIBLE)) {
        std::puts("skipped: this driver has no accumulation buffers");
        return 77;
    }
    glutInitWindowSize(317, 239);
    glutCreateWindow("accumulation");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
