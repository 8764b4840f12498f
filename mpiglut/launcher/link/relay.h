// Carries bytes between a link and a socket that a program of this host has the other end of, so that what programs of
// two hosts say to each other is protected as all else is (link.h). Neither side is read faster than the other takes.
#pragma once

#include "child/loop.h"
#include "link/link.h"
#include "run/frames.h"

#include <functional>
#include <memory>
#include <string>

namespace mpiglut::launcher {

class Relay {
  public:
    /// `link`: its frames of type `relayed` go to receive(), its end to link_closed(). `over`: both have ended; called
    /// once, after what came before has been passed on. The relay may be destroyed by it.
    Relay(Loop &loop, std::shared_ptr<Link> link, std::function<void()> over);
    ~Relay();
    Relay(const Relay &) = delete;
    Relay &operator=(const Relay &) = delete;

    /// The program's end of the socket, once. Empty where the system has none left.
    Descriptor release_program_end() { return std::move(far_); }
    void receive(std::string_view bytes);
    void link_closed();

  private:
    void ready(short revents);
    void update();
    void close();

    Loop &loop_;
    std::shared_ptr<Link> link_;
    std::function<void()> over_;
    Descriptor near_, far_;
    ByteQueue to_program_;
    bool program_gone_ = false, link_gone_ = false;
};

} // namespace mpiglut::launcher
