#include "sync/comm.h"

#include "base/real.h"
#include "base/wait.h"
#include "clock/clock.h"
#include "clock/virtual.h"
#include "run/dashboard.h"
#include "run/death_counts.h"
#include "run/report.h"
#include "sync/returning.h"
#include "sync/sequences.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace mpiglut::comm {
namespace {

struct Inbox {
    std::recursive_mutex mutex;
    std::atomic<pthread_t> ends_run{}; ///< the thread that does
    std::array<Sequence, roles_in_step> sequences;
    std::uint64_t threads_that_drew = 0;
    DeathCounts *death_counts = nullptr;
    std::uint32_t deaths = 0;                ///< as many of these deaths have been looked at
    std::vector<bool> dead;                  ///< by rank
    std::vector<std::uint32_t> buried;       ///< by rank: how often
    std::deque<std::pair<int, Bytes>> input; // rank 0
    std::deque<Message> ticks;               // other ranks
    std::deque<Bytes> records;               // other ranks
    std::uint64_t record_bytes = 0;          ///< taken by this rank
    std::uint64_t record_bytes_reported = 0;     ///< other ranks: of these, what rank 0 knows of
    std::vector<std::uint64_t> record_bytes_sent, record_bytes_consumed; ///< on rank 0, by rank
};

Inbox &inbox() {
    static Inbox *const the_inbox = new Inbox; // threads may still be in here when static objects are destroyed
    return *the_inbox;
}

/// Looked at by signal handlers of this thread.
thread_local volatile std::sig_atomic_t depth = 0;

void handle(int from, Message &&message) {
    const Header header = message.header;
    if (rank() == 0 && !lives(from))
        return hear_returning(from, message);
    if (header.sequence >= inbox().sequences.size())
        return;
    Sequence &sequence = inbox().sequences[header.sequence];
    const Place place{header.tick, header.index};
    switch (header.type) {
    case Type::input:
        inbox().input.emplace_back(from, std::move(message.payload));
        break;
    case Type::done:
    case Type::collect:
        sequence.reports[from].push_back(std::move(message));
        break;
    case Type::tick:
        inbox().ticks.push_back(std::move(message));
        break;
    case Type::ask:
        sequence.asked[from] = place;
        break;
    case Type::record:
        if (rank() == 0)
            inbox().record_bytes_consumed[from] = header.tick;
        else
            inbox().records.push_back(std::move(message.payload));
        break;
    case Type::differs:
        report_divergence(sequence, from, header.tick,
                          std::string(reinterpret_cast<const char *>(message.payload.data()), message.payload.size()));
        break;
    case Type::explain: handle_explanation(from, std::move(message)); break;
    case Type::go:
        sequence.go[place] = std::move(message);
        break;
    case Type::word:
        sequence.words[place] = std::move(message);
        break;
    case Type::join:
        join_from(place);
        break;
    case Type::hello:
    case Type::welcome:
    case Type::count: break;
    }
}

/// Of a thread that draws, counted from 1: its frames are the sequence's ticks.
std::uint64_t last_tick(std::uint64_t thread) { return ((thread + 1) << 32) - 1; }

// Rank 0: while nobody draws here, whoever waits for that does so in vain.
void settle_drawing() {
    if (rank() != 0 || someone_draws() || inbox().threads_that_drew == 0)
        return;
    for (int r = 1; r < size(); ++r)
        settle(sequence(1), r, {last_tick(inbox().threads_that_drew), end_of_tick});
}

void bury(int rank) {
    inbox().dead[rank] = true;
    transport::forget(rank);
    forget_returning(rank);
    for (Sequence &sequence : inbox().sequences) {
        sequence.reports[rank].clear();
        sequence.asked[rank].reset();
    }
    forget_question(rank);
}

void look_at_deaths() {
    const DeathCounts *death_counts = inbox().death_counts;
    if (!death_counts || death_counts->deaths() == inbox().deaths)
        return;
    inbox().deaths = death_counts->deaths();
    for (int r = 0; r < std::min(size(), death_counts->ranks()); ++r)
        if (const std::uint32_t deaths = death_counts->deaths(r); deaths != inbox().buried[r]) {
            inbox().buried[r] = deaths;
            bury(r);
        }
}

/// Lost is one of a rank that has come back, before its agent says so.
void look_at_connections() {
    if (const int unsealed = transport::unsealed(); unsealed >= 0) {
        report(Report::error, "a message to rank " + std::to_string(unsealed) + " on " + hosts()[unsealed] +
                                  " could not be encrypted: OpenSSL has failed");
        REAL(_exit)(EXIT_FAILURE);
    }
    if (const int forged = transport::forged(); forged >= 0) {
        report(Report::error, "a message from rank " + std::to_string(forged) + " on " + hosts()[forged] +
                                  " has been changed, repeated or left out between the hosts");
        REAL(_exit)(EXIT_FAILURE);
    }
    for (int lost; (lost = transport::lost()) >= 0;) {
        if (rank() == 0)
            bury(lost);
        else if (inbox().ends_run.load())
            return;
        else
            REAL(_exit)(EXIT_FAILURE); // without rank 0 there is no wall
    }
}

bool receive_all() {
    if (size() == 1)
        return false;
    if (inbox().ticks.size() > 1 && catching_up())
        return false; // there is enough to go on with
    const bool rejoin_asked = is_rejoin_asked();
    look_at_deaths();
    if (rejoin_asked)
        accept_rejoins();
    feed_returning();
    const bool any = transport::pump(handle);
    look_at_connections();
    if (role() != Role::drawing || inbox().ends_run.load())
        answer_questions();
    settle_drawing();
    return any;
}

} // namespace

