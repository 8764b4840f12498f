// What ranks did in a tick, compared by rank 0 when they have finished it; and the question which values it was that
// differ.
#include "sync/sequences.h"

#include "run/packing.h"
#include "sync/returning.h"

#include <algorithm>
#include <utility>

namespace mpiglut::comm {
namespace {

struct Done {
    std::uint64_t tick = 0;
    std::int64_t frame = 0;
    Digest digest;
};

// A difference of values that the rank has been asked about.
struct Unexplained {
    int rank = 0; ///< 0: none
    std::uint64_t tick = 0;
    std::int64_t frame = 0;
    std::string ours; // what rank 0 has; of one that is told later: what to tell
};

struct Comparison {
    std::vector<std::uint64_t> done;                         // by rank: the last finished tick
    std::map<std::uint64_t, Done> own;                       // what rank 0 did, until all reports of that tick are in
    std::map<std::int64_t, std::vector<std::int64_t>> swaps; // frame -> times by rank, 0 where unknown
    Unexplained unexplained;
    std::vector<Unexplained> later; // differences of values that are told after the one that the rank explains
    bool asked_values = false;
    std::deque<std::pair<int, Message>> questions;
    std::function<void(int, std::uint64_t, std::int64_t, const std::string &)> diverged;
    std::function<void(std::int64_t, std::span<const std::int64_t>)> swapped;
    std::function<std::string(std::uint64_t)> samples;
    std::function<std::string(const std::string &, const std::string &)> difference;
};
Comparison comparison;

Header explanation(std::uint64_t tick) { return header(Type::explain, sequence(0), {tick, 0}); }

void answer(const Message &question) {
    const std::string mine = comparison.samples(question.header.tick);
    transport::send(0, explanation(question.header.tick), std::as_bytes(std::span(mine)));
}

void report_later_ones() {
    for (const Unexplained &one : std::exchange(comparison.later, {}))
        if (comparison.diverged)
            comparison.diverged(one.rank, one.tick, one.frame, one.ours);
}

void hear_answer(int from, const Message &message) {
    if (from != comparison.unexplained.rank)
        return;
    const Unexplained asked = std::exchange(comparison.unexplained, {});
    const std::string theirs(reinterpret_cast<const char *>(message.payload.data()), message.payload.size());
    if (comparison.diverged)
        comparison.diverged(from, asked.tick, asked.frame, comparison.difference(asked.ours, theirs));
    report_later_ones();
}

void ask(int rank, std::uint64_t tick, std::int64_t frame) {
    comparison.asked_values = true;
    comparison.unexplained = {rank, tick, frame, comparison.samples(tick)};
    transport::send(rank, explanation(tick), {});
}

/// A done message's payload.
struct Finished {
    std::int64_t first_swap = 0; ///< the frame of the first of `swaps`
    Digest digest;
    std::vector<std::int64_t> swaps; ///< times, on rank 0's clock
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) {
        visit(m.first_swap, m.swaps);
        for (auto &did : m.digest.entries)
            visit(did.times, did.hash);
    }
};

void forget_finished_ticks() {
    std::uint64_t slowest = comparison.done[0];
    for (int r = 1; r < size(); ++r)
        if (lives(r))
            slowest = std::min(slowest, comparison.done[r]);
    comparison.own.erase(comparison.own.begin(), comparison.own.upper_bound(slowest));
    std::set<Place> &published = sequence(0).published;
    published.erase(published.begin(), published.lower_bound({slowest + 1, 0}));
}

} // namespace

void note_swaps(int rank, std::int64_t first, std::span<const std::int64_t> times) {
    const Locked locked;
    for (std::size_t i = 0; i < times.size(); ++i) {
        auto &all = comparison.swaps[first + static_cast<std::int64_t>(i)];
        all.resize(size());
        all[rank] = times[i];
    }
    while (!comparison.swaps.empty()) {
        auto &[frame, all] = *comparison.swaps.begin();
        for (int r = 1; r < size(); ++r)
            if (!lives(r))
                all[r] = all[0]; // a dead rank is not late
        const bool complete = std::find(all.begin(), all.end(), 0) == all.end();
        if (!complete &&
            comparison.swaps.size() < 64) // a rank that never swapped this frame does not hold up the others
            return;
        if (complete && comparison.swapped)
            comparison.swapped(frame, all);
        comparison.swaps.erase(comparison.swaps.begin());
    }
}

