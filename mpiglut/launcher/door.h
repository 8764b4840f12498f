// How a rank that comes back reaches rank 0: the agent of rank 0 keeps a door, at which the rank's agent knocks and
// proves that it knows the run's token (proof.h). Each agent then hands the connection to its program.
#pragma once

#include "descriptor.h"
#include "link.h"
#include "loop.h"
#include "messages.h"

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace mpiglut::launcher {

class Door {
  public:
    /// `elsewhere`, `hosts`, `folder`: as listen_for_agents. `admit`: somebody has proved to be this rank's agent.
    Door(Loop &loop, std::string token, bool elsewhere, const std::vector<std::string> &hosts,
         const std::string &folder, std::function<void(int rank, Descriptor socket)> admit);
    ~Door();

    /// Where it is.
    const DoorAt &at() const { return at_; }
    /// Why there is none.
    const std::string &error() const { return error_; }

  private:
    struct Guest {
        std::shared_ptr<Link> link;
        Challenge challenge;
        int timer = 0;
    };
    using GuestRef = std::list<Guest>::iterator;
    void accept();
    void greet(GuestRef guest, const Frame &frame);
    void drop(GuestRef guest);

    Loop &loop_;
    std::string token_, error_;
    std::function<void(int, Descriptor)> admit_;
    DoorAt at_;
    Descriptor socket_;
    std::list<Guest> guests_; ///< who has not proved itself yet
};

/// Waits for a few seconds at most. An empty descriptor, with `error` set, when nobody opens. `hello`: who knocks.
Descriptor knock(const DoorAt &door, const std::string &token, Hello hello, std::string &error);

} // namespace mpiglut::launcher
