// Polygons as lines and as points, culling, both windings, user clip planes and polygon offset.
#include "scene.h"
#include <GL/glut.h>

namespace {

void display() {
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    const GLdouble plane[4] = {1, 0.3, 0.2, 1.1};
    glClipPlane(GL_CLIP_PLANE0, plane);
    glEnable(GL_CLIP_PLANE0);
    for (int i = 0; i < 12; ++i) {
        glPushMatrix();
        glTranslatef(static_cast<GLfloat>(i % 4) * 1.4f - 2.1f, static_cast<GLfloat>(i / 4) * 1.4f - 1.4f, 0);
        glRotatef(static_cast<GLfloat>(i * 23), 1, 1, 0);
        scene::colour(scene::scramble(static_cast<unsigned>(i), 14));
        glPolygonMode(GL_FRONT, i % 3 == 0 ? GL_FILL : i % 3 == 1 ? GL_LINE : GL_POINT);
        glPolygonMode(GL_BACK, GL_LINE);
        glCullFace(i % 2 ? GL_BACK : GL_FRONT);
        if (i % 4 == 3)
            glEnable(GL_CULL_FACE);
        glutSolidTorus(0.2, 0.5, 7, 11);
        glDisable(GL_CULL_FACE);
        glPopMatrix();
    }
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glutSwapBuffers();
}

void reshape(int width, int height) {
    glViewport(0, 0, width, height);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    gluPerspective(45, static_cast<double>(width) / height, 1, 20);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    gluLookAt(0.5, 1, 6, 0, 0, 0, 0, 1, 0);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH);
    glutInitWindowSize(403, 301);
    glutCreateWindow("polygon mode");
    glEnable(GL_DEPTH_TEST);
    glClearColor(0.05f, 0.1f, 0.2f, 1);
    glPointSize(4);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
