#include "sync/comm.h"

#include "base/wait.h"
#include "clock/clock.h"
#include "sync/transport.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <poll.h>
#include <set>
#include <utility>

namespace mpiglut::comm {
namespace {

using transport::Header;
using transport::Message;
using transport::Type;

// Where a rank stands: its tick, and which of the tick's collectives.
struct Place {
    std::uint64_t tick = 0;
    std::uint32_t index = 0;
    auto operator<=>(const Place &) const = default;
};

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
    std::string ours;
};

struct State {
    Place here;
    std::uint32_t words_here = 0; // how many words of this tick have been passed
    // rank 0
    std::deque<std::pair<int, Bytes>> input;
    std::vector<std::deque<Message>> reports; // by rank: `collect` and `done`, in order
    std::vector<std::uint64_t> done;          // by rank: the last finished tick
    std::map<std::uint64_t, Done> own;        // what rank 0 did, until everybody's report of that tick is in
    std::set<Place> published;                // words, for as long
    std::vector<std::optional<Place>> asked;  // by rank: the word that it waits for
    std::map<std::int64_t, std::vector<std::int64_t>> swaps; // frame -> times by rank, 0 where unknown
    std::function<void(int, std::uint64_t, std::int64_t, const std::string &)> diverged;
    std::function<void(std::int64_t, std::span<const std::int64_t>)> swapped;
    Unexplained unexplained;
    bool asked_values = false;
    // every rank
    std::function<std::string(std::uint64_t)> samples;
    std::function<std::string(const std::string &, const std::string &)> difference;
    // other ranks
    std::deque<Bytes> ticks;
    std::map<Place, Message> go, words;
};
State state;

void explain(int rank, std::uint64_t tick, std::int64_t frame) {
    state.asked_values = true;
    state.unexplained = {rank, tick, frame, state.samples(tick)};
    transport::send(rank, Header{Type::explain, 0, tick, 0, 0, 0}, {});
}

void take_explanation(int from, const Message &message) {
    if (rank() != 0) {
        const std::string mine = state.samples(message.header.tick);
        return transport::send(0, Header{Type::explain, 0, message.header.tick, 0, 0, 0},
                               std::as_bytes(std::span(mine)));
    }
    if (from != state.unexplained.rank)
        return;
    const Unexplained asked = std::exchange(state.unexplained, {});
    const std::string theirs(reinterpret_cast<const char *>(message.payload.data()), message.payload.size());
    if (state.diverged)
        state.diverged(from, asked.tick, asked.frame, state.difference(asked.ours, theirs));
}

void take(int from, Message &&message) {
    switch (message.header.type) {
    case Type::input: state.input.emplace_back(from, std::move(message.payload)); break;
    case Type::done:
    case Type::collect: state.reports[from].push_back(std::move(message)); break;
    case Type::tick: state.ticks.push_back(std::move(message.payload)); break;
    case Type::ask:
        state.asked[from] = Place{message.header.tick, message.header.index};
        break;
    case Type::explain:
        take_explanation(from, message);
        break;
    case Type::go: state.go[{message.header.tick, message.header.index}] = std::move(message); break;
    case Type::word:
        state.words[{message.header.tick, message.header.index}] = std::move(message);
        break;
    }
}

const char *name(Collective kind) {
    static const char *const names[] = {"swap",       "read of pixels", "mpiglutAgree", "end",
                                        "statistics", "capture",        "query result"};
    return names[static_cast<unsigned>(kind) % std::size(names)];
}

void tell_divergence(int rank, std::uint64_t tick, const std::string &what) {
    auto own = state.own.find(tick);
    if (state.diverged)
        state.diverged(rank, tick, own == state.own.end() ? -1 : own->second.frame, what);
}

void release(int rank, Place place, bool agreed, std::span<const std::byte> payload = {}) {
    transport::send(rank, Header{Type::go, 0, place.tick, place.index, agreed, 0}, payload);
}

// --- the end of ticks, on rank 0 -----------------------------------------------------------------------------------

// A done message's payload: frame, digest, first frame number of the swap times, times.
struct DoneHead {
    std::int64_t frame = 0, first_swap = 0;
    Digest digest;
};

void note_swaps(int rank, std::int64_t first, std::span<const std::int64_t> times) {
    for (std::size_t i = 0; i < times.size(); ++i) {
        auto &all = state.swaps[first + static_cast<std::int64_t>(i)];
        all.resize(size());
        all[rank] = times[i];
    }
    while (!state.swaps.empty()) {
        auto &[frame, all] = *state.swaps.begin();
        bool complete = std::find(all.begin(), all.end(), 0) == all.end();
        if (!complete && state.swaps.size() < 64) // a rank that never swapped this frame does not hold up the others
            return;
        if (complete && state.swapped)
            state.swapped(frame, all);
        state.swaps.erase(state.swaps.begin());
    }
}

void take_done(int rank, const Message &message) {
    DoneHead head;
    if (message.payload.size() < sizeof head)
        return;
    std::memcpy(&head, message.payload.data(), sizeof head);
    std::vector<std::int64_t> times((message.payload.size() - sizeof head) / sizeof(std::int64_t));
    if (!times.empty())
        std::memcpy(times.data(), message.payload.data() + sizeof head, times.size() * sizeof(std::int64_t));
    const std::uint64_t tick = message.header.tick;
    state.done[rank] = tick;
    note_swaps(rank, head.first_swap, times);
    auto own = state.own.find(tick);
    if (own == state.own.end())
        return;
    // The first difference of values is told with the values, as soon as the rank has named its own.
    const Did what = first_differing(own->second.digest, head.digest);
    if (what == Did::values && state.samples && !state.asked_values)
        explain(rank, tick, own->second.frame);
    else if (what != Did::count)
        tell_divergence(rank, tick, first_difference(own->second.digest, head.digest));
    std::uint64_t slowest = *std::min_element(state.done.begin(), state.done.end());
    state.own.erase(state.own.begin(), state.own.upper_bound(slowest));
    state.published.erase(state.published.begin(), state.published.lower_bound({slowest + 1, 0}));
}

// Rank 0 is at a collective or at the end of a tick, and will not come to a word that a rank waits for now.
void settle_question(int rank) {
    const auto place = std::exchange(state.asked[rank], std::nullopt);
    if (!place || state.published.contains(*place)) // it is on its way
        return;
    transport::send(rank, Header{Type::word, 0, place->tick, place->index, 0, 0}, {});
    tell_divergence(rank, place->tick, "clock reading that rank 0 did not come to");
}

// Takes the reports of ranks that are behind `here`: finished earlier ticks, and collectives that rank 0 never entered.
void settle(int rank, Place here) {
    settle_question(rank);
    auto &queue = state.reports[rank];
    while (!queue.empty()) {
        const Header &header = queue.front().header;
        Place place{header.tick, header.index};
        bool done = header.type == Type::done;
        if (done ? header.tick > here.tick || (header.tick == here.tick && here.index != UINT32_MAX) : place >= here)
            return;
        Message message = std::move(queue.front());
        queue.pop_front();
        if (done) {
            take_done(rank, message);
        } else {
            release(rank, place, false);
            tell_divergence(rank, place.tick,
                            std::string(name(static_cast<Collective>(header.kind))) + " that rank 0 did not come to");
        }
    }
}

// --- collectives ---------------------------------------------------------------------------------------------------

enum class Arrival { waiting, agreed, other };

Arrival look(int rank, Place here, Collective kind, std::uint64_t signature, Bytes *payload) {
    settle(rank, here);
    auto &queue = state.reports[rank];
    if (queue.empty())
        return Arrival::waiting;
    const Header &header = queue.front().header;
    Place place{header.tick, header.index};
    std::string missing = std::string(name(kind)) + " that only the other ranks came to";
    if (header.type == Type::done || place > here) {
        tell_divergence(rank, here.tick, missing); // it went past; its report stays for later
        return Arrival::other;
    }
    Message message = std::move(queue.front());
    queue.pop_front();
    if (static_cast<Collective>(message.header.kind) != kind) {
        tell_divergence(rank, here.tick, std::string(name(static_cast<Collective>(message.header.kind))) +
                                             " where rank 0 came to " + name(kind));
        release(rank, place, false);
        return Arrival::other;
    }
    if (message.header.signature != signature) {
        tell_divergence(rank, here.tick, std::string(name(kind)) + " with other arguments than on rank 0");
        release(rank, place, false);
        return Arrival::other;
    }
    if (payload)
        *payload = std::move(message.payload);
    return Arrival::agreed;
}

// One collective, seen from rank 0: waits for all, then releases those who agree. `deadline` in real ns, 0 for none.
bool lead(Collective kind, std::uint64_t signature, Place here, std::vector<Bytes> *gathered,
          std::span<const std::byte> reply, std::int64_t deadline) {
    std::vector<Arrival> arrival(size(), Arrival::waiting);
    arrival[0] = Arrival::agreed;
    bool late = false;
    auto all_here = [&] {
        bool here_all = true;
        for (int r = 1; r < size(); ++r) {
            if (arrival[r] == Arrival::waiting)
                arrival[r] = look(r, here, kind, signature, gathered ? &(*gathered)[r] : nullptr);
            here_all &= arrival[r] != Arrival::waiting;
        }
        late = deadline && clock::real_monotonic_ns() > deadline;
        return here_all || late;
    };
    wait_until(all_here);
    bool agreed = !late;
    for (Arrival a : arrival)
        agreed &= a == Arrival::agreed;
    for (int r = 1; r < size(); ++r)
        if (arrival[r] == Arrival::agreed)
            release(r, here, agreed, agreed ? reply : std::span<const std::byte>());
    return agreed;
}

bool has_come(std::map<Place, Message> &messages, Place here) {
    messages.erase(messages.begin(),
                   messages.lower_bound(here)); // of collectives and words that this rank never came to
    return messages.contains(here);
}

// A word comes by itself, unless rank 0's program took another path: a rank that waits for long asks.
bool hear(Place here, std::span<std::byte> bytes) {
    constexpr std::int64_t patience_ns = 5'000'000;
    const std::int64_t patient_until = clock::real_monotonic_ns() + patience_ns;
    bool asked = false;
    wait_until([&] {
        if (has_come(state.words, here))
            return true;
        if (!asked && clock::real_monotonic_ns() > patient_until) {
            asked = true;
            transport::send(0, Header{Type::ask, 0, here.tick, here.index, 0, 0}, {});
        }
        return false;
    });
    const Message message = std::move(state.words.extract(here).mapped());
    if (!message.header.agreed || message.payload.size() != bytes.size())
        return false;
    std::memcpy(bytes.data(), message.payload.data(), bytes.size());
    return true;
}

bool follow(Collective kind, std::uint64_t signature, Place here, std::span<const std::byte> mine, Bytes *reply,
            std::int64_t deadline) {
    transport::send(0, Header{Type::collect, static_cast<std::uint32_t>(kind), here.tick, here.index, 0, signature},
                    mine);
    bool late = false;
    wait_until([&] {
        late = deadline && clock::real_monotonic_ns() > deadline;
        return late || has_come(state.go, here);
    });
    if (late)
        return false;
    Message message = std::move(state.go.extract(here).mapped());
    if (reply)
        *reply = std::move(message.payload);
    return message.header.agreed != 0;
}

bool collect(Collective kind, std::uint64_t signature, std::span<const std::byte> mine, std::vector<Bytes> *gathered,
             std::span<const std::byte> sent_back, Bytes *reply, std::int64_t deadline = 0) {
    if (size() == 1)
        return true;
    Place here = state.here;
    ++state.here.index;
    return rank() == 0 ? lead(kind, signature, here, gathered, sent_back, deadline)
                       : follow(kind, signature, here, mine, reply, deadline);
}

} // namespace

