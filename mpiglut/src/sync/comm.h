// How the ranks keep in step. Everything travels through rank 0: input and reports up, ticks and releases down, over
// sync/transport.h. Nothing here blocks in MPI; see core/src/wait.h.
//
// A rank does such things in one thread, that of the ticks, or in two: one more may draw. What each of the two does is
// numbered by itself, and any thread may call what is below; see sync/sequences.h.
//
// A collective that some rank does not reach (a program whose ranks diverge) does not hang: rank 0 notices that the
// rank has finished the tick, or entered another collective, releases the others and says so. Nor does one hang whose
// rank is dead: rank 0 learns that from the death counts, and everybody else waits for rank 0 alone.
#pragma once

#include "sync/digest.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace mpiglut {
class DeathCounts;
}

namespace mpiglut::comm {

using Bytes = std::vector<std::byte>;

struct Membership {
    DeathCounts *death_counts = nullptr; ///< the wall goes on without ranks that die; null: it does not
    // See sync/returning.h:
    bool come_back = false; ///< those may come back
    std::uint64_t most_log_bytes = 0;
    int rejoin_fd = -1;           ///< rank 0: there connections to them come in (run/passing.h)
    int rank = 0, stream_fd = -1; ///< this rank comes back, by this connection to rank 0; -1: MPI has started it
    std::string key, elsewhere;   ///< of messages between hosts, see sync/transport.h
};
/// Starts MPI (unless the program has) and the private communicator. False, with `error` set, when that fails.
bool start(const Membership &who, std::string &error);
/// Meets the others at the end of the run; false when some rank did not come within `seconds`. Then MPI is beyond
/// repair, `stop` must not be called, and the process should end with _exit.
bool meet(double seconds);
/// A thread that is not this one has begun to end the run, with the lock of the windows' geometry.
bool ended_by_another();
/// Then this never returns: the thread of the ticks stays, any other ends.
void stay_if_over();
void stop();
bool started();
int rank();
int size();
/// Host names by rank.
const std::vector<std::string> &hosts();
/// As this rank knows it now. Other ranks hear of a death at other times, so whatever all ranks have to decide alike
/// goes by the ticks (Tick::dead), or by what a collective has brought. Of ranks that come back rank 0 alone hears
/// here.
bool lives(int rank);
std::vector<std::int32_t> dead();

// --- ranks that come back, see sync/returning.h --------------------------------------------------------------------
/// This rank has not caught up with the others yet: nobody hears and sees what it does.
bool catching_up();
/// Rank 0, between two ticks, of which `last` was the earlier: ranks that have come as far are among the living.
void readmit(std::uint64_t last);
/// Rank 0, before a tick: waits a little, so that ranks on their way do two ticks for each one of the wall's.
void wait_for_returning(std::uint64_t last);

// --- ticks, see sync/tick.h for what is in them -------------------------------------------------------------------
/// Any rank but 0, at any time: input for rank 0 to order.
void send_input(const Bytes &events);
/// Rank 0: input that has arrived, as (rank, bytes), in order of arrival.
bool next_input(int &from, Bytes &events);
/// Rank 0: sends a tick to everybody else.
void send_tick(std::uint64_t number, const Bytes &tick);
/// Any rank but 0: the next tick, if it has come.
bool next_tick(Bytes &tick);
/// Every rank, before anything of this tick happens: collectives are numbered within their tick.
void begin_tick(std::uint64_t tick);
/// Every rank, at the end of a tick: what it did, and when (real monotonic ns of this host) its swaps returned.
void send_done(std::uint64_t tick, std::int64_t frame, const Digest &digest, std::span<const std::int64_t> swap_times);
/// Rank 0: true when every rank has finished this tick.
bool all_done(std::uint64_t tick);

// --- collectives: every rank calls the same ones in the same order within a tick ------------------------------------
enum class Collective : std::uint32_t { swap, pixels, agree, finish, stats, capture, queries, buffers, drawing, strips };
/// All ranks have come. `signature` is a hash of the arguments; false when the ranks did not agree on kind or signature
/// (the caller then goes on with what it has on its own).
bool barrier(Collective kind, std::uint64_t signature = 0);
/// Every rank's bytes on every rank, `sizes[r]` known beforehand to all (0 allowed). False as for barrier. Of a dead
/// rank there are none, on all ranks alike.
bool all_gather(Collective kind, std::span<const std::byte> mine, std::span<const std::size_t> sizes,
                std::vector<Bytes> &all);
/// Every rank's bytes on rank 0 (sizes need not be known); elsewhere `all` stays empty.
bool gather(Collective kind, std::span<const std::byte> mine, std::vector<Bytes> &all);
/// Rank 0's bytes on every rank.
bool broadcast(Collective kind, std::span<std::byte> bytes);

/// A value of each rank on every rank; that of a dead rank is rank 0's, so that it changes no minimum. False as above.
template <class T> bool all_values(Collective kind, const T &mine, std::vector<T> &all) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::vector<std::size_t> sizes(size(), sizeof mine);
    std::vector<Bytes> bytes;
    if (!all_gather(kind, std::as_bytes(std::span(&mine, 1)), sizes, bytes))
        return false;
    all.resize(bytes.size());
    for (std::size_t r = 0; r < bytes.size(); ++r)
        std::memcpy(&all[r], bytes[bytes[r].empty() ? 0 : r].data(), sizeof mine);
    return true;
}
/// Every rank says yes.
bool all_agree(bool mine);
/// Rank 0's value on every rank.
template <class T> bool broadcast_value(Collective kind, T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return broadcast(kind, std::as_writable_bytes(std::span(&value, 1)));
}

