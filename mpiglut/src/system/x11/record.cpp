#include "system/x11/record.h"

#include "base/locks.h"
#include "base/process.h"
#include "base/real.h"
#include "base/sockets.h"
#include "base/state.h"
#include "clock/clock.h"
#include "clock/virtual.h"
#include "model/loop/end.h"
#include "sync/comm.h"
#include "system/x11/connections.h"
#include "system/x11/shown.h"
#include "system/x11/threads.h"
#include "system/x11/tile_input.h"
#include "system/x11/x11.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace mpiglut::x11 {
namespace {

constexpr std::int64_t second = 1'000'000'000;
/// One thread may compute for long while others wait for its next operation. So this is first said, and much later the
/// end of the rank. It counts from when rank 0's program was last seen to go on.
constexpr std::int64_t strange_after = 30 * second, hopeless_after = 90 * second;
/// The program of rank 0 has ended. That of this rank is on its way to the end, in another thread.
constexpr std::int64_t longest_end = 20 * second;
/// Waits for input may be long, all others are short.
constexpr std::int64_t longest_sleep_us = 250, longest_sleep_in_wait_us = 1000;

std::atomic<bool> over{false};
std::atomic<int> status_of_end{0};
std::atomic<bool> asked_to_end{false}; ///< nothing that is recorded later is looked at
/// Other ranks: records that this rank's threads have consumed.
std::atomic<std::uint64_t> records_consumed{0};
std::atomic<int> others_awaiting{0};
std::atomic<bool> main_awaiting{false};
/// This thread ends the run.
__attribute__((tls_model("initial-exec"))) thread_local bool ends_here = false;

std::recursive_mutex &order() {
    static auto *const mutex = new std::recursive_mutex;
    return *mutex;
}

const char *name(Kind kind) {
    switch (kind) {
    case Kind::end:
        return "ended";
    case Kind::connect:
        return "connected to the X server";
    case Kind::wait:
        return "waited";
    case Kind::read:
        return "read";
    case Kind::write:
        return "wrote";
    case Kind::available:
        return "asked how much there is to read";
    case Kind::name:
        return "asked for an address";
    case Kind::beside:
        return "waited beside threads that read";
    case Kind::lock:
        return "acquired a lock";
    case Kind::condition:
        return "waited for a condition";
    case Kind::value:
        return "asked for the time or a random number";
    case Kind::shown:
        return "came to where the tiles show what it has drawn";
    }
    return "did something unknown";
}

std::string describe_wait(std::uint32_t detail) {
    constexpr const char *ends[] = {"without time-out", "at once", "with a time-out"};
    return std::to_string(detail / std::size(ends)) + " descriptors, " + ends[detail % std::size(ends)];
}

std::string describe_place(std::int64_t where) {
    return where == at_swap      ? "at a swap"
           : where == at_reply   ? "for a reply"
           : where == at_lookout ? "for a condition"
           : where == at_thread  ? "for a new thread"
                                 : "for descriptors";
}

std::string describe(const Record &record) {
    std::string text = name(record.kind);
    if (record.kind == Kind::wait)
        text += " (" + describe_wait(record.detail) + ")";
    if (record.kind == Kind::beside)
        text += " (" + describe_place(record.wanted) + ")";
    if (record.kind == Kind::read || record.kind == Kind::write)
        text += " " + std::to_string(record.wanted) + " bytes";
    if (record.kind != Kind::end && record.kind != Kind::connect && record.kind < Kind::lock)
        text += " on X connection " + std::to_string(record.connection);
    return text + ", " + describe_thread(record.thread);
}

/// Where in the program that is.
std::string after_request(int connection) {
    const Requests &requests = requests_of(connection);
    return requests.complete() == 0
               ? ""
               : ", after request " + std::to_string(requests.complete()) + ", " + name_of_request(requests.last());
}

bool is_same(const Record &mine, const Record &theirs) {
    const bool same_place =
        mine.kind == Kind::connect || mine.kind == Kind::beside || mine.kind == Kind::shown ||
        mine.connection == theirs.connection;
    return mine.kind == theirs.kind && same_place && mine.wanted == theirs.wanted;
}

[[noreturn]] void leave_together(int status) {
    leave_at_once(status);
    __builtin_unreachable();
}

/// What the next record is to a thread that waits for one of its own.
enum class Next { missing, matching, shown, of_other_thread, end };

/// Which of its threads libxcb lets wait and read for all is a race, which does not matter: what comes is theirs
/// together. No other thread of this rank can come there while this one is there.
bool is_for(const Record &mine, const Record &theirs) {
    return theirs.thread == mine.thread || (mine.of_any_thread && theirs.of_any_thread && is_same(mine, theirs));
}

/// Of a wait: the thread did not ask for it.
bool is_shown_in_wait(const Record &mine, const Record &theirs) {
    return theirs.kind == Kind::shown && (mine.kind != Kind::shown || mine.wanted != theirs.wanted);
}

Next look(const Record &mine, Record &theirs, Payload &payload, const Use &use, const Ready &ready) {
    Next next = Next::missing;
    comm::next_record([&](const comm::Bytes &bytes) {
        if (bytes.size() < sizeof theirs)
            return true;
        std::memcpy(&theirs, bytes.data(), sizeof theirs);
        next = theirs.kind == Kind::end         ? Next::end
               : !is_for(mine, theirs)          ? Next::of_other_thread
               : is_shown_in_wait(mine, theirs) ? Next::shown
                                                : Next::matching;
        if (next == Next::matching && ready && is_same(mine, theirs) && !ready(theirs))
            next = Next::of_other_thread; // which has to go on before
        if (next != Next::matching && next != Next::shown)
            return false;
        payload.assign(bytes.begin() + sizeof theirs, bytes.end());
        if (next == Next::matching && use && is_same(mine, theirs))
            use(theirs, payload);
        ++records_consumed;
        return true;
    });
    return next;
}

/// A thread that awaits a record, for as long as it does. All but main()'s are in a list, which takes no memory: the
/// program may count what its allocator gives.
class Awaiting {
  public:
    explicit Awaiting(const Record &mine)
        : mine_(mine), is_main_(mine.thread == 0), counts_(!is_main_ && mine.kind != Kind::wait) {
        others_awaiting += counts_;
        if (is_main_) {
            main_awaiting = true;
            return;
        }
        const std::lock_guard lock(list().mutex);
        next_ = std::exchange(list().first, this);
    }
    ~Awaiting() {
        others_awaiting -= counts_;
        if (is_main_) {
            main_awaiting = false;
            return;
        }
        const std::lock_guard lock(list().mutex);
        Awaiting **at = &list().first;
        while (*at != this)
            at = &(*at)->next_;
        *at = next_;
    }
    Awaiting(const Awaiting &) = delete;
    Awaiting &operator=(const Awaiting &) = delete;