bool start(std::string &error) {
    if (!transport::start(error))
        return false;
    state.reports.resize(size());
    state.done.resize(size());
    state.asked.resize(size());
    return true;
}

bool meet(double seconds) {
    const auto deadline = clock::real_monotonic_ns() + static_cast<std::int64_t>(seconds * 1e9);
    const bool together = collect(Collective::finish, 0, {}, nullptr, {}, nullptr, deadline);
    // What was asked came before the release on its way down, so the answer is on its way up.
    if (together)
        wait_until([&] { return !state.unexplained.rank || clock::real_monotonic_ns() > deadline; });
    return together;
}

void stop() {
    while (!transport::flushed())
        pump();
    transport::stop();
}

bool started() { return transport::started(); }
int rank() { return transport::rank(); }
int size() { return transport::size(); }
const std::vector<std::string> &hosts() { return transport::hosts(); }

void send_input(const Bytes &events) { transport::send(0, Header{Type::input}, events); }

bool next_input(int &from, Bytes &events) {
    if (state.input.empty())
        return false;
    from = state.input.front().first;
    events = std::move(state.input.front().second);
    state.input.pop_front();
    return true;
}

void send_tick(const Bytes &tick) {
    for (int r = 1; r < size(); ++r)
        transport::send(r, Header{Type::tick}, tick);
}

