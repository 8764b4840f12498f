// Where agents connect, at mpiglutrun and at the agent of rank 0: lets in those that know the secret and say who they
// are. An agent proves itself within a round trip. So strangers are few, have little time, and nothing is kept of them.
#pragma once

#include "child/loop.h"
#include "link/link.h"
#include "link/net.h"

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>

namespace mpiglut::launcher {

class Reception {
  public:
    /// Takes charge of a link whose agent has said this, and returns true; or refuses it.
    using Admit = std::function<bool(const std::shared_ptr<Link> &link, Hello &&hello)>;
    /// Of at most `most` strangers at a time; of more the oldest has to go, and an agent comes again.
    Reception(Loop &loop, Listener &&listener, const std::string &secret, std::size_t most, Admit admit);
    ~Reception() { shut(); }
    Reception(const Reception &) = delete;
    Reception &operator=(const Reception &) = delete;

    /// From now on no agent is let in.
    void shut();

    static constexpr std::size_t most_strangers = 128;
    static constexpr std::size_t longest_hello = 4096;
    static constexpr std::chrono::seconds patience{5};

  private:
    struct Stranger {
        std::shared_ptr<Link> link;
        int timer = 0;
    };
    using StrangerRef = std::list<Stranger>::iterator;
    void accept();
    void greet(StrangerRef stranger, const Frame &frame);
    void drop(StrangerRef stranger);

    Loop &loop_;
    Descriptor socket_;
    const TlsKeyRef key_;
    std::size_t most_strangers_;
    Admit admit_;
    std::list<Stranger> strangers_;
};

} // namespace mpiglut::launcher
