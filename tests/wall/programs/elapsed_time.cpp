// Animates by GLUT_ELAPSED_TIME since the first picture, and by the other clocks a program may ask.
#include "scene.h"
#include <GL/glut.h>

#include <chrono>
#include <ctime>
#include <sys/time.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;

double glut_seconds() { return glutGet(GLUT_ELAPSED_TIME) / 1000.0; }

double day_seconds() {
    timeval now{};
    gettimeofday(&now, nullptr);
    return static_cast<double>(now.tv_sec % 100000) + static_cast<double>(now.tv_usec) / 1e6;
}

double monotonic_seconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void display() {
    static double (*const clocks[])() = {glut_seconds, day_seconds, monotonic_seconds, steady_seconds};
    static double start[4];
    static bool started;
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 41);
    for (int i = 0; i < 4; ++i) {
        const double now = clocks[i]();
        if (!started)
            start[i] = now;
        // In frames of a sixtieth; rounded, so that what reading the clock costs does not matter.
        const int frames = static_cast<int>((now - start[i]) * 60 + 0.5);
        const int at = 20 + frames * 17;
        glColor3f(1, 1, 0.3f * static_cast<GLfloat>(i));
        glBegin(GL_TRIANGLES);
        glVertex2i(at, 5 + i * height / 4);
        glVertex2i(at + width / 4, height / 8 + i * height / 4);
        glVertex2i(at, height / 4 - 5 + i * height / 4);
        glEnd();
    }
    started = true;
    glutSwapBuffers();
}

void idle() { glutPostRedisplay(); }

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("elapsed time");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