/// Rank 0's bytes on every rank, but rank 0 waits for nobody, and words are numbered apart from collectives: a rank
/// that does not come is not missed. False when rank 0 took another path, or when this interrupts the library itself.
bool publish(std::span<std::byte> bytes);

// --- a thread that draws beside the ticks ---------------------------------------------------------------------------
/// False when the MPI that runs takes calls from one thread alone.
bool can_draw_beside();
/// The calling thread has a sequence of its own until it closes it; one thread of a rank at a time.
void open_drawing();
void close_drawing();
/// That thread, with so many complete: collectives are numbered within their frame.
void end_frame(std::int64_t complete);
/// Rank 0: times of its clock at which a rank swapped, of that frame and the following ones.
void note_swaps(int rank, std::int64_t first, std::span<const std::int64_t> times);
/// This rank's real monotonic clock as rank 0's.
std::int64_t on_rank_0(std::int64_t own_ns);

// --- what rank 0's program does with its sockets, for all ranks (system/x11) -----------------------------------------
/// Rank 0: to everybody, at once and in order; each rank has its own. Waits for nobody, unless a rank has 64 MiB of
/// them before it.
void send_record(const std::function<std::span<const std::byte>(int rank)> &record_for);
/// Any other rank: hands the next record over, if it has come. It stays the next one until `take` returns true.
bool next_record(const std::function<bool(const Bytes &)> &use);
/// What this rank has sent has left it.
bool flushed();
/// Any other rank: says how its program differs from rank 0's.
void send_difference(const std::string &what);

/// Called by rank 0 for each difference found: rank, tick, frame and "timers (2 times on rank 0, 3 here)".
void on_divergence(std::function<void(int rank, std::uint64_t tick, std::int64_t frame, const std::string &what)>);
/// What names the values of a tick, for a rank whose digest has others: sync/content.h.
void on_explain(std::function<std::string(std::uint64_t tick)> samples,
                std::function<std::string(const std::string &of_rank_0, const std::string &of_other)> difference);
/// Called by rank 0 when all ranks have said when they swapped: frame and one real time in ns for each rank, already
/// on rank 0's clock.
void on_swaps(std::function<void(std::int64_t frame, std::span<const std::int64_t> times)>);

/// Takes in what has arrived; cheap. `wait_until` waits with it until `ready`, which is asked with the lock of all this
/// held; `idle` until then or for about `longest_us`, ending early when `wake_fd` becomes readable.
void pump();
void wait_until(const std::function<bool()> &ready);
/// The same, where this may take long: sleeps grow up to that, and end early when `wake_fd` becomes readable.
void wait_until(const std::function<bool()> &ready, std::int64_t longest_sleep_us, int wake_fd = -1);
void idle(const std::function<bool()> &ready, int wake_fd, std::int64_t longest_us);

} // namespace mpiglut::comm
