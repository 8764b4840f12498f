// Picking the classic way: GL_SELECT with gluPickMatrix around the mouse; what was hit turns white.
#include "scene.h"
#include <GL/glut.h>

namespace {

int width = 1, height = 1;
bool hit[40];

void objects() {
    for (int i = 0; i < 40; ++i) {
        glLoadName(static_cast<GLuint>(i));
        if (hit[i])
            glColor3f(1, 1, 1);
        else
            scene::colour(scene::scramble(static_cast<unsigned>(i), 21));
        glPushMatrix();
        glTranslatef(static_cast<GLfloat>(i % 8) * 1.1f - 3.9f, static_cast<GLfloat>(i / 8) * 1.1f - 2.2f,
                     static_cast<GLfloat>(i % 3));
        glRotatef(static_cast<GLfloat>(17 * i), 1, 1, 0);
        glutSolidCube(0.8);
        glPopMatrix();
    }
}

void lens() { gluPerspective(50, static_cast<double>(width) / height, 1, 30); }

void mouse(int, int state, int x, int y) {
    if (state != GLUT_DOWN)
        return;
    GLuint names[400];
    GLint viewport[4];
    glGetIntegerv(GL_VIEWPORT, viewport);
    glSelectBuffer(400, names);
    glRenderMode(GL_SELECT);
    glInitNames();
    glPushName(0);
    glMatrixMode(GL_PROJECTION);
    glPushMatrix();
    glLoadIdentity();
    gluPickMatrix(x, viewport[3] - y, 5, 5, viewport);
    lens();
    glMatrixMode(GL_MODELVIEW);
    objects();
    glMatrixMode(GL_PROJECTION);
    glPopMatrix();
    glMatrixMode(GL_MODELVIEW);
    const GLint hits = glRenderMode(GL_RENDER);
    const GLuint *at = names;
    for (GLint i = 0; i < hits; ++i) {
        const GLuint count = at[0];
        if (count && at[3] < 40)
            hit[at[3]] = true;
        at += 3 + count;
    }
    glutPostRedisplay();
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    objects();
    glutSwapBuffers();
}

void reshape(int w, int h) {
    width = w;
    height = h;
    glViewport(0, 0, w, h);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    lens();
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    gluLookAt(0, 0, 8, 0, 0, 0, 0, 1, 0);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH);
    glutInitWindowSize(403, 301);
    glutCreateWindow("selection");
    glEnable(GL_DEPTH_TEST);
    glClearColor(0.1f, 0.1f, 0.25f, 1);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMouseFunc(mouse);
    glutMainLoop();
    return 0;
}
