// What runs on a host that walltool doctor asks: it looks at the displays, and connects back.
#include "doctor.h"
#include "link/net.h"
#include "program/wayland.h"
#include "wall/wall.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <GL/glx.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <X11/Xlib.h>

namespace walltool {

namespace {

/// A server listens where that of a display of this host does, whether this user may connect or not.
bool server_runs(const std::string &display) {
    const auto colon = display.find(':');
    if (colon != 0)
        return false; // of another host, or none: nothing is known
    const sockaddr_un unknown{};
    sockaddr_un address = unknown;
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "/tmp/.X11-unix/X%d", std::atoi(display.c_str() + 1));
    const mpiglut::launcher::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return socket && ::connect(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0;
}

/// "WORD TEXT": renderer and its name, or why there is none.
std::string look_at(const std::string &name) {
    Display *const display = ::XOpenDisplay(name.c_str());
    if (!display)
        return server_runs(name) ? "refused" : "none";
    std::array<int, 6> wanted{GLX_RGBA, GLX_DOUBLEBUFFER, GLX_DEPTH_SIZE, 16, 0, 0};
    int ignored = 0;
    if (!::glXQueryExtension(display, &ignored, &ignored))
        return "no-glx";
    XVisualInfo *const visual = ::glXChooseVisual(display, DefaultScreen(display), wanted.data());
    if (!visual)
        return "no-visual";
    XSetWindowAttributes attributes{};
    const Window root = RootWindow(display, visual->screen);
    attributes.colormap = ::XCreateColormap(display, root, visual->visual, AllocNone);
    const Window window = ::XCreateWindow(display, root, 0, 0, 16, 16, 0, visual->depth, InputOutput, visual->visual,
                                          CWColormap | CWBorderPixel, &attributes);
    const GLXContext context = ::glXCreateContext(display, visual, nullptr, True);
    if (!context || !::glXMakeCurrent(display, window, context))
        return "no-context";
    const auto *renderer = reinterpret_cast<const char *>(::glGetString(GL_RENDERER));
    return std::string("renderer ") + (renderer ? renderer : "unknown");
}

/// "session", and behind it what is in the way of an Xwayland there.
std::string look_at_session(const std::string &display, int seconds) {
    using namespace mpiglut::launcher;
    std::string trouble;
    Loop loop;
    const WaylandSession session(loop, display, std::chrono::seconds(seconds),
                                 [&](const ServerCommand &command, const std::string &) {
                                     trouble = command.error.empty() ? "" : " " + command.error;
                                     loop.stop();
                                 });
    loop.run();
    return "session" + trouble;
}

/// In a separate process: a server may hang, and a driver may crash.
pid_t start_look(const std::string &name, int seconds) {
    std::fflush(stdout);
    const pid_t pid = ::fork();
    if (pid != 0)
        return pid;
    ::alarm(static_cast<unsigned>(seconds));
    const int null = ::open("/dev/null", O_WRONLY);
    ::dup2(null, STDERR_FILENO); // "No protocol specified" and so on
    const std::string found =
        pixmpi::is_wayland(name) ? look_at_session(name, std::max(seconds - 1, 1)) : look_at(name);
    const std::string line = "display " + (name.empty() ? "-" : name) + " " + found + "\n";
    [[maybe_unused]] const ssize_t n = ::write(STDOUT_FILENO, line.data(), line.size());
    ::_exit(0);
}

} // namespace

int probe(const std::string &back, const std::vector<std::string> &displays, int seconds) {
    std::printf("version %s\n", MPIGLUT_VERSION);
    std::vector<std::pair<pid_t, std::string>> looks;
    for (const std::string &name : displays) {
        const std::string display = name == "-" ? mpiglut::launcher::own_display() : name;
        looks.emplace_back(start_look(display, seconds), display.empty() ? "-" : display);
    }
    if (!back.empty()) {
        std::istringstream words(back);
        int port = 0;
        words >> port;
        std::vector<std::string> addresses;
        for (std::string one; words >> one;)
            addresses.push_back(one);
        const bool answers = static_cast<bool>(
            mpiglut::launcher::connect_to_any(addresses, port, std::chrono::milliseconds(seconds * 1000)));
        std::printf("back %s\n", answers ? "ok" : "none");
    }
    for (const auto &[pid, display] : looks) {
        int status = 0;
        if (pid < 0 || ::waitpid(pid, &status, 0) != pid || status != 0)
            std::printf("display %s %s\n", display.c_str(),
                        WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hangs" : "crashed");
    }
    return std::fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace walltool
