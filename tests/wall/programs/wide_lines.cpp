// Lines and points many pixels wide, on and near every border, smooth ones too; points stay whole where a tile ends.
#include "scene.h"
#include <GL/glut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;

void display() {
    const auto w = static_cast<GLfloat>(width), h = static_cast<GLfloat>(height);
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 91);
    for (int i = 0; i < 12; ++i) {
        const auto k = static_cast<GLfloat>(i);
        glLineWidth(1 + k * 0.75f);
        scene::colour(scene::scramble(static_cast<unsigned>(i), 12));
        glBegin(GL_LINES);
        glVertex2f(0, k * h / 12);
        glVertex2f(w, h - k * h / 12);
        glEnd();
    }
    glLineWidth(7);
    glColor3f(1, 1, 1);
    glBegin(GL_LINES); // along the middle, where a 2x2 wall is cut
    glVertex2f(w / 2, 0);
    glVertex2f(w / 2, h);
    glVertex2f(0, h / 2);
    glVertex2f(w, h / 2);
    glEnd();
    for (int i = 0; i < 20; ++i) {
        glPointSize(3 + static_cast<GLfloat>(i));
        if (i % 2)
            glEnable(GL_POINT_SMOOTH);
        else
            glDisable(GL_POINT_SMOOTH);
        scene::colour(scene::scramble(static_cast<unsigned>(i), 13));
        glBegin(GL_POINTS);
        glVertex2f(w / 2 + static_cast<GLfloat>(i) - 10, static_cast<GLfloat>(i) * h / 20);
        glVertex2f(static_cast<GLfloat>(i) * w / 20, h / 2 + static_cast<GLfloat>(i) - 10);
        glVertex2f(w / 3 + static_cast<GLfloat>(i) * 0.4f, static_cast<GLfloat>(i) * h / 20);
        glVertex2f(static_cast<GLfloat>(i) * w / 20, h / 3);
        glEnd();
    }
    glDisable(GL_POINT_SMOOTH);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("wide lines");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
