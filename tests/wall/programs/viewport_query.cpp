// Lays itself out by what glGet says of viewport and scissor box, in every type glGet comes in.
#include "scene.h"
#include <GL/glut.h>

namespace {

void frame(double x, double y, double w, double h, float r, float g, float b) {
    glColor3f(r, g, b);
    glRectd(x, y, x + w, y + 4);
    glRectd(x, y + h - 4, x + w, y + h);
    glRectd(x, y, x + 4, y + h);
    glRectd(x + w - 4, y, x + w, y + h);
}

void display() {
    GLint box[4];
    glGetIntegerv(GL_VIEWPORT, box);
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(box[2], box[3], 2);

    // Four quarters, each set relative to the viewport that was read back.
    for (int i = 0; i < 4; ++i) {
        glViewport(box[0] + i % 2 * box[2] / 2 + 9, box[1] + i / 2 * box[3] / 2 + 7, box[2] / 2 - 18, box[3] / 2 - 14);
        GLfloat inner[4];
        glGetFloatv(GL_VIEWPORT, inner);
        GLdouble again[4];
        glGetDoublev(GL_VIEWPORT, again);
        scene::in_pixels(static_cast<int>(again[2]), static_cast<int>(again[3]));
        glColor3f(0.2f * i, 0.2f, 0.3f);
        glRectd(0, 0, again[2], again[3]);
        frame(5, 5, inner[2] - 10, inner[3] - 10, 1, 1, 0.3f * i);
        glColor3f(1, 0, 0);
        glRectf(0, 0, inner[0], 3); // as long as the viewport's x, so that a wrong origin shows
        glColor3f(0, 1, 0);
        glRectf(0, 0, 3, inner[1]);
    }
    glViewport(box[0], box[1], box[2], box[3]);

    scene::in_pixels(box[2], box[3]);
    GLint scissor[4];
    glGetIntegerv(GL_SCISSOR_BOX, scissor);
    frame(scissor[0] + 2, scissor[1] + 2, scissor[2] - 4, scissor[3] - 4, 1, 1, 1);
    glScissor(37, 41, 100, 90);
    glGetIntegerv(GL_SCISSOR_BOX, scissor);
    frame(scissor[0], scissor[1], scissor[2], scissor[3], 0, 1, 1);
    glScissor(0, 0, box[2], box[3]);
    GLint most[2];
    glGetIntegerv(GL_MAX_VIEWPORT_DIMS, most);
    if (most[0] < box[2] || most[1] < box[3]) {
        glColor3f(1, 0, 0);
        glRecti(0, 0, box[2], box[3]);
    }
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(355, 265);
    glutCreateWindow("viewport query");
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
