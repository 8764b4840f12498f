// An X server that an agent starts: an Xvfb, or an Xwayland that shows tiles on a Wayland session.
#pragma once

#include "child/descriptor.h"
#include "child/guard.h"
#include "child/loop.h"

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace mpiglut::launcher {

/// An entry of an XAUTHORITY file: the cookie for this display on any host; without a number, for any display.
std::string cookie_entry(const std::string &number, const std::string &cookie);
/// The same entry, for this host alone.
std::string for_this_host(const std::string &entry);

/// How a server is started.
struct ServerCommand {
    std::string program, package;
    std::vector<std::string> arguments; ///< in addition to those that all servers get
    std::string compositor;             ///< the socket of a Wayland session; empty: it is no client of one
    std::string error;                  ///< why it cannot be started
};
enum class XvfbOf {
    tiles,
    wall, ///< for an X11 program: no OpenGL, and nothing that needs the memory of one host
};
/// One screen of this size.
ServerCommand xvfb(int width, int height, XvfbOf whose);

class XServer {
  public:
    struct Answer {
        std::string display, authority; ///< ":7" and the cookie file
        std::string error;              ///< why there is no server
    };
    /// Starts a server with its files in `directory`, and calls `answer` once.
    XServer(Loop &loop, Guard &guard, const std::string &directory, ServerCommand command,
            std::function<void(Answer)> answer);
    ~XServer();

    pid_t pid() const { return pid_; }
    /// It has ended and was reaped; true when it had been in use.
    bool ended(int status);
    /// "Xvfb ended: killed by signal 9 (Killed)"
    std::string describe_end(int status) const;

  private:
    bool prepare();
    bool write_cookie(const std::string &path, const std::string &number) const;
    void start();
    void read_number();
    void answer(Answer what);

    Loop &loop_;
    Guard &guard_;
    std::function<void(Answer)> answer_;
    ServerCommand command_;
    std::string directory_, log_, number_, cookie_;
    int starts_ = 0;
    Descriptor numbers_;
    int timer_ = 0;
    pid_t pid_ = -1;
};

} // namespace mpiglut::launcher
