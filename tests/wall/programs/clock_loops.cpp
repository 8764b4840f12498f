// Loops that wait for a clock, in every spelling: they have to end, on all ranks.
#include "scene.h"
#include <GL/glut.h>

#include <chrono>
#include <ctime>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
int waits;

template <class Read> void wait_for(Read read, double amount) {
    const double start = static_cast<double>(read());
    while (static_cast<double>(read()) < start + amount) {
    }
    ++waits;
}

void display() {
    waits = 0;
    wait_for([] { return std::clock(); }, CLOCKS_PER_SEC / 200.0);
    wait_for([] { return glutGet(GLUT_ELAPSED_TIME); }, 5);
    wait_for(
        [] {
            timeval now{};
            gettimeofday(&now, nullptr);
            return static_cast<double>(now.tv_sec % 100000) + static_cast<double>(now.tv_usec) / 1e6;
        },
        0.005);
    wait_for(
        [] {
            timespec now{};
            clock_gettime(CLOCK_REALTIME, &now);
            return static_cast<double>(now.tv_sec % 100000) + static_cast<double>(now.tv_nsec) / 1e9;
        },
        0.005);
    wait_for([] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); },
             0.005);
    wait_for([] { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); },
             0.005);
    wait_for(
        [] {
            tms unused{};
            return static_cast<double>(times(&unused)) / static_cast<double>(sysconf(_SC_CLK_TCK));
        },
        0.01);
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 44);
    glColor3f(1, 1, 1);
    for (int i = 0; i < waits; ++i)
        glRecti(10 + i * width / 9, 10, i * width / 9 + width / 12, height - 10);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(303, 203);
    glutCreateWindow("clock loops");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