std::int64_t on_rank_0(std::int64_t own_ns) { return own_ns + transport::clock_offset_ns(); }

void handle_done(int rank, const Message &message) {
    const auto finished = from_bytes<Finished>(message.payload);
    if (!finished)
        return;
    const std::uint64_t tick = message.header.tick;
    comparison.done[rank] = tick;
    note_swaps(rank, finished->first_swap, finished->swaps);
    auto own = comparison.own.find(tick);
    if (own == comparison.own.end())
        return;
    // The first difference of values is told with the values, as soon as the rank has named its own.
    const Did what = first_differing(own->second.digest, finished->digest);
    if (what == Did::values && comparison.samples && !comparison.asked_values)
        ask(rank, tick, own->second.frame);
    else if (what == Did::values && comparison.unexplained.rank)
        comparison.later.push_back(
            {rank, tick, own->second.frame, first_difference(own->second.digest, finished->digest)});
    else if (what != Did::count)
        report_divergence(sequence(0), rank, tick, first_difference(own->second.digest, finished->digest));
    forget_finished_ticks();
}

void handle_explanation(int from, Message &&message) { comparison.questions.emplace_back(from, std::move(message)); }

void answer_questions() {
    for (; !comparison.questions.empty(); comparison.questions.pop_front()) {
        const auto &[from, message] = comparison.questions.front();
        rank() == 0 ? hear_answer(from, message) : answer(message);
    }
}

void count_done(int rank, std::uint64_t tick) {
    comparison.done.resize(size());
    comparison.done[rank] = tick;
}

bool all_explained() { return !comparison.unexplained.rank; }

void forget_question(int rank) {
    if (comparison.unexplained.rank == rank) {
        comparison.unexplained = {};
        report_later_ones();
    }
}

void report_unexplained() {
    comparison.unexplained = {};
    report_later_ones();
}

void report_divergence(const Sequence &sequence, int rank, std::uint64_t tick, const std::string &what) {
    if (!comparison.diverged)
        return;
    const auto own = comparison.own.find(tick);
    const bool known = sequence.number == 0 && own != comparison.own.end();
    comparison.diverged(rank, tick, known ? own->second.frame : sequence.frame, what);
}

void send_done(std::uint64_t tick, std::int64_t frame, const Digest &digest, std::span<const std::int64_t> swap_times) {
    const Locked locked;
    const std::int64_t first = frame - static_cast<std::int64_t>(swap_times.size());
    // What comes between two ticks (a program with its own loop, the end of the run) counts as the next one's, or
    // rank 0 would think that those who are done with this one went past it.
    sequence(0).begin(tick + 1);
    if (rank() == 0) {
        comparison.own[tick] = {tick, frame, digest};
        comparison.done.resize(size());
        comparison.done[0] = tick;
        note_swaps(0, first, swap_times);
        if (size() == 1)
            comparison.own.clear();
        return;
    }
    Finished finished{first, digest, {}};
    for (const std::int64_t time : swap_times)
        finished.swaps.push_back(on_rank_0(time));
    send_up(header(Type::done, sequence(0), {tick, 0}), {tick, 0}, to_bytes<Bytes>(finished));
}

bool all_done(std::uint64_t tick) {
    const Locked locked;
    comparison.done.resize(size());
    for (int r = 1; r < size(); ++r) {
        if (!lives(r))
            continue;
        settle(sequence(0), r, {tick, end_of_tick});
        if (comparison.done[r] < tick)
            return false;
    }
    return true;
}

void on_divergence(std::function<void(int, std::uint64_t, std::int64_t, const std::string &)> tell) {
    comparison.diverged = std::move(tell);
}
void on_explain(std::function<std::string(std::uint64_t)> samples,
                std::function<std::string(const std::string &, const std::string &)> difference) {
    comparison.samples = std::move(samples);
    comparison.difference = std::move(difference);
}
void on_swaps(std::function<void(std::int64_t, std::span<const std::int64_t>)> tell) {
    comparison.swapped = std::move(tell);
}

} // namespace mpiglut::comm