bool next_tick(Bytes &tick) {
    if (state.ticks.empty())
        return false;
    tick = std::move(state.ticks.front());
    state.ticks.pop_front();
    return true;
}

void begin_tick(std::uint64_t tick) {
    if (state.here.tick == tick)
        return;
    state.here = {tick, 0};
    state.words_here = 0;
}

void send_done(std::uint64_t tick, std::int64_t frame, const Digest &digest,
               std::span<const std::int64_t> swap_times) {
    const std::int64_t first = frame - static_cast<std::int64_t>(swap_times.size());
    // What comes between two ticks (a program with a loop of its own, the end of the run) counts as the next one's, or
    // rank 0 would think that those who are done with this one went past it.
    state.here = {tick + 1, 0};
    state.words_here = 0;
    if (rank() == 0) {
        state.own[tick] = {tick, frame, digest};
        state.done[0] = tick;
        note_swaps(0, first, swap_times);
        if (size() == 1)
            state.own.clear();
        return;
    }
    DoneHead head{frame, first, digest};
    Bytes bytes(sizeof head + swap_times.size_bytes());
    std::memcpy(bytes.data(), &head, sizeof head);
    for (std::size_t i = 0; i < swap_times.size(); ++i) {
        std::int64_t time = swap_times[i] + transport::clock_offset_ns();
        std::memcpy(bytes.data() + sizeof head + i * sizeof time, &time, sizeof time);
    }
    transport::send(0, Header{Type::done, 0, tick, 0, 0, 0}, bytes);
}

