// Tiles on a Wayland session: the session's monitors, and the Xwayland that shows an X screen on one of them.
#pragma once

#include "child/descriptor.h"
#include "child/loop.h"
#include "program/x_server.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mpiglut::launcher {

struct Monitor {
    std::string name; ///< "HDMI-A-1"; empty where the compositor does not say it
    int width = 0, height = 0;
    bool is_turned = false; ///< by 90 degrees; width and height are those before
};

/// Of a tile that names none: a session of Wayland may set no DISPLAY.
std::string own_display();

/// An Xwayland for one of these monitors. `display` is as in a wall file. `help` lists the options of its version; `note`
/// says what that cannot do.
ServerCommand xwayland(const std::string &display, const std::vector<Monitor> &monitors, const std::string &help,
                       std::string &note);

/// Asks a session's compositor for its monitors.
class WaylandSession {
  public:
    /// Calls `done` once, in the loop, with a command or its error, `longest` from now at the latest.
    WaylandSession(Loop &loop, std::string display, std::chrono::seconds longest,
                   std::function<void(ServerCommand, std::string note)> done);
    ~WaylandSession();
    WaylandSession(const WaylandSession &) = delete;
    WaylandSession &operator=(const WaylandSession &) = delete;

  private:
    std::string connect(const std::string &path);
    void request(std::uint32_t object, std::uint32_t opcode, const std::string &arguments);
    void read();
    void receive(std::uint32_t object, std::uint32_t opcode, std::string_view arguments);
    void answer(const std::string &error);

    Loop &loop_;
    std::string display_, path_, bytes_;
    std::function<void(ServerCommand, std::string)> done_;
    Descriptor socket_;
    int timer_ = 0;
    std::uint32_t next_object_ = 2, waits_for_ = 0; ///< a callback of the compositor's
    std::map<std::uint32_t, Monitor> monitors_;     ///< by object
};

} // namespace mpiglut::launcher
