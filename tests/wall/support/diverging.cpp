// A program whose ranks part ways: while it draws its fifth frame, rank 1 alone does what the argument says; with
// "wait0" it is rank 0.
#include <GL/freeglut.h>

#include <cstdlib>
#include <string>

namespace {

std::string how;
int drawn;

bool this_one() {
    for (const char *name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK"})
        if (const char *rank = std::getenv(name))
            return std::string(rank) == (how == "wait0" ? "0" : "1");
    return false;
}

void wait_for_the_clock() {
    for (const int start = glutGet(GLUT_ELAPSED_TIME); glutGet(GLUT_ELAPSED_TIME) < start + 20;)
        glFinish();
}

void part_ways() {
    if (how == "viewport")
        glViewport(5, 6, 70, 80);
    else if (how == "redisplay")
        glutPostWindowRedisplay(1), glutPostWindowRedisplay(1);
    else if (how == "clock")
        glutGet(GLUT_ELAPSED_TIME);
    else if (how == "wait" || how == "wait0")
        wait_for_the_clock();
    else if (how == "window")
        glutCreateSubWindow(1, 10, 10, 50, 50), glutDisplayFunc([] {});
    else if (how == "read") {
        GLubyte pixel[4];
        glReadPixels(1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    }
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    glRectf(-0.5f, -0.5f, 0.5f, 0.5f);
    const bool now = ++drawn == 5 && this_one();
    if (now)
        part_ways();
    glutSetWindow(1);
    if (!now || how != "swap")
        glutSwapBuffers();
}

void timer(int) { glutPostWindowRedisplay(1); }

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    how = argc > 1 ? argv[1] : "";
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(203, 151);
    glutCreateWindow("diverging");
    glutDisplayFunc(display);
    glutIdleFunc([] {
        if (how == "timer" && drawn == 5 && this_one())
            glutTimerFunc(0, timer, 7);
        glutPostWindowRedisplay(1);
    });
    glutMainLoop();
    return 0;
}
