// No reshape callback and no glViewport anywhere: the default viewport has to be right before the first picture.
#include "scene.h"
#include <GL/glut.h>

namespace {

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    glPushMatrix();
    glScalef(2.0f / 331, 2.0f / 257, 1);
    glTranslatef(-331 / 2.0f, -257 / 2.0f, 0);
    scene::cells(331, 257);
    glPopMatrix();
    glBegin(GL_LINE_LOOP);
    glColor3f(1, 1, 1);
    glVertex2f(-0.9f, -0.8f);
    glVertex2f(0.9f, -0.7f);
    glVertex2f(0.1f, 0.95f);
    glEnd();
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(331, 257);
    glutCreateWindow("default reshape");
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