Sequence &sequence(std::uint32_t number) { return inbox().sequences[number]; }

Sequence &own_sequence() { return sequence(role() == Role::drawing); }

Locked::Locked() {
    depth = depth + 1;
    inbox().mutex.lock();
    if (depth == 1 && ended_by_another()) {
        inbox().mutex.unlock();
        stay_if_over();
    }
}

Locked::~Locked() {
    inbox().mutex.unlock();
    depth = depth - 1;
}

bool locked_here() { return depth != 0; }

Header header(Type type, const Sequence &sequence, Place place) {
    Header header{type};
    header.tick = place.tick;
    header.index = place.index;
    header.sequence = sequence.number;
    return header;
}

bool has_come(std::map<Place, Message> &messages, Place here) {
    messages.erase(messages.begin(), messages.lower_bound(here));
    return messages.contains(here);
}

bool ticks_beyond(std::uint64_t tick) { return !inbox().ticks.empty() && inbox().ticks.back().header.tick > tick; }

void revive(int rank, std::uint64_t tick) {
    inbox().dead[rank] = false;
    count_done(rank, tick);
}

bool start(const Membership &who, std::string &error) {
    if (!(who.stream_fd < 0 ? transport::start(who.death_counts, who.key, who.elsewhere, error)
                            : transport::start_beside(who.rank, who.stream_fd, error)))
        return false;
    inbox().death_counts = who.death_counts;
    inbox().dead.resize(size());
    inbox().buried.resize(size());
    inbox().record_bytes_sent.resize(size());
    inbox().record_bytes_consumed.resize(size());
    if (who.stream_fd >= 0 && who.death_counts) { // what has been, its own death among that
        inbox().deaths = who.death_counts->deaths();
        for (int r = 0; r < std::min(size(), who.death_counts->ranks()); ++r)
            inbox().buried[r] = who.death_counts->deaths(r);
    }
    std::uint32_t number = 0;
    for (Sequence &sequence : inbox().sequences) {
        sequence.number = number++;
        sequence.reports.resize(size());
        sequence.asked.resize(size());
    }
    prepare_returns(who);
    return true;
}

bool meet(double seconds) {
    {
        const Locked locked;
        inbox().ends_run = pthread_self();
    }
    const auto deadline = clock::real_monotonic_ns() + static_cast<std::int64_t>(seconds * 1e9);
    const bool together = barrier_until(Collective::finish, deadline);
    // What was asked came before the release on its way down, so the answer is on its way up.
    if (together)
        wait_until([&] { return all_explained() || clock::real_monotonic_ns() > deadline; });
    const Locked locked;
    report_unexplained();
    return together;
}

void stop() {
    wait_until([] { return transport::flushed(); });
    const Locked locked;
    transport::stop();
}

bool ended_by_another() {
    const pthread_t ends = inbox().ends_run;
    return ends && !pthread_equal(ends, pthread_self());
}

void stay_if_over() {
    if (!ended_by_another())
        return;
    // A destructor may wait for this thread, which finds neither the other ranks nor FreeGLUT again.
    while (role() == Role::ticks)
        pause();
    clock::real_syscall(SYS_exit, 0);
}

bool started() { return transport::started(); }
int rank() { return transport::rank(); }
int size() { return transport::size(); }
const std::vector<std::string> &hosts() { return transport::hosts(); }
bool outlives() { return inbox().death_counts; }

bool lives(int rank) {
    const Locked locked;
    return !inbox().dead[rank];
}

