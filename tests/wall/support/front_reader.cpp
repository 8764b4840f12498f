// Reads what it has shown from the front buffer, at the four corners and in the middle of its window, when it has begun
// to draw the next frame.
#include <GL/glut.h>

#include <cstdio>
#include <utility>

namespace {

int frame, wrong;

void clear_with(int number) {
    glClearColor(static_cast<GLfloat>(number * 40) / 255, 0.2F, 0.6F, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

void look(int number) {
    const int right = glutGet(GLUT_WINDOW_WIDTH) - 1, top = glutGet(GLUT_WINDOW_HEIGHT) - 1;
    glReadBuffer(GL_FRONT);
    for (const auto &[x, y] : {std::pair{0, 0}, {right, 0}, {0, top}, {right, top}, {right / 2, top / 2}}) {
        GLubyte pixel[4] = {};
        glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        wrong += pixel[0] != number * 40 || pixel[1] != 51 || pixel[2] != 153;
    }
    glReadBuffer(GL_BACK);
}

void display() {
    clear_with(++frame);
    if (frame > 1)
        look(frame - 1);
    glutSwapBuffers();
    if (frame == 4)
        std::printf("front: %d wrong\n", wrong);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(240, 180);
    glutCreateWindow("front");
    glutDisplayFunc(display);
    glutIdleFunc(glutPostRedisplay);
    glutMainLoop();
    return 0;
}
