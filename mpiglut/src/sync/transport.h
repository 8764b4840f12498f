// Messages over MPI; transport.cpp is the only file of mpiglut that includes <mpi.h>. Bytes go up to rank 0 and down
// from it on a duplicate of MPI_COMM_WORLD; between two ranks they keep their order.
//
// MPI is used by one thread at a time: whoever calls in here holds comm's lock. Nothing in here waits with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mpiglut::transport {

using Bytes = std::vector<std::byte>;

enum class Type : std::uint32_t {
    input,   ///< up: events
    done,    ///< up: a tick is finished
    collect, ///< up: a rank has reached a collective
    ask,     ///< up: a rank waits for a word
    tick,    ///< down
    go,      ///< down: a collective is over
    word,    ///< down: what rank 0 publishes
    explain, ///< down: which values went into a tick's digest? up: these
};

struct Header {
    Type type{};
    std::uint32_t kind = 0;     ///< collective: which
    std::uint64_t tick = 0;
    std::uint32_t index = 0;  ///< collective, word: the how-manieth of its tick
    std::uint32_t agreed = 0; ///< go: all ranks came; word: rank 0 came
    std::uint64_t signature = 0;
    std::uint32_t lane = 0; ///< whose of the rank's threads; see sync/lanes.h
    std::uint32_t unused = 0;
};

struct Message {
    Header header;
    Bytes payload;
};

/// Starts MPI unless the program has; false, with `error` set, when that fails. `outlives`: ranks may die, and the
/// others go on.
bool start(bool outlives, std::string &error);
/// Ends MPI if `start` began it, and if every rank can come to that.
void stop();
bool started();
int rank();
int size();
/// Host names by rank.
const std::vector<std::string> &hosts();

/// Returns at once; the bytes are kept until they are gone.
void send(int to, const Header &header, std::span<const std::byte> payload);
/// This rank is dead: nothing goes to it any more, and nothing comes from it.
void forget(int rank);
/// Hands every message that has arrived to `take(from, message)`; true when there was one.
bool pump(const std::function<void(int, Message &&)> &take);
/// All ranks' bytes to all ranks, sizes known to all. `wait_until` calls what it is given until that says that it is
/// over, with the lock held. Lanes do not meet each other's.
using WaitUntil = void (*)(const std::function<bool()> &ready);
void all_gather(std::uint32_t lane, std::span<const std::byte> mine, std::span<const std::size_t> sizes,
                std::vector<Bytes> &all, WaitUntil wait_until);
/// What to add to this rank's real monotonic clock to get rank 0's; 0 on the same host.
std::int64_t clock_offset_ns();
/// Everything sent to those who live has left.
bool flushed();
/// MPI may be used by several threads in turn. When the program has started MPI it uses it at times of its own, so that
/// only MPI_THREAD_MULTIPLE will do.
bool takes_turns();

} // namespace mpiglut::transport
