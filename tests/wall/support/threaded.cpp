// Draws in a thread of its own, which has the window's context, and reads back what it drew.
#include <GL/freeglut.h>
#include <GL/glx.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

void draw(Display *display, GLXDrawable window, GLXContext context) {
    glXMakeCurrent(display, window, context);
    GLubyte pixel[4] = {};
    for (int i = 1; i <= 20; ++i) {
        glViewport(0, 0, 200 + i, 150);
        glClearColor(static_cast<float>(i) / 20, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glReadPixels(1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        glXSwapBuffers(display, window);
    }
    glXMakeCurrent(display, None, nullptr);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(203, 151);
    glutCreateWindow("threaded");
    static std::thread drawing;
    glutDisplayFunc([] {
        Display *const display = glXGetCurrentDisplay();
        const GLXDrawable window = glXGetCurrentDrawable();
        const GLXContext context = glXGetCurrentContext();
        if (drawing.joinable())
            return;
        glXMakeCurrent(display, None, nullptr);
        drawing = std::thread(draw, display, window, context);
    });
    glutIdleFunc([] {
        if (!drawing.joinable())
            return;
        drawing.join(); // in the same tick on every rank
        std::printf("drawn\n");
        std::exit(0);
    });
    glutMainLoop();
    return 0;
}
