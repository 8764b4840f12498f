#include "program/display_check.h"
#include "child/descriptor.h"

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
constexpr int tries = 10; // a server that resets itself refuses everybody for a moment
constexpr useconds_t between_tries_us = 100'000;

enum Result { fine, no_display, no_glx, no_libx11, no_libgl };

Pipe alive; ///< held open by the agent alone

/// Looked up at run time, so that a host without the library gets a sentence instead of a loader's error.
#define LOOK_UP(library, function) reinterpret_cast<decltype(&::function)>(::dlsym(library, #function))

Result check(const char *display) {
    void *x11 = ::dlopen("libX11.so.6", RTLD_NOW | RTLD_GLOBAL);
    if (!x11)
        return no_libx11;
    auto open = LOOK_UP(x11, XOpenDisplay);
    Display *connection = nullptr;
    for (int i = 0; open && !connection && i < tries; ++i)
        if (!(connection = open(display)))
            ::usleep(between_tries_us);
    if (!connection)
        return no_display;
    void *gl = ::dlopen("libGL.so.1", RTLD_NOW | RTLD_GLOBAL);
    auto query = gl ? LOOK_UP(gl, glXQueryExtension) : nullptr;
    int error = 0, event = 0;
    return !query ? no_libgl : query(connection, &error, &event) ? fine : no_glx;
}

/// An X server without clients resets itself: on a bare one, the end of this check's connection could meet the beginning
/// of the program's. So a process stays behind that holds ours until the agent, at the other end of the pipe, is gone.
void keep_connection(int until_closed) {
    if (::fork() != 0)
        return;
    ::prctl(PR_SET_NAME, "mpiglutrun-keep");
    char byte;
    while (::read(until_closed, &byte, 1) > 0) {
    }
    ::_exit(0);
}

} // namespace

pid_t start_display_check(const std::string &display, const std::string &authority) {
    alive = make_pipe();
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
    int null = ::open("/dev/null", O_RDWR); // "No protocol specified" and so on
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
    constexpr int until_closed = 3;
    ::dup2(alive.read.get(), until_closed);
    ::close_range(until_closed + 1, ~0u, 0); // above all the guard's pipe
    if (!authority.empty())
        ::setenv("XAUTHORITY", authority.c_str(), 1);
    const Result result = check(display.c_str());
    if (result == fine)
        keep_connection(until_closed);
    ::_exit(result);
}

void end_display_check() { alive = {}; }

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
