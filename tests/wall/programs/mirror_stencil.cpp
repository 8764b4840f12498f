// A mirror by stencil buffer, blending, a logic operation, and colour masks: buffers that only this tile has.
#include "scene.h"
#include <GL/glut.h>

namespace {

void object() {
    glPushMatrix();
    glTranslatef(0, 0.9f, 0);
    glRotatef(33, 1, 1, 0);
    glColor3f(0.9f, 0.5f, 0.2f);
    glutSolidTorus(0.25, 0.7, 9, 14);
    glPopMatrix();
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 1, 1);
    glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    glDepthMask(GL_FALSE);
    const auto floor = [] {
        glBegin(GL_QUADS);
        glVertex3f(-3, 0, -2);
        glVertex3f(-2.5f, 0, 2.5f);
        glVertex3f(2.7f, 0, 2);
        glVertex3f(2.2f, 0, -2.4f);
        glEnd();
    };
    floor();
    glDepthMask(GL_TRUE);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glStencilFunc(GL_EQUAL, 1, 1);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    glPushMatrix();
    glScalef(1, -1, 1);
    object();
    glPopMatrix();
    glDisable(GL_STENCIL_TEST);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glColor4f(0.3f, 0.4f, 0.8f, 0.5f);
    floor();
    glDisable(GL_BLEND);
    object();
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_COLOR_LOGIC_OP);
    glLogicOp(GL_XOR);
    glColor3f(1, 1, 1);
    for (int i = -5; i < 6; ++i) {
        glBegin(GL_TRIANGLES);
        glVertex3f(static_cast<GLfloat>(i) * 0.6f, -0.8f, 0);
        glVertex3f(static_cast<GLfloat>(i) * 0.6f + 0.37f, -0.2f, 0);
        glVertex3f(static_cast<GLfloat>(i) * 0.6f + 0.11f, 2, 0);
        glEnd();
    }
    glDisable(GL_COLOR_LOGIC_OP);
    glEnable(GL_DEPTH_TEST);
    glutSwapBuffers();
}

void reshape(int width, int height) {
    glViewport(0, 0, width, height);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    gluPerspective(45, static_cast<double>(width) / height, 1, 20);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    gluLookAt(0.7, 2.4, 5, 0, 0.3, 0, 0, 1, 0);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH | GLUT_STENCIL);
    glutInitWindowSize(403, 301);
    glutCreateWindow("mirror");
    glEnable(GL_DEPTH_TEST);
    glClearColor(0.2f, 0.3f, 0.2f, 1);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
