// What the files of sync/comm.h share. A rank works together with the others in one of two threads: that of the ticks,
// or the one that also draws. Each has a *sequence* with its own numbers of collectives and words, because the threads
// of different ranks run in different orders.
//
// Everything here belongs to the thread that holds the lock. No thread waits with it.
#pragma once

#include "clock/role.h"
#include "sync/comm.h"
#include "sync/transport.h"

#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace mpiglut::comm {

using transport::Header;
using transport::Message;
using transport::Type;

/// Where a rank stands in a sequence: its tick, and which of the tick's collectives, or words. The ticks of the
/// sequence of drawing are frames, and nothing but a thread's last one is reported as done.
struct Place {
    std::uint64_t tick = 0;
    std::uint32_t index = 0;
    auto operator<=>(const Place &) const = default;
};
inline constexpr std::uint32_t end_of_tick = UINT32_MAX;
/// No tick tells when a thread that draws has gone another way. What takes as long is no frame.
inline constexpr std::int64_t longest_absence_ns = 30'000'000'000;

struct Sequence {
    std::uint32_t number = 0;
    Place here;
    std::uint32_t words_here = 0; ///< how many words of this tick have been passed
    std::int64_t frame = -1;      ///< of drawing: the one at work, for messages
    // rank 0
    std::vector<std::deque<Message>> reports; ///< by rank: `collect` and `done`, in order
    std::set<Place> published;                ///< words, until everybody has finished their tick
    std::vector<std::optional<Place>> asked;  ///< by rank: the word that it waits for
    // other ranks
    std::map<Place, Message> go, words;

    void begin(std::uint64_t tick) {
        here = {tick, 0};
        words_here = 0;
    }
};

/// By number.
Sequence &sequence(std::uint32_t number);
/// This thread's. A thread that is neither of the two has come to the end of the program, in the place of the ticks'.
Sequence &own_sequence();

/// Holds the lock. From the moment that a thread ends the run the others stay in here forever.
class Locked {
  public:
    Locked();
    ~Locked();
    Locked(const Locked &) = delete;
    Locked &operator=(const Locked &) = delete;
};
/// This very thread has the lock: a signal handler has interrupted it, which must not use MPI.
bool locked_here();

Header header(Type type, const Sequence &sequence, Place place);
/// The wall goes on without ranks that die.
bool outlives();

/// Takes out what lies before `here`, of collectives and words that this rank never came to. Is there one of this
/// place?
bool has_come(std::map<Place, Message> &messages, Place here);

// comm.cpp
/// Of a rank that comes back: ticks after this one have come.
bool ticks_beyond(std::uint64_t tick);
/// Rank 0: a dead rank is alive again, and has done all ticks up to this one.
void revive(int rank, std::uint64_t tick);

// words.cpp
/// Rank 0 is at a collective or at the end of a tick, and will not come to a word that the rank waits for now.
void settle_question(Sequence &sequence, int rank);

// collectives.cpp
/// Rank 0: takes the reports of a rank that is behind `here`: finished earlier ticks, and collectives that rank 0 never
/// entered.
void settle(Sequence &sequence, int rank, Place here);
/// All ranks but those that do not come until `deadline`, in real ns; 0 for none.
bool barrier_until(Collective kind, std::int64_t deadline);

// differences.cpp
/// Rank 0: a rank has finished its tick, and says what it did.
void handle_done(int rank, const Message &message);
void handle_explanation(int from, Message &&message);
/// In the thread of the ticks, since its values are asked for.
void answer_questions();
/// What was asked is answered.
bool all_explained();
/// Counts as done by this rank.
void count_done(int rank, std::uint64_t tick);
/// This rank is dead, and answers no more.
void forget_question(int rank);
/// Differences that wait for a rank's explanation are reported without it.
void report_unexplained();
void report_divergence(const Sequence &sequence, int rank, std::uint64_t tick, const std::string &what);

} // namespace mpiglut::comm