std::vector<std::int32_t> dead() {
    const Locked locked;
    std::vector<std::int32_t> ranks;
    for (int r = 0; r < size(); ++r)
        if (inbox().dead[r])
            ranks.push_back(r);
    return ranks;
}

void send_input(const Bytes &events) {
    const Locked locked;
    send_up(Header{Type::input}, sequence(0).here, events);
}

bool next_input(int &from, Bytes &events) {
    const Locked locked;
    if (inbox().input.empty())
        return false;
    from = inbox().input.front().first;
    events = std::move(inbox().input.front().second);
    inbox().input.pop_front();
    return true;
}

void send_tick(std::uint64_t number, const Bytes &tick) {
    const Locked locked;
    Header header{Type::tick};
    header.tick = number;
    keep(header, tick);
    for (int r = 1; r < size(); ++r)
        if (lives(r))
            transport::send(r, header, tick);
}

bool next_tick(Bytes &tick) {
    const Locked locked;
    if (inbox().ticks.empty())
        return false;
    tick = std::move(inbox().ticks.front().payload);
    inbox().ticks.pop_front();
    return true;
}

namespace {

/// Records on their way to a rank that lags behind take up memory there.
constexpr std::uint64_t max_record_bytes = 64u << 20, record_bytes_to_tell = 1u << 20;

bool all_keep_up() {
    for (int r = 1; r < size(); ++r)
        if (lives(r) && inbox().record_bytes_sent[r] - inbox().record_bytes_consumed[r] > max_record_bytes)
            return false;
    return true;
}

} // namespace

void send_record(const std::function<std::span<const std::byte>(int)> &record_for) {
    bool may_go_on = true;
    {
        const Locked locked;
        const Header header{Type::record};
        for (int r = 1; r < size(); ++r) {
            if (!lives(r))
                continue;
            const std::span<const std::byte> record = record_for(r);
            transport::send(r, header, record);
            inbox().record_bytes_sent[r] += record.size();
        }
        receive_all();
        may_go_on = all_keep_up();
    }
    if (!may_go_on)
        wait_until(all_keep_up);
}

bool next_record(const std::function<bool(const Bytes &)> &use) {
    const Locked locked;
    if (inbox().records.empty() || !use(inbox().records.front()))
        return false;
    inbox().record_bytes += inbox().records.front().size();
    inbox().records.pop_front();
    if (inbox().record_bytes - inbox().record_bytes_reported >= record_bytes_to_tell) {
        Header header{Type::record};
        header.tick = inbox().record_bytes_reported = inbox().record_bytes;
        transport::send(0, header, {});
    }
    return true;
}

bool flushed() {
    const Locked locked;
    return transport::flushed();
}

void send_difference(const std::string &what) {
    const Locked locked;
    send_up(Header{Type::differs}, sequence(0).here, std::as_bytes(std::span(what)));
}

void begin_tick(std::uint64_t tick) {
    if (sequence(0).here.tick != tick)
        sequence(0).begin(tick);
}

bool can_draw_beside() { return size() == 1 || transport::allows_threads(); }

void open_drawing() {
    const Locked locked;
    refuse_returns("a thread of the program draws");
    sequence(1).begin(++inbox().threads_that_drew << 32);
    sequence(1).frame = std::max<std::int64_t>(sequence(1).frame, 1);
}

void end_frame(std::int64_t complete) {
    const Locked locked;
    Sequence &drawing = sequence(1);
    drawing.frame = complete + 1;
    drawing.begin(drawing.here.tick + 1);
}

void close_drawing() {
    const Locked locked;
    const std::uint64_t last = last_tick(inbox().threads_that_drew);
    if (rank() != 0)
        transport::send(0, header(Type::done, sequence(1), {last, 0}), {});
    sequence(1).begin(last + 1);
}

void pump() {
    const Locked locked;
    receive_all();
}

void wait_until(const std::function<bool()> &ready) { wait_until(ready, 250); }

void wait_until(const std::function<bool()> &ready, std::int64_t longest_sleep_us, int wake_fd) {
    const Doing doing(Activity::others, clock::real_monotonic_ns);
    for (pixmpi::Wait wait{std::chrono::microseconds(longest_sleep_us)};; wait.pause(wake_fd)) {
        const Locked locked;
        receive_all();
        if (ready())
            return;
        doing.look();
    }
}

void idle(const std::function<bool()> &ready, int wake_fd, std::int64_t longest_us) {
    // One wait for all of a quiet time, so that only its beginning spins.
    static pixmpi::Wait wait(std::chrono::microseconds(2000));
    const std::int64_t end = clock::real_monotonic_ns() + longest_us * 1000;
    for (;;) {
        bool news = false;
        {
            const Locked locked;
            news = receive_all();
        }
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
