// An X server for the tiles of one host, for --headless.
#pragma once

#include "child/descriptor.h"
#include "child/guard.h"
#include "child/loop.h"

#include <functional>
#include <string>
#include <sys/types.h>

namespace mpiglut::launcher {

/// An entry of an XAUTHORITY file: the cookie for this display on any host; without a number, for any display.
std::string cookie_entry(const std::string &number, const std::string &cookie);
/// The same entry, for this host alone.
std::string for_this_host(const std::string &entry);

class Xvfb {
  public:
    struct Answer {
        std::string display, authority; ///< ":7" and the cookie file
        std::string error;              ///< why there is no server
    };
    /// Starts a server with one screen of this size, its files in `directory`, and calls `answer` once.
    enum class Of {
        tiles,
        wall, ///< for an X11 program: no OpenGL, and nothing that needs the memory of one host
    };
    Xvfb(Loop &loop, Guard &guard, const std::string &directory, int width, int height, Of whose,
         std::function<void(Answer)> answer);
    ~Xvfb();

    pid_t pid() const { return pid_; }
    /// It has ended and was reaped; true when it had been in use.
    bool ended(int status);

  private:
    bool prepare();
    bool write_cookie(const std::string &path, const std::string &number) const;
    void start();
    void read_number();
    void answer(Answer what);

    Loop &loop_;
    Guard &guard_;
    std::function<void(Answer)> answer_;
    std::string directory_, number_, cookie_;
    int width_, height_;
    Of whose_;
    int starts_ = 0;
    Descriptor numbers_;
    int timer_ = 0;
    pid_t pid_ = -1;
};

} // namespace mpiglut::launcher
