// Says who draws: GL_RENDERER and GL_VERSION; and in a second line that there are pbuffers, where there are. A driver
// without them may end the process when it is asked.
#include <GL/freeglut.h>
#include <GL/glx.h>

#include <cstdio>

namespace {

bool refused = false;

/// Of the format of the current window.
bool has_pbuffers() {
    Display *const display = glXGetCurrentDisplay();
    int id = 0, count = 0;
    glXQueryContext(display, glXGetCurrentContext(), GLX_FBCONFIG_ID, &id);
    const int wanted[] = {GLX_FBCONFIG_ID, id, None}, size[] = {GLX_PBUFFER_WIDTH, 16, GLX_PBUFFER_HEIGHT, 16, None};
    GLXFBConfig *configs = glXChooseFBConfig(display, DefaultScreen(display), wanted, &count);
    if (!configs || count == 0)
        return false;
    XSetErrorHandler([](Display *, XErrorEvent *) { return static_cast<int>(refused = true); });
    const GLXPbuffer pbuffer = glXCreatePbuffer(display, configs[0], size);
    const bool current = pbuffer && glXMakeContextCurrent(display, pbuffer, pbuffer, glXGetCurrentContext());
    XSync(display, False);
    return current && !refused;
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(64, 64);
    glutCreateWindow("renderer");
    std::printf("%s, %s\n", reinterpret_cast<const char *>(glGetString(GL_RENDERER)),
                reinterpret_cast<const char *>(glGetString(GL_VERSION)));
    std::fflush(stdout);
    if (has_pbuffers())
        std::printf("pbuffers\n");
    return 0;
}
