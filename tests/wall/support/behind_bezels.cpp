// Reads one pixel of the window, by default in the middle, and says what it found, frame by frame. Each frame has its
// own colour. "once": does not ask for another frame.
#include <GL/glut.h>

#include <cstdio>
#include <cstring>

namespace {

bool once = false;
int frame = 0;

void display() {
    ++frame;
    glClearColor(static_cast<GLfloat>(frame * 10) / 255.0f, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    GLubyte pixel[4] = {};
    glReadPixels(glutGet(GLUT_WINDOW_WIDTH) / 2, glutGet(GLUT_WINDOW_HEIGHT) / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                 pixel);
    std::printf("frame %d: %d %d\n", frame, pixel[0], pixel[1]);
    glutSwapBuffers();
    if (!once)
        glutPostRedisplay();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    once = argc > 1 && std::strcmp(argv[1], "once") == 0;
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutCreateWindow("behind bezels");
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
