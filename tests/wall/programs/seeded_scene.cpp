// A scene from rand(), seeded by time and process id, which differ from rank to rank by themselves. Says
// what it was seeded with, so that the picture can be made again.
#include "scene.h"
#include <GL/glut.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unistd.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::in_pixels(width, height);
    std::srand(static_cast<unsigned>(std::rand())); // the same scene on every redisplay would hide a lot
    for (int i = 0; i < 300; ++i) {
        glColor3ub(static_cast<GLubyte>(std::rand()), static_cast<GLubyte>(std::rand()),
                   static_cast<GLubyte>(std::rand()));
        glBegin(GL_TRIANGLES);
        for (int corner = 0; corner < 3; ++corner) {
            const int x = std::rand() % width, y = std::rand() % height;
            glVertex2i(x, y);
        }
        glEnd();
    }
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    const long now = static_cast<long>(std::time(nullptr)); // before glutInit, as programs do
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("seeded");
    const int process = static_cast<int>(getpid());
    std::printf("seed time=%ld pid=%d\n", now, process);
    std::fflush(stdout);
    std::srand(static_cast<unsigned>(now) * 31u + static_cast<unsigned>(process));
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
