// Who the processes are: what each tells the others when a communicator is attached, and what one keeps about another.
#pragma once

#include "stage/stage.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace pixmpi {

/// FNV-1a.
std::uint64_t hash(std::string_view bytes, std::uint64_t seed = 0);

/// A process' identity, sent to all other processes; plain bytes.
struct Card {
    std::uint32_t version; ///< of this struct and the messages; ranks with different ones do not fit together
    std::int32_t pid;
    std::uint64_t id; ///< random, never 0
    std::uint64_t
        host[2]; ///< equal where shared memory can be expected: machine, and the namespaces of network and IPC
    std::int32_t stage_descriptor; ///< in the process `pid`
    std::uint32_t uid;             ///< the user's
    std::uint64_t stage_bytes;
    char host_name[64];
    std::uint64_t cores[16]; ///< that the process may run on, a bit each
};
constexpr std::uint32_t card_version = 6;

/// Without the stage's fields. The id is made once for a process.
Card make_card();

inline bool same_host(const Card &a, const Card &b) { return a.host[0] == b.host[0] && a.host[1] == b.host[1]; }

/// Another process, or this one. Shared by all communicators.
class Peer {
  public:
    explicit Peer(const Card &card);
    ~Peer();
    Peer(const Peer &) = delete;
    Peer &operator=(const Peer &) = delete;

    const Card card;
    bool is_self() const { return self_; }
    /// Maps its stage memory; false when it cannot be reached. `self`: this process' own.
    bool map(const StageMap *self);
    /// Null base when it is not mapped.
    const StageMap &stage() const { return stage_; }
    /// Whether it has ended, as far as that can be seen: only for processes of this host.
    bool ended() const;

  private:
    bool self_ = false;
    StageMap stage_;
    int watch_ = -1;
};

/// Notices the end of a process that something is awaited from. Asking the system takes a microsecond, so it is done
/// now and then only.
class Watch {
  public:
    bool ended(const Peer &peer) { return ++asked_ % 1024 == 0 && peer.ended(); }

  private:
    std::uint32_t asked_ = 0;
};

} // namespace pixmpi
