// Three separate windows, all drawn and read: the second is resized, takes clicks and picks what was clicked at by
// its colour and by selection; the third goes and comes again with another size, wherever there is room.
#include "scene.h"
#include <GL/glu.h>
#include <GL/glut.h>

#include <vector>

namespace {

int windows[3], step;
std::vector<unsigned> picked;

void whole_window() { glViewport(0, 0, glutGet(GLUT_WINDOW_WIDTH), glutGet(GLUT_WINDOW_HEIGHT)); }

void marks() {
    int i = 0;
    for (const unsigned value : picked) {
        scene::colour(scene::scramble(value, 3));
        glRecti(4 + 11 * i, 4, 13 + 11 * i, 30);
        ++i;
    }
}

unsigned sum_of_window() {
    const int width = glutGet(GLUT_WINDOW_WIDTH), height = glutGet(GLUT_WINDOW_HEIGHT);
    std::vector<GLubyte> pixels(static_cast<std::size_t>(width * height * 4));
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    unsigned sum = 0;
    for (std::size_t i = 0; i < pixels.size(); ++i)
        sum = sum * 31 + (i % 4 < 3 ? pixels[i] : 0);
    return sum;
}

void display() {
    whole_window();
    glClear(GL_COLOR_BUFFER_BIT);
    const int width = glutGet(GLUT_WINDOW_WIDTH), height = glutGet(GLUT_WINDOW_HEIGHT);
    scene::backdrop(width, height, 110 + static_cast<unsigned>(glutGetWindow() == windows[0]));
    marks();
    const unsigned sum = sum_of_window();
    scene::colour(scene::scramble(sum, 4));
    glRecti(width - 24, height - 24, width - 4, height - 4);
    glutSwapBuffers();
}

unsigned select(int x, int y) {
    GLuint hits[64] = {};
    GLint box[4];
    glGetIntegerv(GL_VIEWPORT, box);
    glSelectBuffer(64, hits);
    glRenderMode(GL_SELECT);
    glInitNames();
    glPushName(0);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    gluPickMatrix(x, y, 2, 2, box);
    glOrtho(0, box[2], 0, box[3], -1, 1);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    for (int i = 0; i < 8; ++i) {
        glLoadName(static_cast<GLuint>(i + 1));
        glRecti(i * box[2] / 8, 0, (i + 1) * box[2] / 8, box[3]);
    }
    return glRenderMode(GL_RENDER) > 0 ? hits[3] : 0;
}

void mouse(int, int state, int x, int y) {
    if (state != GLUT_DOWN)
        return;
    const int up = glutGet(GLUT_WINDOW_HEIGHT) - 1 - y;
    GLubyte pixel[4] = {};
    glReadBuffer(GL_FRONT);
    glReadPixels(x, up, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    glReadBuffer(GL_BACK);
    picked.push_back(pixel[0] * 65536u + pixel[1] * 256u + pixel[2]);
    picked.push_back(select(x, up));
}

int make(const char *name, int x, int y, int width, int height) {
    glutInitWindowPosition(x, y);
    glutInitWindowSize(width, height);
    const int window = glutCreateWindow(name);
    glutDisplayFunc(display);
    glutReshapeFunc([](int, int) {});
    glutMouseFunc(mouse);
    return window;
}

void idle() {
    ++step;
    if (step == 3) {
        glutSetWindow(windows[1]);
        glutReshapeWindow(171, 113);
    }
    if (step == 4)
        glutDestroyWindow(windows[2]);
    if (step == 6)
        windows[2] = make("third again", -1, -1, 103, 51);
    for (const int window : windows)
        if (window != windows[2] || step < 4 || step >= 6)
            glutPostWindowRedisplay(window);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    windows[0] = make("first", 30, 20, 331, 253);
    windows[1] = make("second", 230, 130, 150, 100);
    windows[2] = make("third", 390, 20, 90, 120);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