    /// What this thread, by the system's number, awaits.
    static std::optional<Record> of(int thread) {
        const std::lock_guard lock(list().mutex);
        for (const Awaiting *one = list().first; one; one = one->next_)
            if (one->thread_ == thread)
                return one->mine_;
        return {};
    }

  private:
    struct List {
        std::mutex mutex;
        Awaiting *first = nullptr;
    };
    static List &list() {
        static auto *const all = new List;
        return *all;
    }
    const Record &mine_;
    bool is_main_, counts_;
    int thread_ = is_main_ ? 0 : static_cast<int>(clock::real_syscall(SYS_gettid));
    Awaiting *next_ = nullptr;
};

/// Input may have come to this tile.
bool has_input() {
    std::array<pollfd, 2> all{};
    std::ranges::transform(input_descriptors(), all.begin(), [](int fd) { return pollfd{fd, POLLIN, 0}; });
    return REAL(poll)(all.data(), all.size(), 0) > 0;
}

/// `is_wait`: of the program's, in which input at the tile goes on its way to rank 0.
template <class Ready> void wait_with_input(bool is_wait, Ready ready) {
    constexpr std::int64_t between_looks = 4'000'000;
    for (bool done = false; !done;) {
        const std::int64_t from = clock::real_monotonic_ns();
        const auto [tile, below] = is_wait ? input_descriptors() : std::array{-1, -1};
        comm::wait_until(
            [&] {
                done = ready();
                return done || (is_wait && (has_input() || clock::real_monotonic_ns() - from > between_looks));
            },
            is_wait ? longest_sleep_in_wait_us : longest_sleep_us, tile >= 0 ? tile : below);
        if (!done)
            pass_input_on();
    }
}

/// errno is the caller's still.
Payload with_head(Record record, std::span<const std::byte> payload) {
    record.error = record.result < 0 ? static_cast<std::uint32_t>(errno) : 0;
    record.thread = thread_name();
    Payload bytes(sizeof record + payload.size());
    std::memcpy(bytes.data(), &record, sizeof record);
    if (!payload.empty())
        std::memcpy(bytes.data() + sizeof record, payload.data(), payload.size());
    return bytes;
}

} // namespace

bool leads() { return comm::rank() == 0; }

Order::Order() : lock_(order()) {}

void put(Record record, std::span<const std::byte> payload) {
    const int error = errno;
    const Payload bytes = with_head(record, payload);
    comm::send_record([&bytes](int) { return std::span(bytes); });
    errno = error;
}

