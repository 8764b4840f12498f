// Animates by counting in the idle callback, without any clock.
#include "scene.h"
#include <GL/glut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
float angle;

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 40);
    glTranslatef(static_cast<GLfloat>(width) / 2, static_cast<GLfloat>(height) / 2, 0);
    glRotatef(angle, 0, 0, 1);
    glColor3f(1, 1, 1);
    glRectf(-static_cast<GLfloat>(width) / 3, -30, static_cast<GLfloat>(width) / 3, 30);
    glColor3f(0.2f, 0, 0.4f);
    glRectf(-25, -static_cast<GLfloat>(height) / 3, 25, static_cast<GLfloat>(height) / 3);
    glutSwapBuffers();
}

void idle() {
    angle += 7;
    glutPostRedisplay();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("idle");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
