// What a program is told where it does with GLX's or EGL's objects what cannot be done: gl_errors glx|egl|glew. It
// prints what it is told, so that a wall can be compared with a plain X server.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>

#include <cstdio>
#include <functional>
#include <future>
#include <string_view>
#include <thread>
#include <utility>

namespace {

int first_error = 0;
bool has_failed = false; ///< of one failure a driver may tell twice

int print_error(Display *, XErrorEvent *error) {
    if (std::exchange(has_failed, true))
        return 0;
    std::printf("error: %s %d\n", error->error_code >= first_error ? "GLX's" : "X's",
                error->error_code >= first_error ? error->error_code - first_error : error->error_code);
    return 0;
}

void try_glx(Display *display, const char *what, const std::function<void()> &call) {
    std::printf("%s\n", what);
    has_failed = false;
    call();
    XSync(display, False);
}

Window make_window(Display *display, const XVisualInfo &visual) {
    const Window root = RootWindow(display, visual.screen);
    XSetWindowAttributes attributes{};
    attributes.colormap = XCreateColormap(display, root, visual.visual, AllocNone);
    return XCreateWindow(display, root, 0, 0, 64, 48, 0, visual.depth, InputOutput, visual.visual,
                         CWBorderPixel | CWColormap, &attributes);
}

int glx(Display *display) {
    const int wanted[] = {GLX_DOUBLEBUFFER, True, GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT | GLX_PBUFFER_BIT, None};
    int count = 0, first_event = 0, id = 0;
    GLXFBConfig *const configs = glXChooseFBConfig(display, DefaultScreen(display), wanted, &count);
    XVisualInfo *const visual = count ? glXGetVisualFromFBConfig(display, configs[0]) : nullptr;
    if (!visual || !glXQueryExtension(display, &first_error, &first_event))
        return 1;
    XSetErrorHandler(print_error);
    Window window = make_window(display, *visual);
    GLXWindow drawn = glXCreateWindow(display, configs[0], window, nullptr);
    unsigned value = 0;
    try_glx(display, "the format of a window", [&] { glXQueryDrawable(display, drawn, GLX_FBCONFIG_ID, &value); });
    glXGetFBConfigAttrib(display, configs[0], GLX_FBCONFIG_ID, &id);
    std::printf("it is %s\n", static_cast<int>(value) == id ? "its own" : "another one");
    try_glx(display, "a window's name ends before the window", [&] { glXDestroyWindow(display, drawn); });
    drawn = glXCreateWindow(display, configs[0], window, nullptr);
    XDestroyWindow(display, window);
    try_glx(display, "a window's name ends after the window", [&] { glXDestroyWindow(display, drawn); });
    window = make_window(display, *visual);
    const GLXContext context = glXCreateNewContext(display, configs[0], GLX_RGBA_TYPE, nullptr, True);
    const Pixmap pixmap = XCreatePixmap(display, window, 20, 10, static_cast<unsigned>(visual->depth));
    constexpr XID nothing = 0x12345;
    try_glx(display, "a window as a pixmap", [&] { glXCreatePixmap(display, configs[0], window, nullptr); });
    try_glx(display, "nothing as a pixmap", [&] { glXCreatePixmap(display, configs[0], nothing, nullptr); });
    try_glx(display, "a window as a pixmap of a visual", [&] { glXCreateGLXPixmap(display, visual, window); });
    try_glx(display, "nothing as a window", [&] { glXCreateWindow(display, configs[0], nothing, nullptr); });
    try_glx(display, "a pixmap as a window", [&] { glXCreateWindow(display, configs[0], pixmap, nullptr); });
    try_glx(display, "a window twice", [&] {
        glXCreateWindow(display, configs[0], window, nullptr);
        glXCreateWindow(display, configs[0], window, nullptr);
    });
    try_glx(display, "nothing ends as a pixmap", [&] { glXDestroyPixmap(display, nothing); });
    try_glx(display, "nothing ends as a pbuffer", [&] { glXDestroyPbuffer(display, nothing); });
    try_glx(display, "nothing ends as a window", [&] { glXDestroyWindow(display, nothing); });
    try_glx(display, "nothing is current", [&] { glXMakeCurrent(display, nothing, context); });
    try_glx(display, "nothing is swapped", [&] { glXSwapBuffers(display, nothing); });
    try_glx(display, "no drawable is asked for its size", [&] { glXQueryDrawable(display, None, GLX_WIDTH, &value); });
    const int small[] = {GLX_PBUFFER_WIDTH, 8, GLX_PBUFFER_HEIGHT, 8, None};
    const GLXPbuffer pbuffer = glXCreatePbuffer(display, configs[0], small);
    const GLXPixmap drawn_pixmap = glXCreatePixmap(display, configs[0], pixmap, nullptr);
    try_glx(display, "a pbuffer ends as a pixmap", [&] { glXDestroyPixmap(display, pbuffer); });
    try_glx(display, "a pixmap ends as a pbuffer", [&] { glXDestroyPbuffer(display, drawn_pixmap); });
    try_glx(display, "both end as what they are", [&] {
        glXDestroyPbuffer(display, pbuffer);
        glXDestroyPixmap(display, drawn_pixmap);
    });
    const int size[] = {GLX_PBUFFER_WIDTH, 100'000, GLX_PBUFFER_HEIGHT, 1, None};
    try_glx(display, "a pbuffer is too large", [&] { glXCreatePbuffer(display, configs[0], size); });
    return 0;
}

void try_egl(const char *what, EGLBoolean done) {
    std::printf("%s: %s, 0x%x\n", what, done ? "yes" : "no", static_cast<unsigned>(eglGetError()));
}

/// Another thread has the objects current, until the returned object is destroyed.
class Elsewhere {
  public:
    Elsewhere(EGLDisplay display, EGLSurface surface, EGLContext context)
        : thread_([=, this] {
              try_egl("it is current in a thread", eglMakeCurrent(display, surface, surface, context));
              begun_.set_value();
              ends_.get_future().wait();
              unsigned char pixel[4] = {};
              glClearColor(0, 1, 0, 1);
              glClear(GL_COLOR_BUFFER_BIT);
              glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
              std::printf("the thread has drawn %d %d %d\n", pixel[0], pixel[1], pixel[2]);
              try_egl("the thread lets go", eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
          }) {
        begun_.get_future().wait();
    }
    ~Elsewhere() {
        ends_.set_value();
        thread_.join();
    }

  private:
    std::promise<void> begun_, ends_;
    std::thread thread_;
};

int egl(Display *x) {
    const EGLDisplay display = eglGetDisplay(reinterpret_cast<EGLNativeDisplayType>(x));
    const EGLint wanted[] = {EGL_SURFACE_TYPE,    EGL_PBUFFER_BIT,    EGL_RED_SIZE, 8,
                             EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_NONE};
    const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE},
                 size[] = {EGL_WIDTH, 32, EGL_HEIGHT, 32, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0, visual = 0;
    if (!eglInitialize(display, nullptr, nullptr) || !eglChooseConfig(display, wanted, &config, 1, &count) || !count)
        return 1;
    eglGetConfigAttrib(display, config, EGL_NATIVE_VISUAL_ID, &visual);
    std::printf("the first format %s a visual\n", visual ? "has" : "has not");
    const EGLSurface surface = eglCreatePbufferSurface(display, config, size),
                     other = eglCreatePbufferSurface(display, config, size);
    const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version),
                     for_any = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
    {
        const Elsewhere thread(display, surface, context);
        try_egl("a context of another thread", eglMakeCurrent(display, other, other, context));
        try_egl("a surface of another thread", eglMakeCurrent(display, surface, surface, for_any));
        try_egl("the thread's surface is destroyed", eglDestroySurface(display, surface));
        try_egl("the thread's context is destroyed", eglDestroyContext(display, context));
        try_egl("a destroyed context", eglMakeCurrent(display, other, other, context));
        try_egl("a destroyed surface", eglMakeCurrent(display, surface, surface, for_any));
    }
    try_egl("a context for any format", eglMakeCurrent(display, other, other, for_any));
    const EGLint eager[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_CONTEXT_RELEASE_BEHAVIOR_KHR,
                            EGL_CONTEXT_RELEASE_BEHAVIOR_NONE_KHR, EGL_NONE},
                 robust[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_CONTEXT_FLAGS_KHR,
                             EGL_CONTEXT_OPENGL_ROBUST_ACCESS_BIT_KHR, EGL_NONE};
    try_egl("a context that is not flushed", eglCreateContext(display, config, EGL_NO_CONTEXT, eager) != nullptr);
    try_egl("a robust one of OpenGL ES", eglCreateContext(display, config, EGL_NO_CONTEXT, robust) != nullptr);
    const auto get = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    const EGLDisplay none = get ? get(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr) : EGL_NO_DISPLAY;
    try_egl("a display without surfaces", none && eglInitialize(none, nullptr, nullptr));
    const EGLContext off_screen = eglCreateContext(none, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
    try_egl("its context", eglMakeCurrent(none, EGL_NO_SURFACE, EGL_NO_SURFACE, off_screen));
    std::printf("it is %s\n", eglGetCurrentContext() == off_screen ? "current" : "not current");
    try_egl("the other display's context", eglMakeCurrent(display, other, other, for_any));
    std::printf("it is %s\n", eglGetCurrentContext() == for_any ? "current" : "not current");
    try_egl("the display ends", eglTerminate(display));
    std::printf("%s is current\n", eglGetCurrentContext() ? "a context" : "nothing");
    try_egl("nothing becomes current", eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
    eglInitialize(display, nullptr, nullptr);
    try_egl("a context from before", eglMakeCurrent(display, other, other, for_any));
    return 0;
}

/// What GLEW asks for that was built for GLX, though the context is one of EGL.
int glew(Display *x) {
    const EGLDisplay display = eglGetDisplay(reinterpret_cast<EGLNativeDisplayType>(x));
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE},
                 size[] = {EGL_WIDTH, 32, EGL_HEIGHT, 32, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (!eglInitialize(display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API) ||
        !eglChooseConfig(display, wanted, &config, 1, &count) || !count)
        return 1;
    const EGLSurface surface = eglCreatePbufferSurface(display, config, size);
    const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, nullptr);
    const auto tell = [x](const char *when) {
        std::printf("%s: %s display\n", when, glXGetCurrentDisplay() == x ? "the" : "no");
    };
    tell("before");
    if (!eglMakeCurrent(display, surface, surface, context))
        return 1;
    tell("current");
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    tell("released");
    return 0;
}

} // namespace

int main(int, char **argv) {
    XInitThreads();
    Display *const display = XOpenDisplay(nullptr);
    if (!display || !argv[1])
        return 1;
    const std::string_view way = argv[1];
    const int status = way == "egl" ? egl(display) : way == "glew" ? glew(display) : glx(display);
    XCloseDisplay(display);
    std::puts("done");
    return status;
}
