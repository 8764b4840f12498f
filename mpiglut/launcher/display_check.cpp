#include "display_check.h"

#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <GL/glx.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <X11/Xlib.h>

namespace mpiglut::launcher {

namespace {

constexpr unsigned longest_seconds = 10;

enum Result { fine, no_display, no_glx, no_libx11, no_libgl };

/// Looked up at run time, so that a host without the library gets a sentence instead of a loader's error.
#define LOOK_UP(library, function) reinterpret_cast<decltype(&::function)>(::dlsym(library, #function))

Result check(const char *display) {
    void *x11 = ::dlopen("libX11.so.6", RTLD_NOW | RTLD_GLOBAL);
    if (!x11)
        return no_libx11;
    auto open = LOOK_UP(x11, XOpenDisplay);
    Display *connection = open ? open(display) : nullptr;
    if (!connection)
        return no_display;
    void *gl = ::dlopen("libGL.so.1", RTLD_NOW | RTLD_GLOBAL);
    auto query = gl ? LOOK_UP(gl, glXQueryExtension) : nullptr;
    int error = 0, event = 0;
    return !query ? no_libgl : query(connection, &error, &event) ? fine : no_glx;
}

} // namespace

pid_t start_display_check(const std::string &display, const std::string &authority) {
    pid_t parent = ::getpid(), pid = ::fork();
    if (pid != 0)
        return pid;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
        ::_exit(no_display);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::alarm(longest_seconds);
    int null = ::open("/dev/null", O_RDWR); // "No protocol specified" and its like
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
    ::close_range(3, ~0u, 0); // above all the guard's pipe
    if (!authority.empty())
        ::setenv("XAUTHORITY", authority.c_str(), 1);
    ::_exit(check(display.c_str()));
}

std::string display_problem(const std::string &display, int status) {
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGALRM
                   ? "the X server '" + display + "' does not answer"
                   : "looking for OpenGL on the X server '" + display + "' crashed; is the GL driver installed?";
    switch (WEXITSTATUS(status)) {
    case fine:
        return {};
    case no_glx:
        return "the X server '" + display + "' has no OpenGL (GLX extension)";
    case no_libx11:
        return "libX11.so.6 is not installed";
    case no_libgl:
        return "libGL.so.1 is not installed, so there is no OpenGL";
    }
    if (display.empty())
        return "no X server: DISPLAY is not set (use --headless for a wall without screens)";
    return "cannot open the X server '" + display + "' (use --headless for a wall without screens)";
}

} // namespace mpiglut::launcher
