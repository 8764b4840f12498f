// Messages over MPI; transport.cpp is the only file of mpiglut that includes <mpi.h>. Bytes go up to rank 0 and down
// from it on a duplicate of MPI_COMM_WORLD; between two ranks they keep their order.
//
// MPI is used by one thread at a time: callers hold comm's lock. Nothing in here waits with it.
#pragma once

#include "sync/message.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mpiglut::transport {

/// Starts MPI unless the program has; false, with `error` set, when that fails. `outlives`: ranks may die, and the
/// others go on. `key`: see sync/seal.h; empty: all ranks are on one host. `elsewhere`: by rank, 1 where it is on
/// another host than rank 0.
bool start(bool outlives, const std::string &key, const std::string &elsewhere, std::string &error);
/// The same for a rank that comes back, by its connection to rank 0 alone. This function takes charge of `fd`.
bool start_beside(int rank, int fd, std::string &error);
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
/// Rank 0: a dead rank comes back, and is reached by this connection from now on.
void admit(int rank, int fd);
/// Of such a rank: messages that have been encoded (sync/stream.h), and how many bytes of them have not left.
void send_encoded(int rank, std::span<const std::byte> encoded);
std::size_t queued(int rank);
/// A rank that has lost its connection; -1: none.
int lost();
/// A rank that has not sent what has come from it: somebody between the hosts has; -1: none.
int forged();
/// A rank that a message was for which could not be protected, and has not been sent; -1: none.
int unsealed();
/// Hands every message that has arrived to `handle(from, message)`; true when there was one.
bool pump(const std::function<void(int, Message &&)> &handle);
/// All ranks' bytes to all ranks, sizes known to all. `wait_until` calls what it is given until that says that it is
/// over, with the lock held. Sequences do not meet each other's.
using WaitUntil = void (*)(const std::function<bool()> &ready);
void all_gather(std::uint32_t sequence, std::span<const std::byte> mine, std::span<const std::size_t> sizes,
                std::vector<Bytes> &all, WaitUntil wait_until);
/// What to add to this rank's real monotonic clock to get rank 0's; 0 on the same host.
std::int64_t clock_offset_ns();
/// Everything sent to those who live has left.
bool flushed();
/// MPI may be used by several threads, one at a time. When the program has started MPI it uses it at its own times, so
/// that only MPI_THREAD_MULTIPLE will do.
bool allows_threads();
/// MPI was not there before: the program does not use it.
bool began_mpi();

} // namespace mpiglut::transport
