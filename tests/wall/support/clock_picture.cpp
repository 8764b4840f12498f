// Draws the numbers that its clocks show, to the millisecond, and a scene seeded with one of them.
#include "../programs/scene.h"

#include <GL/freeglut.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

void display() {
    const int width = glutGet(GLUT_WINDOW_WIDTH), height = glutGet(GLUT_WINDOW_HEIGHT);
    using Clock = std::chrono::steady_clock;
    static const Clock::time_point start = Clock::now();
    const int elapsed = glutGet(GLUT_ELAPSED_TIME);
    const auto since = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
    char text[80];
    std::snprintf(text, sizeof text, "%d ms %lld us", elapsed, static_cast<long long>(since));
    glClear(GL_COLOR_BUFFER_BIT);
    std::srand(static_cast<unsigned>(since));
    scene::backdrop(width, height, static_cast<unsigned>(std::rand()));
    glColor3f(1, 1, 1);
    glRasterPos2i(10, height / 2);
    glutBitmapString(GLUT_BITMAP_TIMES_ROMAN_24, reinterpret_cast<const unsigned char *>(text));
    glutSwapBuffers();
}

void again(int) {
    glutPostRedisplay();
    glutTimerFunc(70, again, 0);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(303, 201);
    glutCreateWindow("clocks");
    glutDisplayFunc(display);
    glutReshapeFunc([](int width, int height) { glViewport(0, 0, width, height); });
    glutTimerFunc(70, again, 0);
    glutMainLoop();
    return 0;
}