bool all_done(std::uint64_t tick) {
    for (int r = 1; r < size(); ++r) {
        settle(r, {tick, UINT32_MAX});
        if (state.done[r] < tick)
            return false;
    }
    return true;
}

bool barrier(Collective kind, std::uint64_t signature) {
    return collect(kind, signature, {}, nullptr, {}, nullptr);
}

bool all_gather(Collective kind, std::span<const std::byte> mine, std::span<const std::size_t> sizes,
                std::vector<Bytes> &all) {
    std::uint64_t signature = 0xcbf29ce484222325ull;
    for (std::size_t s : sizes)
        signature = (signature ^ s) * 0x100000001b3ull;
    if (!barrier(kind, signature))
        return false;
    transport::all_gather(mine, sizes, all);
    return true;
}

bool gather(Collective kind, std::span<const std::byte> mine, std::vector<Bytes> &all) {
    all.assign(rank() == 0 ? size() : 0, {});
    if (rank() == 0)
        all[0].assign(mine.begin(), mine.end());
    return collect(kind, 0, mine, rank() == 0 ? &all : nullptr, {}, nullptr);
}

bool broadcast(Collective kind, std::span<std::byte> bytes) {
    Bytes reply;
    if (!collect(kind, bytes.size(), {}, nullptr, bytes, &reply))
        return false;
    if (rank() != 0 && !bytes.empty())
        std::memcpy(bytes.data(), reply.data(), bytes.size());
    return true;
}

bool publish(std::span<std::byte> bytes) {
    if (!started() || transport::busy())
        return false;
    const Place here{state.here.tick, state.words_here++};
    if (rank() != 0)
        return hear(here, bytes);
    if (size() == 1)
        return true;
    state.published.insert(here);
    for (int r = 1; r < size(); ++r)
        transport::send(r, Header{Type::word, 0, here.tick, here.index, 1, 0}, bytes);
    pump();
    return true;
}

void on_divergence(std::function<void(int, std::uint64_t, std::int64_t, const std::string &)> tell) {
    state.diverged = std::move(tell);
}
void on_explain(std::function<std::string(std::uint64_t)> samples,
                std::function<std::string(const std::string &, const std::string &)> difference) {
    state.samples = std::move(samples);
    state.difference = std::move(difference);
}
void on_swaps(std::function<void(std::int64_t, std::span<const std::int64_t>)> tell) {
    state.swapped = std::move(tell);
}

void pump() {
    if (size() > 1)
        transport::pump(take);
}

void wait_until(const std::function<bool()> &ready) {
    for (pixmpi::Wait wait;; wait.pause()) {
        pump();
        if (ready())
            return;
    }
}

void idle(const std::function<bool()> &ready, int wake_fd, std::int64_t longest_us) {
    // One wait for all of a quiet time, so that only its beginning spins.
    static pixmpi::Wait wait(std::chrono::microseconds(2000));
    const std::int64_t end = clock::real_monotonic_ns() + longest_us * 1000;
    for (;;) {
        const bool news = size() > 1 && transport::pump(take);
        pollfd fd{wake_fd, POLLIN, 0};
        if (ready() || news || (wake_fd >= 0 && poll(&fd, 1, 0) > 0))
            return wait.reset();
        const std::int64_t left = end - clock::real_monotonic_ns();
        if (left <= 0)
            return;
        wait.pause(wake_fd, std::chrono::microseconds(left / 1000 + 1));
    }
}

} // namespace mpiglut::comm
