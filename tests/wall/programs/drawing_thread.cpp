// All drawing in another thread than the main loop's, with its own context: it swaps there, reads the window back,
// counts samples, asks for its viewport and reads the clock, while the main thread has its own timers.
#define GL_GLEXT_PROTOTYPES
#include "scene.h"

#include <GL/freeglut.h>
#include <GL/glext.h>
#include <GL/glx.h>

#include <ctime>
#include <thread>
#include <vector>

namespace {

constexpr int settled = 5; ///< frames after which the picture stays as it is
int width, height;

/// A block around the middle, where four tiles meet, once more in a corner.
void copy_middle() {
    const int w = width / 3, h = height / 3;
    std::vector<GLubyte> pixels(static_cast<std::size_t>(w) * h * 4);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glReadPixels(width / 3, height / 3, w, h, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    glWindowPos2i(3, 5);
    glDrawPixels(w, h, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
}

void draw_scene(int frame) {
    scene::backdrop(width, height, static_cast<unsigned>(frame < settled ? frame : settled) + 11);
}

/// As wide as the samples say that the window is.
void draw_bar(GLuint query) {
    GLuint samples = 0;
    glBeginQuery(GL_SAMPLES_PASSED, query);
    glColor3f(0.1f, 0.1f, 0.4f);
    glRecti(0, height - 20, width, height);
    glEndQuery(GL_SAMPLES_PASSED);
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &samples);
    glColor3f(0.9f, 0.9f, 0.2f);
    glRecti(0, height - 15, static_cast<int>(samples) / 20, height - 5);
}

/// The scene once more, small, with what the GL says of the viewport.
void draw_inset(int frame) {
    glViewport(width / 2, 11, width / 3, height / 3);
    GLint viewport[4] = {};
    glGetIntegerv(GL_VIEWPORT, viewport);
    glEnable(GL_SCISSOR_TEST);
    glScissor(viewport[0] + 7, viewport[1] + 9, viewport[2] - 14, viewport[3] - 18);
    draw_scene(frame);
    glDisable(GL_SCISSOR_TEST);
    glViewport(0, 0, width, height);
    scene::in_pixels(width, height);
}

/// Red unless time has gone on.
void draw_time() {
    static timespec last;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const bool forward = now.tv_sec > last.tv_sec || (now.tv_sec == last.tv_sec && now.tv_nsec > last.tv_nsec);
    last = now;
    forward ? glColor3f(0.1f, 0.9f, 0.1f) : glColor3f(0.9f, 0.1f, 0.1f);
    glRecti(width - 20, 2, width - 2, 20);
}

void draw(Display *display, GLXDrawable window, GLXContext context) {
    glXMakeCurrent(display, window, context);
    GLuint query = 0;
    glGenQueries(1, &query);
    for (int frame = 0;; ++frame) {
        glClear(GL_COLOR_BUFFER_BIT);
        draw_scene(frame);
        draw_inset(frame);
        draw_bar(query);
        draw_time();
        copy_middle();
        glutSwapBuffers();
    }
}

void tick(int) { glutTimerFunc(3, tick, glutGet(GLUT_ELAPSED_TIME)); }

GLXContext context_like(Display *display, GLXContext other) {
    int id = 0, count = 0;
    glXQueryContext(display, other, GLX_FBCONFIG_ID, &id);
    const int wanted[] = {GLX_FBCONFIG_ID, id, None};
    GLXFBConfig *configs = glXChooseFBConfig(display, DefaultScreen(display), wanted, &count);
    return glXCreateNewContext(display, configs[0], GLX_RGBA_TYPE, other, True);
}

} // namespace

int main(int argc, char **argv) {
    XInitThreads();
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(301, 203);
    glutCreateWindow("drawing_thread");
    glutDisplayFunc([] {});
    glutTimerFunc(3, tick, 0);
    width = glutGet(GLUT_WINDOW_WIDTH);
    height = glutGet(GLUT_WINDOW_HEIGHT);
    Display *const display = glXGetCurrentDisplay();
    std::thread(draw, display, glXGetCurrentDrawable(), context_like(display, glXGetCurrentContext())).detach();
    glutMainLoop();
    return 0;
}