void put_each(Record record, const std::vector<Payload> &payloads) {
    const int error = errno;
    Payload bytes;
    comm::send_record([&](int rank) {
        bytes = with_head(record, payloads[static_cast<std::size_t>(rank)]);
        return std::span(bytes);
    });
    errno = error;
}

std::optional<Record> peek_record() {
    std::optional<Record> next;
    comm::next_record([&next](const comm::Bytes &bytes) {
        std::memcpy(&next.emplace(), bytes.data(), std::min(bytes.size(), sizeof(Record)));
        return false;
    });
    return next;
}

Last receive_last(Payload &payload) {
    Last last = Last::none;
    comm::next_record([&](const comm::Bytes &bytes) {
        Record record;
        std::memcpy(&record, bytes.data(), std::min(bytes.size(), sizeof record));
        last = record.kind == Kind::shown ? Last::shown : record.kind == Kind::end ? Last::end : Last::none;
        if (last == Last::shown)
            payload.assign(bytes.begin() + sizeof record, bytes.end());
        return last == Last::shown;
    });
    return last;
}

Record await_record(const Record &record, const Use &use, const Explain &explain, const Ready &ready) {
    const int error = errno;
    Record mine = record, theirs;
    Payload payload;
    mine.thread = thread_name();
    const Awaiting awaiting(mine);
    std::int64_t begun = clock::real_monotonic_ns(); // with this record in front
    std::uint64_t seen = records_consumed;
    Next next = Next::missing;
    bool said = false;
    const auto has_come = [&] {
        const Next before = std::exchange(next, look(mine, theirs, payload, use, ready));
        const std::uint64_t consumed = records_consumed;
        if (next != before || consumed != seen)
            begun = clock::real_monotonic_ns();
        seen = consumed;
        const std::int64_t waited = clock::real_monotonic_ns() - begun;
        if (next == Next::of_other_thread && waited > strange_after && !std::exchange(said, true))
            comm::send_difference("its program " + describe(mine) + ", where rank 0's " + describe(theirs) +
                                  ": which of two threads comes first may be a race (--threads ordered)");
        return next == Next::matching || next == Next::shown ||
               (next == Next::of_other_thread && waited > hopeless_after) ||
               (next == Next::end && (theirs.result != 0 || waited > longest_end));
    };
    do {
        wait_with_input(record.kind == Kind::wait || record.kind == Kind::beside ||
                            record.kind == Kind::condition,
                        has_come);
        if (next == Next::shown)
            show_as_rank_0(payload);
    } while (next == Next::shown);
    if (next == Next::end && theirs.result != 0)
        leave_together(static_cast<int>(theirs.detail));
    if (next == Next::matching && is_same(mine, theirs)) {
        errno = theirs.result < 0 ? static_cast<int>(theirs.error) : error;
        return theirs;
    }
    std::string why = "divergence: its program " + describe(mine) + ", where rank 0's " + describe(theirs);
    why += after_request(mine.connection);
    const bool same_kind = next == Next::matching && mine.kind == theirs.kind && mine.connection == theirs.connection;
    if (const std::string more = same_kind && explain ? explain(payload) : ""; !more.empty())
        why += "; " + more;
    if (!locks::ordered && (mine.thread != 0 || theirs.thread != 0))
        why += "; threads may race (--threads ordered)";
    fail(why);
}

bool another_awaits() { return others_awaiting != 0; }
bool main_awaits() { return main_awaiting; }

bool awaits_in_vain(int thread) {
    const std::optional<Record> mine = Awaiting::of(thread), next = peek_record();
    return mine && (!next || !is_for(*mine, *next));
}

void end_if_asked() {
    if (!interrupted() || !leads() || is_over())
        return;
    Record end;
    end.result = 1;
    end.detail = 128 + SIGTERM;
    {
        const Order now;
        put(end);
    }
    asked_to_end = true;
    leave_together(static_cast<int>(end.detail));
}

bool is_over() { return over.load(std::memory_order_acquire); }

void end_records(int status) {
    if (!over && !asked_to_end)
        show_last();
    if (over.exchange(true))
        return;
    status_of_end = status;
    ends_here = true;
    if (comm::started() && leads())
        put({});
}

void leave_if_over() {
    if (!is_over() || leads())
        return;
    while (!ends_here && is_main_thread()) // the process goes away under it
        pause();
    if (!ends_here) // a destructor may wait for this thread
        clock::real_syscall(SYS_exit, 0);
    std::fflush(nullptr);
    REAL(_exit)(status_of_end);
}

} // namespace mpiglut::x11

void mpiglut::sockets::end(int status) {
    if (mpiglut::x11::active())
        mpiglut::x11::end_records(status);
}
