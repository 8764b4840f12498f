// Says who draws: GL_RENDERER and GL_VERSION.
#include <GL/freeglut.h>

#include <cstdio>

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(64, 64);
    glutCreateWindow("renderer");
    std::printf("%s, %s\n", reinterpret_cast<const char *>(glGetString(GL_RENDERER)),
                reinterpret_cast<const char *>(glGetString(GL_VERSION)));
    return 0;
}
