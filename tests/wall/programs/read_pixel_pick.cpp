// Picks by colour: a click draws the objects in flat identifying colours, reads the one pixel under the mouse and
// remembers what was hit.
#include "scene.h"
#include <GL/glut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
bool hit[48];

void objects(bool identify) {
    for (int i = 0; i < 48; ++i) {
        if (identify)
            glColor3ub(static_cast<GLubyte>(i + 1), static_cast<GLubyte>(255 - i), 77);
        else if (hit[i])
            glColor3f(1, 1, 1);
        else
            scene::colour(scene::scramble(static_cast<unsigned>(i), 4));
        const int x = (i % 8) * width / 8, y = (i / 8) * height / 6;
        glBegin(GL_TRIANGLES);
        glVertex2i(x + 2, y + 2);
        glVertex2i(x + width / 8 - 1, y + height / 12);
        glVertex2i(x + width / 16, y + height / 6 - 2);
        glEnd();
    }
}

void mouse(int button, int state, int x, int y) {
    if (state != GLUT_DOWN || button == GLUT_MIDDLE_BUTTON)
        return;
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    scene::in_pixels(width, height);
    objects(true);
    GLubyte pixel[4] = {};
    glReadPixels(x, height - 1 - y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    if (pixel[2] == 77 && pixel[0] >= 1 && pixel[0] <= 48)
        hit[pixel[0] - 1] = true;
    glutPostRedisplay();
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 8);
    objects(false);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("pick by colour");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMouseFunc(mouse);
    glutMainLoop();
    return 0;
}
