// How a rank that comes back reaches rank 0: the agent of rank 0 keeps a socket for the rank's agent. It gets in with
// the socket's own secret, which rank 0's agent has made, and which has come to it by way of mpiglutrun. The two
// programs then talk through their agents (relay.h).
#pragma once

#include "child/descriptor.h"
#include "child/loop.h"
#include "link/link.h"
#include "link/messages.h"
#include "link/reception.h"
#include "link/relay.h"

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace mpiglut::launcher {

class RejoinServer {
  public:
    /// `elsewhere`, `hosts`, `folder`: as listen_for_agents. `admit`: the agent of one of so many `ranks` is in, and
    /// its program is at the other end of this socket.
    RejoinServer(Loop &loop, int ranks, bool elsewhere, const std::vector<std::string> &hosts,
                 const std::string &folder, std::function<void(int rank, Descriptor socket)> admit);

    /// Where it is, and what opens it.
    const RejoinAddress &at() const { return at_; }
    /// Why there is none.
    const std::string &error() const { return error_; }

  private:
    bool admit(const std::shared_ptr<Link> &link, const Hello &hello);

    Loop &loop_;
    int ranks_;
    std::string error_;
    std::function<void(int, Descriptor)> admit_;
    RejoinAddress at_;
    std::list<std::unique_ptr<Relay>> guests_;
    std::unique_ptr<Reception> reception_;
};

/// One agent that asks another.
class RejoinClient {
  public:
    using Done = std::function<void(Descriptor socket, const std::string &error)>;
    /// `hello`: of the rank's agent. `done` is called once, a few seconds later at most, and not from here: with the
    /// program's end of a socket, or with why there is none.
    RejoinClient(Loop &loop, const RejoinAddress &server, const Hello &hello, Done done);
    ~RejoinClient();
    RejoinClient(const RejoinClient &) = delete;
    RejoinClient &operator=(const RejoinClient &) = delete;
    bool is_over() const { return !done_; }

  private:
    void received(const Frame &frame);
    void closed();
    void give_up(const std::string &error);

    Loop &loop_;
    Done done_;
    std::shared_ptr<Link> link_;
    std::unique_ptr<Relay> relay_;
    int timer_ = 0;
};

} // namespace mpiglut::launcher
