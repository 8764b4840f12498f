// gl_windows KIND: messages between textures and windows, where windows and contexts come from what programs use:
// glfw (GLX), glfw_egl, glut, or both: GLX and EGL contexts in one process. Every rank runs it.
#define GL_GLEXT_PROTOTYPES
#include "glmpi.h"
#include "headless.h"

#define GLFW_INCLUDE_NONE
#include <GL/freeglut.h>
#include <GLFW/glfw3.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int width = 80, height = 60;
int rank = 0, size = 1, failures = 0;

void need(bool yes, const char *what, int line) {
    if (yes)
        return;
    std::fprintf(stderr, "rank %d, line %d: %s; last error: %s\n", rank, line, what, pixMPI_Error_text());
    ++failures;
}
#define NEED(condition) need((condition), #condition, __LINE__)
#define NEED_OK(call) need((call) == PIXMPI_SUCCESS, #call, __LINE__)

std::vector<unsigned char> picture(int of) {
    std::vector<unsigned char> pixels(std::size_t{4} * width * height);
    for (std::size_t i = 0; i < pixels.size(); ++i)
        pixels[i] = static_cast<unsigned char>(i % 4 == 3 ? 255 : i * 3 + i / 99 + static_cast<std::size_t>(of) * 50);
    return pixels;
}

GLuint texture_of(const std::vector<unsigned char> *pixels) {
    GLuint name = 0;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 pixels ? pixels->data() : nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glBindTexture(GL_TEXTURE_2D, 0);
    return name;
}

std::vector<unsigned char> content_of(GLuint texture) {
    std::vector<unsigned char> pixels(std::size_t{4} * width * height);
    glBindTexture(GL_TEXTURE_2D, texture);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    glBindTexture(GL_TEXTURE_2D, 0);
    return pixels;
}

// Around the ring, from the context that is current: texture to texture, texture to window, window to texture.
void exchange(bool window) {
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    const MPI_Comm world = MPI_COMM_WORLD;
    const std::vector<unsigned char> mine = picture(rank), theirs = picture(previous);
    const GLuint from = texture_of(&mine), to = texture_of(nullptr);
    NEED_OK(glMPI_Sendrecv(glMPI_Texture2D(from), PIXMPI_WHOLE, next, 1, glMPI_Texture2D(to), PIXMPI_WHOLE, previous, 1,
                           world, MPI_STATUS_IGNORE));
    NEED(content_of(to) == theirs);
    if (window) {
        int w = 0, h = 0;
        const pixMPI_Surface back = glMPI_As(glMPI_Framebuffer(0, GL_BACK), PIXMPI_RGBA8);
        NEED_OK(pixMPI_Surface_get_size(back, &w, &h));
        NEED(w == width && h == height);
        glClearColor(0, 1, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        NEED_OK(glMPI_Sendrecv(glMPI_Texture2D(from), PIXMPI_WHOLE, next, 2, back, PIXMPI_WHOLE, previous, 2, world,
                               MPI_STATUS_IGNORE));
        std::vector<unsigned char> seen(theirs.size());
        glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, seen.data());
        NEED(seen == theirs);
        NEED_OK(glMPI_Sendrecv(back, PIXMPI_WHOLE, next, 3, glMPI_Texture2D(to), PIXMPI_WHOLE, previous, 3, world,
                               MPI_STATUS_IGNORE));
        NEED(content_of(to) == picture((rank + size - 2) % size) || size == 1);
    }
    NEED(glGetError() == GL_NO_ERROR);
    glDeleteTextures(1, &from);
    glDeleteTextures(1, &to);
}

GLFWwindow *glfw_window(bool egl) {
    NEED(glfwInit() == GLFW_TRUE);
    glfwWindowHint(GLFW_CONTEXT_CREATION_API, egl ? GLFW_EGL_CONTEXT_API : GLFW_NATIVE_CONTEXT_API);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    GLFWwindow *window = glfwCreateWindow(width, height, "glmpi", nullptr, nullptr);
    NEED(window != nullptr);
    if (window)
        glfwMakeContextCurrent(window);
    return window;
}

void by_glfw(bool egl) {
    if (GLFWwindow *window = glfw_window(egl)) {
        exchange(true);
        NEED_OK(glMPI_Context_release());
        glfwDestroyWindow(window);
    }
    glfwTerminate();
}

void by_glut(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_RGBA | GLUT_DOUBLE | GLUT_DEPTH);
    glutInitWindowSize(width, height);
    glutSetOption(GLUT_ACTION_ON_WINDOW_CLOSE, GLUT_ACTION_CONTINUE_EXECUTION);
    const int window = glutCreateWindow("glmpi");
    glutDisplayFunc([] {});
    for (int i = 0; i < 3; ++i)
        glutMainLoopEvent();
    exchange(true);
    NEED_OK(glMPI_Context_release());
    glutDestroyWindow(window);
}

// Each context has its own objects; the library must not mix them up, whichever API they are of.
void by_both() {
    GLFWwindow *window = glfw_window(false);
    std::string error;
    demo::HeadlessOptions options;
    options.card = rank;
    glfwMakeContextCurrent(nullptr);
    const auto headless = demo::Headless::make(options, error);
    NEED(headless != nullptr);
    if (!window || !headless)
        return;
    const char *names[2] = {};
    for (int i = 0; i < 3; ++i) {
        NEED(headless->make_current());
        exchange(false);
        NEED_OK(glMPI_Context_name(&names[0]));
        headless->release_current();
        glfwMakeContextCurrent(window);
        exchange(true);
        NEED_OK(glMPI_Context_name(&names[1]));
        glfwMakeContextCurrent(nullptr);
        NEED(names[0] && names[1] && std::strstr(names[0], "EGL") && std::strstr(names[1], "GLX"));
    }
    const char *name = nullptr;
    NEED(glMPI_Context_name(&name) == PIXMPI_ERR_CONTEXT);
    glfwMakeContextCurrent(window);
    NEED_OK(glMPI_Context_release());
    glfwDestroyWindow(window);
    glfwTerminate();
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    NEED_OK(pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr));
    const std::string kind = argc > 1 ? argv[1] : "";
    if (kind == "glut")
        by_glut(argc, argv);
    else if (kind == "both")
        by_both();
    else if (kind == "glfw" || kind == "glfw_egl")
        by_glfw(kind == "glfw_egl");
    else
        NEED(!"glfw, glfw_egl, glut or both");
    if (failures)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
