// Immediate mode, gluPerspective, lighting and depth test: the classic GLUT program.
#include "scene.h"
#include <GL/glut.h>

namespace {

void display() {
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (int i = -3; i <= 3; ++i) {
        for (int j = -2; j <= 2; ++j) {
            glPushMatrix();
            glTranslatef(i * 1.7f, j * 1.7f, static_cast<GLfloat>((i * j) % 3));
            glRotatef(static_cast<GLfloat>(25 * i + 40 * j), 1, 2, 3);
            scene::colour(scene::scramble(static_cast<unsigned>(i + 9), static_cast<unsigned>(j + 9)));
            glutSolidCube(1.1);
            // Unlit: two faces draw each edge, and which of them wins is for rounding to say.
            glDisable(GL_LIGHTING);
            glColor3f(1, 1, 1);
            glutWireCube(1.3);
            glEnable(GL_LIGHTING);
            glPopMatrix();
        }
    }
    glutSwapBuffers();
}

void reshape(int width, int height) {
    glViewport(0, 0, width, height);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    gluPerspective(50, static_cast<double>(width) / height, 1, 40);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    gluLookAt(1, 2, 9, 0, 0, 0, 0, 1, 0);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH);
    glutInitWindowSize(403, 301);
    glutCreateWindow("cubes");
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_COLOR_MATERIAL);
    glEnable(GL_NORMALIZE);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
