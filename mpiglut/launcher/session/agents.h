// mpiglutrun's side of the control connections: lets in those that know the run's secret, each as one rank, and none
// any more once all have come.
#pragma once

#include "child/control.h"
#include "child/loop.h"
#include "job/placement.h"
#include "link/link.h"
#include "link/reception.h"
#include "link/secret.h"

#include <functional>
#include <memory>
#include <vector>

namespace mpiglut::launcher {

class Agents {
  public:
    struct Listener {
        std::function<void(int rank)> joined;
        std::function<void(int rank, Frame &&frame)> received;
        std::function<void(int rank)> left;
    };
    /// `folder`: as listen_for_agents. `error` says why no agent can connect.
    Agents(Loop &loop, const Placement &placement, const std::string &folder, std::chrono::seconds patience,
           Listener listener, std::string &error);

    const Control &control() const { return control_; }
    const std::string &secret() const { return secret_; }
    int ranks() const { return static_cast<int>(peers_.size()); }
    bool complete() const;
    bool all_left() const;
    bool joined(int rank) const { return at(rank).link != nullptr; }
    const Hello &hello(int rank) const { return at(rank).hello; }

    /// Nothing happens when the agent has not come or has left.
    template <class Message> void send(int rank, const Message &message) { send(rank, Message::type, pack(message)); }
    void send(int rank, Type type, const std::string &payload = {});
    /// Reads nothing from these agents for a while.
    void pause(bool paused);

  private:
    struct Peer {
        std::shared_ptr<Link> link; ///< null: has not come
        Hello hello;
    };
    const Peer &at(int rank) const { return peers_[static_cast<std::size_t>(rank)]; }
    bool admit(const std::shared_ptr<Link> &link, Hello &&hello);

    Listener listener_;
    Control control_;
    const std::string secret_ = random_token();
    std::vector<Peer> peers_;
    std::unique_ptr<Reception> reception_; ///< until all have come
};

} // namespace mpiglut::launcher
