// All GL calls live in another file that includes no GLUT header, viewport and read-back included.
#include <GL/glut.h>

void render(int width, int height);
void resize(int width, int height);

namespace {

void display() {
    render(glutGet(GLUT_WINDOW_WIDTH), glutGet(GLUT_WINDOW_HEIGHT));
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("renderer elsewhere");
    glutReshapeFunc(resize);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
