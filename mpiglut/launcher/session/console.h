// mpiglutrun's end of the connection to the operator's server, walld: a separate process, so that no browser ever keeps
// the wall waiting. Data that the server does not take in time is dropped.
#pragma once

#include "child/guard.h"
#include "link/link.h"
#include "option/options.h"

#include <functional>
#include <memory>
#include <string>

namespace mpiglut::launcher {

class Console {
  public:
    struct Listener {
        std::function<void(std::chrono::milliseconds interval)> attend;
        std::function<void(const std::string &events)> operate;
        std::function<void(bool at_once)> stop;
        std::function<void(const Address &address)> address;
        std::function<void()> gone;
    };
    Console(Loop &loop, Guard &guard, Listener listener) : loop_(loop), guard_(guard), listener_(std::move(listener)) {}

    /// Starts the server, or takes the one that has started mpiglutrun. Empty, or why there is none.
    std::string start(const ControlOptions &options);
    pid_t pid() const { return pid_; }

    template <class Message> void send(const Message &message) {
        if (link_ && link_->queued() < most_queued)
            link_->send(message);
    }
    /// What a rank's agent has sent.
    void pass_on(int rank, const Frame &frame);

  private:
    static constexpr std::size_t most_queued = 32u << 20;
    void received(const Frame &frame);

    Loop &loop_;
    Guard &guard_;
    Listener listener_;
    std::shared_ptr<Link> link_;
    pid_t pid_ = -1;
};

} // namespace mpiglut::launcher
