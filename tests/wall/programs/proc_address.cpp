// The look-up functions in person: glutGetProcAddress, glXGetProcAddress, glXGetProcAddressARB and dlsym.
#include "scene.h"
#include <GL/freeglut.h>
#include <GL/glx.h>

#include <dlfcn.h>

namespace {

using Box = void (*)(GLint, GLint, GLsizei, GLsizei);
Box viewports[5];

void display() {
    const int width = glutGet(GLUT_WINDOW_WIDTH), height = glutGet(GLUT_WINDOW_HEIGHT);
    glViewport(0, 0, width, height);
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 97);
    for (int i = 0; i < 5; ++i) {
        if (!viewports[i])
            continue;
        viewports[i](i * width / 5 + 5, 10 + 15 * i, width / 5 - 10, height - 100);
        scene::in_pixels(50, 200);
        scene::cells(50, 200, 98 + static_cast<unsigned>(i), 9, 13);
    }
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("look-ups");
    const auto *const name = reinterpret_cast<const GLubyte *>("glViewport");
    viewports[0] = reinterpret_cast<Box>(glutGetProcAddress("glViewport"));
    viewports[1] = reinterpret_cast<Box>(glXGetProcAddress(name));
    viewports[2] = reinterpret_cast<Box>(glXGetProcAddressARB(name));
    viewports[3] = reinterpret_cast<Box>(dlsym(RTLD_DEFAULT, "glViewport"));
    if (void *const library = dlopen("libGL.so.1", RTLD_LAZY))
        viewports[4] = reinterpret_cast<Box>(dlsym(library, "glViewport"));
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
