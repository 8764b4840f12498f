#include "system/x11/threads.h"

#include "base/locks.h"
#include "base/real.h"
#include "base/sockets.h"
#include "clock/clock.h"
#include "clock/virtual.h"
#include "run/report.h"
#include "sync/comm.h"
#include "system/x11/operations.h"
#include "system/x11/shown.h"
#include "system/x11/tile_input.h"
#include "system/x11/x11.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <pthread.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace mpiglut::x11 {
namespace {

constexpr std::chrono::milliseconds longest_way_back(20'000), between_looks(20);
/// Of a thread that nobody lets read, while main()'s thread stands still: on rank 0, and on another rank, where it has
/// to come to the same place first. If it does not stand still, so many: it may sleep for a moment again and again until
/// the thread has read.
constexpr int max_looks = 100, max_looks_behind = 5, most_looks = 500, most_looks_behind = 250;
constexpr std::int64_t slice_ns = 2'000'000, short_ns = 50'000;
/// As the detail of a record: it lets a thread read, or goes on from a wait with that time-out.
constexpr std::uint32_t lets_read = 3;
/// What has become of a new thread, as the result of a record; with one more than a connection's number it reads that.
enum Settled : std::int64_t { has_ended = -2, still_computes = -1, sleeps_elsewhere = 0 };

struct Reader {
    int fd = -1;
    std::uint32_t thread = 0;
    bool parked = false, may_run = false, ended = false;
};

struct Readers {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<int, Reader> by_connection;
};
Readers &readers() {
    static auto *const all = new Readers; // threads may still be in here at the end
    return *all;
}

std::atomic<bool> there_are_readers{false}; ///< there have been; on all ranks from one operation on, by settle()
thread_local int reads = -1;                ///< the connection that this thread is a reader of
thread_local bool within_packet = false;

/// The end of a line that the system has about a thread, behind the name that it has; empty: it has ended.
std::string line_about(int thread, const char *what, char behind) {
    const std::string path = "/proc/self/task/" + std::to_string(thread) + "/" + what;
    const int fd = REAL(open)(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::array<char, 256> text{};
    const ssize_t size = fd < 0 ? -1 : REAL(read)(fd, text.data(), text.size() - 1);
    REAL(close)(fd);
    const char *const found = size <= 0 ? nullptr : behind ? std::strrchr(text.data(), behind) : text.data();
    return found ? found : "";
}

/// How long it has run on a processor.
std::int64_t run_time_ns(int thread) { return std::atoll(line_about(thread, "schedstat", '\0').c_str()); }

bool sleeps(const std::string &status) { return status.starts_with(") S"); }

/// Whether main()'s thread has slept since this was asked before: it has run for less than half of the time. Time for
/// which it has waited for a processor counts as well. Not so while it computes, or waits for a disk.
class Standstill {
  public:
    bool look() {
        char *queued = nullptr;
        const std::string line = line_about(clock::first_pid(), "schedstat", '\0');
        const std::int64_t ran = std::strtoll(line.c_str(), &queued, 10) + std::strtoll(queued, nullptr, 10);
        const std::int64_t now = clock::real_monotonic_ns();
        const std::int64_t ran_since = ran - std::exchange(ran_, ran), since = now - std::exchange(looked_, now);
        return 2 * ran_since < since && !line_about(clock::first_pid(), "stat", ')').starts_with(") D");
    }

  private:
    std::int64_t ran_ = 0, looked_ = 0;
};

/// Those that wait, with their connections. Rank 0 asks whether there is something to read.
std::vector<std::pair<int, pollfd>> parked() {
    std::vector<std::pair<int, pollfd>> found;
    const std::lock_guard lock(readers().mutex);
    for (const auto &[connection, reader] : readers().by_connection)
        if (reader.parked && !reader.may_run)
            found.push_back({connection, {reader.fd, POLLIN, 0}});
    return found;
}

/// The connection of a reader that has something to read; -1: none.
int readable() {
    for (auto &[connection, descriptor] : parked())
        if (REAL(poll)(&descriptor, 1, 0) > 0)
            return connection;
    return -1;
}

void let_read(int connection) {
    std::unique_lock lock(readers().mutex);
    Reader &reader = readers().by_connection[connection];
    const auto waits = [&] { return (reader.parked && !reader.may_run) || reader.ended; };
    bool back = readers().changed.wait_for(lock, longest_way_back, waits);
    if (back && !reader.ended) {
        reader.may_run = true;
        readers().changed.notify_all();
        back = readers().changed.wait_for(lock, longest_way_back, waits);
    }
    lock.unlock();
    if (!back)
        report_once(Report::note, "a thread that reads an X connection does not come back to it while the main thread "
                                  "waits for that; the ranks may diverge");
}

void put_down(std::uint32_t what, std::int64_t where, int connection = 0) {
    const Order now;
    put({.kind = Kind::beside, .connection = static_cast<std::uint16_t>(connection), .detail = what, .wanted = where});
}

/// Rank 0: lets one reader read, if it has something to.
bool lead_one(std::int64_t where) {
    const int connection = readable();
    if (connection >= 0) {
        note_found();
        put_down(lets_read, where, connection);
        let_read(connection);
    }
    return connection >= 0;
}

/// Other ranks: the record in which rank 0's main()'s thread goes on.
Record follow(std::int64_t where, const Use &use = {}) {
    for (;;) {
        const Record record = await_record({.kind = Kind::beside, .wanted = where}, use);
        if (record.detail != lets_read)
            return record;
        let_read(record.connection);
    }
}

/// A moment in which another thread may come on.
void wait_shortly() {
    std::vector<pollfd> descriptors;
    for (const auto &[connection, descriptor] : parked())
        descriptors.push_back(descriptor);
    const bool leading = leads() && !descriptors.empty();
    wait_awhile(descriptors.data(), leading ? descriptors.size() : 0, leading ? slice_ns : short_ns, nullptr);
}

/// Other ranks: the next record is one of this kind, and of this thread.
bool has_come(Kind kind, std::int64_t where = 0) {
    comm::pump();
    const std::optional<Record> next = peek_record();
    return next && next->kind == kind && next->thread == thread_name() &&
           (kind != Kind::beside || next->wanted == where);
}

/// The next record is main()'s thread's: all others await theirs in vain until it has taken it.
bool main_is_next() {
    const std::optional<Record> next = peek_record();
    return next && next->kind != Kind::end && next->thread == 0;
}

/// main()'s thread waits in libxcb for a reply, which a reader will read. libxcb looks again when this returns.
void wait_for_reply() {
    if (leads()) {
        if (!lead_one(at_reply))
            wait_shortly();
    } else if (has_come(Kind::beside, at_reply)) {
        let_read(await_record({.kind = Kind::beside, .wanted = at_reply}).connection);
    } else {
        wait_shortly();
    }
}

} // namespace

bool is_reader(const pollfd *descriptors, nfds_t count, std::int64_t ns) {
    return !locks::ordered && count == 1 && ns < 0 && descriptors->events == POLLIN && !within_packet &&
           thread_name() != 0 && thread_name() != unnamed_thread && !clock::on_main_thread() &&
           what_is(descriptors->fd) == What::connection && is_of_main(number_of(descriptors->fd));
}

int wait_as_reader(pollfd &connection) {
    std::unique_lock lock(readers().mutex);
    reads = number_of(connection.fd);
    Reader &mine = readers().by_connection[reads];
    there_are_readers = true;
    mine.fd = connection.fd;
    mine.thread = thread_name();
    mine.parked = true;
    mine.ended = false;
    readers().changed.notify_all();
    // main()'s thread may wait for this very thread, in a way that is no tick.
    bool alone = false;
    Standstill main_thread;
    for (int looks_at_rest = 0, looks = 0; !mine.may_run && !alone;) {
        if (readers().changed.wait_for(lock, between_looks, [&] { return mine.may_run; }))
            break;
        const bool due = leads() ? REAL(poll)(&connection, 1, 0) > 0 : has_come(Kind::wait);
        looks = due ? looks + 1 : 0;
        looks_at_rest = due && main_thread.look() ? looks_at_rest + 1 : 0;
        alone = looks_at_rest >= (leads() ? max_looks : max_looks_behind) ||
                looks >= (leads() ? most_looks : most_looks_behind) || (!leads() && due && main_awaits());
    }
    mine.parked = mine.may_run = false;
    lock.unlock();
    connection.revents = POLLIN;
    if (!alone)
        return 1;
    const Record record{.kind = Kind::wait,
                        .connection = static_cast<std::uint16_t>(reads),
                        .wanted = hash_of(&connection, 1),
                        .result = 1};
    if (!leads())
        return static_cast<int>(await_record(record).result);
    const Order now;
    put(record);
    return 1;
}

void note_read(bool whole) { within_packet = !whole; }

void end_as_reader() {
    if (reads < 0)
        return;
    const std::lock_guard lock(readers().mutex);
    readers().by_connection[reads].ended = true;
    readers().changed.notify_all();
}

bool is_parked(int connection) {
    const std::lock_guard lock(readers().mutex);
    const auto found = readers().by_connection.find(connection);
    return found != readers().by_connection.end() && found->second.parked && !found->second.ended;
}

bool is_at_tick() { return there_are_readers && main_has_threads() && at_work() && !is_over() && !Ours::here(); }

void let_readers_run() {
    if (!is_at_tick())
        return;
    if (!leads()) {
        follow(at_swap);
        return;
    }
    while (lead_one(at_swap)) {
    }
    put_down(static_cast<std::uint32_t>(TimeOut::at_once), at_swap);
}

int wait_beside_readers(pollfd *descriptors, nfds_t count, std::int64_t ns, const sigset_t *mask) {
    const std::int64_t where = hash_of(descriptors, count);
    std::vector<short> found(count);
    if (!leads()) {
        const Record record = follow(where, [&](const Record &, const Payload &payload) {
            copy_payload(payload, std::span(found));
        });
        return set_found(descriptors, found, ns, record);
    }
    const std::int64_t end = ns < 0 ? -1 : clock::add(clock::real_monotonic_ns(), ns);
    for (bool interrupted = false;;) {
        end_if_asked();
        if (lead_one(where))
            continue;
        std::int64_t left = end < 0 ? -1 : std::max<std::int64_t>(end - clock::real_monotonic_ns(), 0);
        const timespec at_once{};
        const int result = interrupted ? -1 : REAL(ppoll)(descriptors, count, &at_once, mask);
        if (result != 0 || left == 0) {
            const int error = interrupted ? EINTR : errno;
            for (nfds_t i = 0; i < count; ++i)
                found[i] = result > 0 ? descriptors[i].revents : short{0};
            const Order now;
            errno = error;
            put({.kind = Kind::beside,
                 .detail = static_cast<std::uint32_t>(time_out_of(ns)),
                 .wanted = where,
                 .result = result},
                bytes_of(found));
            return ended(ns, result);
        }
        show_in_wait();
        std::vector<pollfd> all(descriptors, descriptors + count);
        for (const auto &[connection, descriptor] : parked())
            all.push_back(descriptor);
        interrupted = wait_awhile(all.data(), all.size(), left, mask) < 0 && errno == EINTR;
    }
}

namespace {

Settled settled(int thread) {
    constexpr int looks = 4;
    // Many threads that compute may come one after the other. On a busy machine a thread may get little of the time.
    constexpr std::int64_t shortest_ns = 200'000'000, busy = 10;
    static std::int64_t longest_ns = 1'000'000'000;
    const std::int64_t begin = clock::real_monotonic_ns();
    for (int quiet = 0; quiet < looks;) {
        // Where the system does not say how long it has run, real time counts.
        const std::int64_t ran = run_time_ns(thread), now = clock::real_monotonic_ns();
        if (ran >= longest_ns || now >= (ran > 0 ? begin + busy * longest_ns : begin + longest_ns)) {
            longest_ns = std::max(longest_ns / 2, shortest_ns);
            return still_computes;
        }
        const timespec time{0, 300'000};
        REAL(nanosleep)(&time, nullptr);
        const auto goes_on = [] { return another_awaits() && !main_is_next(); };
        const bool went_on = goes_on();
        const std::string status = line_about(thread, "stat", ')');
        if (status.empty())
            return has_ended;
        quiet = (sleeps(status) || awaits_in_vain(thread)) && !went_on && !goes_on() ? quiet + 1 : 0;
    }
    return sleeps_elsewhere;
}

} // namespace

bool settle(int thread) { return settled(thread) == sleeps_elsewhere; }

bool settle_new(int thread, std::uint32_t name) {
    if (!leads()) {
        const std::int64_t how = await_record({.kind = Kind::beside, .wanted = at_thread}).result;
        if (how <= sleeps_elsewhere) {
            if (how != still_computes)
                settle(thread); // what it has done on rank 0 is done here as well
            return how == sleeps_elsewhere;
        }
        std::unique_lock lock(readers().mutex);
        const Reader &reader = readers().by_connection[static_cast<int>(how) - 1];
        const bool reads_too = readers().changed.wait_for(
            lock, longest_way_back, [&] { return reader.thread == name && (reader.parked || reader.ended); });
        lock.unlock();
        if (!reads_too)
            report_once(Report::note, "a new thread reads an X connection on rank 0, and not on every rank; the ranks may "
                                      "diverge");
        return true;
    }
    std::int64_t how = settled(thread);
    {
        const std::lock_guard lock(readers().mutex);
        for (const auto &[connection, reader] : readers().by_connection)
            if (how == sleeps_elsewhere && reader.parked && reader.thread == name)
                how = connection + 1;
    }
    const Order now;
    put({.kind = Kind::beside, .wanted = at_thread, .result = how});
    return how >= sleeps_elsewhere;
}

bool wait_as_main(const void *caller, pthread_mutex_t *mutex) {
    if (!there_are_readers || !is_at_tick() || !in_libxcb(caller))
        return false;
    pthread_mutex_unlock(mutex);
    wait_for_reply();
    pthread_mutex_lock(mutex);
    return true;
}

} // namespace mpiglut::x11
