// All of GLUT in another thread than main()'s, from glutInit to the main loop. The thread has a timer and a subwindow, and
// reads its window back, because it has to be in step with the same thread of the other ranks.
#include "scene.h"
#include <GL/freeglut.h>

#include <pthread.h>
#include <unistd.h>

#include <vector>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
int steps, inner;

/// A block around the middle, where four tiles meet, once more in a corner.
void copy_middle() {
    const int w = width / 3, h = height / 3;
    std::vector<GLubyte> pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) * 4);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glReadPixels(width / 3, height / 3, w, h, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    glRasterPos2i(3, 5);
    glDrawPixels(w, h, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 61);
    glColor3f(1, 1, 1);
    glRecti(10 + steps * 20, 10, 60 + steps * 20, 40);
    copy_middle();
    glutSwapBuffers();
}

void display_inner() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(glutGet(GLUT_WINDOW_WIDTH), glutGet(GLUT_WINDOW_HEIGHT), 62);
    glutSwapBuffers();
}

void step(int) {
    if (steps < 3)
        ++steps;
    glutPostWindowRedisplay(1);
    glutPostWindowRedisplay(inner);
    glutTimerFunc(1, step, 0);
}

void *run(void *) {
    char name[] = "glut_thread";
    char *arguments[] = {name, nullptr};
    int count = 1;
    glutInit(&count, arguments);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(305, 207);
    glutCreateWindow("GLUT in a thread");
    glutDisplayFunc(display);
    glutReshapeFunc(reshape);
    inner = glutCreateSubWindow(1, 170, 20, 110, 80);
    glutDisplayFunc(display_inner);
    glutTimerFunc(1, step, 0);
    glutMainLoop();
    return nullptr;
}

} // namespace

int main() {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, run, nullptr) != 0)
        return 1;
    for (;;)
        pause();
}
