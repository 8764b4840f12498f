// A communicator of an endpoint: its ranks are the slots of all endpoints, rank after rank of MPI's communicator, and
// behind them the processes themselves. Its envelopes say from whom they are and to whom. MPI knows processes only, so
// this matches them itself, in MPI's order: a list of receives that are posted, and one of letters that nobody has
// asked for (Channel::waiting). Processes of one host write letters into each other's rings (letter_ring.h) instead of
// MPI, and those between slots of one process go nowhere.
#pragma once

#include "request/channel.h"
#include "request/letter_ring.h"
#include "request/shown.h"

namespace pixmpi {

struct Message;

/// In place of Message::own: what the library tells itself in other processes, which `rank` names.
constexpr int service_rank = -1000;

/// The rings between this process and another one; none where the two share no memory.
struct Neighbour {
    LetterWriter *out = nullptr;
    LetterReader in;
    std::shared_ptr<Peer> mapping; ///< in which `in` lies
};

struct SlotSpace {
    SlotSpace() = default;
    SlotSpace(const SlotSpace &) = delete;
    SlotSpace &operator=(const SlotSpace &) = delete;
    ~SlotSpace();

    int processes = 0;
    int own = 0;                       ///< this process' rank
    int first = 0, count = 0;          ///< ranks of this process' slots
    std::vector<int> process;          ///< by rank: whose it is
    std::list<Message *> posted;       ///< receives that nothing has matched, in the order of their starts
    Letters arriving;                  ///< taken out of MPI's matching, in its order, and perhaps still on their way
    Letters here;                      ///< from slots of this process
    std::vector<Neighbour> neighbours; ///< by process
    bool all_by_rings = false;         ///< MPI brings nothing
    std::unique_ptr<Shown> shown;      ///< windows that cards of other processes reach, or null
    std::list<LetterRings> rings;      ///< one; a list, so that passing it on asks for no memory
    int slots() const { return static_cast<int>(process.size()) - processes; }
    /// Whether something lies in a ring that has not been taken.
    bool has_letters() const;
};

/// What each process tells the others when they make an endpoint; as many bytes on all of them.
using Words = std::vector<std::uint64_t>;

/// Collective: makes a duplicate of `comm` with `slots` ranks of this process', and another one, `plain`, for what the
/// library does among the processes. `told`: what this process tells the others; `all`: what all have told, by process.
/// A rank that has failed says so by a negative number of slots, and all fail then.
Status open_slots(Runtime &runtime, Lock &lock, MPI_Comm comm, int slots, const Words &told, MPI_Comm &space,
                  MPI_Comm &plain, std::vector<Words> &all);
/// Collective: a byte from each process for each other one.
Status exchange_bytes(Runtime &runtime, Lock &lock, MPI_Comm plain, const std::vector<char> &to,
                      std::vector<char> &from);
/// From now on a thread does what others ask of an endpoint of this channel while the program calls nothing: for
/// processes of this host, for others only where MPI takes calls of several threads.
void serve_beside_program(Runtime &runtime, const Channel &channel);
/// Both duplicates. Collective, as MPI_Comm_free is.
void close_slots(MPI_Comm &space, MPI_Comm &plain);

} // namespace pixmpi
