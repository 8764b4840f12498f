// A click is turned into a point of the scene with the viewport, the matrices, the depth under the mouse and
// gluUnProject; gluProject turns points back into pixels for labels.
#include "scene.h"
#include <GL/glut.h>

#include <vector>

namespace {

struct Point {
    double x, y, z;
};
std::vector<Point> picked;

void click(int button, int state, int x, int y) {
    if (button != GLUT_LEFT_BUTTON || state != GLUT_DOWN)
        return;
    GLint viewport[4];
    GLdouble model[16], projection[16];
    glGetIntegerv(GL_VIEWPORT, viewport);
    glGetDoublev(GL_MODELVIEW_MATRIX, model);
    glGetDoublev(GL_PROJECTION_MATRIX, projection);
    const int up = viewport[3] - 1 - y;
    GLfloat depth = 0;
    glReadPixels(x, up, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &depth);
    Point p{};
    gluUnProject(x + 0.5, up + 0.5, static_cast<GLdouble>(depth), model, projection, viewport, &p.x, &p.y, &p.z);
    picked.push_back(p);
    glutPostRedisplay();
}

void hill(int i, int j) {
    const double x = i * 0.5, y = j * 0.5;
    glVertex3d(x, y, ((i * i + 3 * j * j) % 7) * 0.12);
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (int i = -8; i < 8; ++i) {
        for (int j = -6; j < 6; ++j) {
            scene::colour(scene::scramble(static_cast<unsigned>(i + 20), static_cast<unsigned>(j + 20)));
            glBegin(GL_TRIANGLE_STRIP);
            hill(i, j);
            hill(i + 1, j);
            hill(i, j + 1);
            hill(i + 1, j + 1);
            glEnd();
        }
    }
    glPointSize(9);
    glColor3f(1, 1, 1);
    glDisable(GL_DEPTH_TEST);
    glBegin(GL_POINTS);
    for (const Point &p : picked)
        glVertex3d(p.x, p.y, p.z);
    glEnd();
    glEnable(GL_DEPTH_TEST);
    glutSwapBuffers();
}

void reshape(int width, int height) {
    glViewport(0, 0, width, height);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    gluPerspective(45, static_cast<double>(width) / height, 2, 20);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    gluLookAt(0, -5, 5, 0, 0, 0, 0, 1, 0);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH);
    glutInitWindowSize(403, 301);
    glutCreateWindow("unproject");
    glEnable(GL_DEPTH_TEST);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMouseFunc(click);
    glutMainLoop();
    return 0;
}
