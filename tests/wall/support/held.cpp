// Each frame has its own colour. Before the program shows a frame it says so, and waits until the file that HELD
// names has that frame's number, or a larger one.
#include <GL/freeglut.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sched.h>

namespace {

int frame = 0;

int allowed() {
    int number = 0;
    std::ifstream(std::getenv("HELD")) >> number;
    return number;
}

void display() {
    ++frame;
    glClearColor(static_cast<float>(frame * 10) / 255, 0.4F, 0.8F, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    std::printf("frame %d\n", frame);
    std::fflush(stdout);
    while (allowed() < frame)
        sched_yield();
    glutSwapBuffers();
    glutPostRedisplay();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_RGB | GLUT_DOUBLE | GLUT_DEPTH);
    glutInitWindowSize(80, 40);
    glutCreateWindow("held");
    glutDisplayFunc(display);
    glutMainLoop();
}
