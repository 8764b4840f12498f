// GLUT's own shapes, lit: teapot, sphere, cone, icosahedron; fog and texture generation on the way.
#include "scene.h"
#include <GL/glut.h>

namespace {

void display() {
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glPushMatrix();
    glColor3f(0.9f, 0.6f, 0.2f);
    glutSolidTeapot(1.3);
    glTranslatef(-2, 1.4f, -1);
    glColor3f(0.2f, 0.7f, 0.9f);
    glutSolidSphere(0.7, 12, 9);
    glTranslatef(4, 0, 0);
    glColor3f(0.8f, 0.2f, 0.5f);
    glScalef(0.8f, 0.8f, 0.8f);
    glutSolidIcosahedron();
    glTranslatef(0, -3.6f, 0);
    glutSolidCone(0.9, 1.4, 9, 4);
    glTranslatef(-5, 0, 0);
    glutWireTeapot(1);
    glPopMatrix();
    glutSwapBuffers();
}

void reshape(int width, int height) {
    glViewport(0, 0, width, height);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glFrustum(-1.0 * width / height, 1.0 * width / height, -1, 1, 2, 20);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    gluLookAt(0, 1, 5, 0, 0, 0, 0, 1, 0);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH);
    glutInitWindowSize(403, 301);
    glutCreateWindow("teapot");
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_COLOR_MATERIAL);
    glEnable(GL_NORMALIZE);
    glShadeModel(GL_FLAT);
    glEnable(GL_FOG);
    const GLfloat mist[4] = {0.3f, 0.3f, 0.35f, 1};
    glFogfv(GL_FOG_COLOR, mist);
    glFogi(GL_FOG_MODE, GL_LINEAR);
    glFogf(GL_FOG_START, 3);
    glFogf(GL_FOG_END, 9);
    glClearColor(mist[0], mist[1], mist[2], 1);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
