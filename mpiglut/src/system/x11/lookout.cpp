// Tcl's notifier. A thread of Tcl's looks at descriptors, the X connection among them, and tells main()'s thread by a
// condition, which then reads. When main()'s thread hears of what is a race. So this thread stands still until main()'s
// thread waits for it; there rank 0 lets it look, with what is ready then, as often as it takes until it tells
// something, or the time is over. Each time is a record.
#include "base/export.h"
#include "base/locks.h"
#include "base/real.h"
#include "base/sockets.h"
#include "clock/callers.h"
#include "clock/clock.h"
#include "clock/virtual.h"
#include "system/x11/operations.h"
#include "system/x11/shown.h"
#include "system/x11/threads.h"
#include "system/x11/x11.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <link.h>
#include <mutex>
#include <pthread.h>

namespace mpiglut::x11 {
namespace {

constexpr std::chrono::milliseconds longest_way_back(2000);
constexpr std::int64_t slice_ns = 2'000'000;
/// As the detail of a record.
enum Step : std::uint32_t { goes_on, looks };

/// Where a library's functions are.
struct Code {
    const char *name;
    std::uintptr_t begin = 0, end = 0;

    bool has(const void *caller) const {
        const auto at = reinterpret_cast<std::uintptr_t>(caller);
        return at >= begin && at < end;
    }
};

int note_code(dl_phdr_info *object, std::size_t, void *code) {
    Code &found = *static_cast<Code *>(code);
    if (!object->dlpi_name || !std::strstr(object->dlpi_name, found.name))
        return 0;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto &segment = object->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
            continue;
        found.begin = object->dlpi_addr + segment.p_vaddr;
        found.end = found.begin + segment.p_memsz;
    }
    return 1;
}

/// It may be loaded late; a caller that lies there has it loaded.
bool in_libtcl(const void *caller) {
    static std::mutex mutex;
    static Code libtcl{"/libtcl"};
    const std::lock_guard lock(mutex);
    if (!libtcl.end)
        dl_iterate_phdr(note_code, &libtcl);
    return libtcl.has(caller);
}

/// What is ready of a list that has other descriptors on each rank: of which connection, or of which of the others.
struct Found {
    std::int32_t connection = -1, other = -1;
    std::int32_t events = 0;
};

std::vector<Found> found_of(const std::vector<pollfd> &list) {
    std::vector<Found> all;
    std::int32_t others = 0;
    for (const pollfd &one : list) {
        const bool is_connection = what_is(one.fd) == What::connection;
        const Found found{is_connection ? number_of(one.fd) : -1, is_connection ? -1 : others++, one.revents};
        if (found.events)
            all.push_back(found);
    }
    return all;
}

struct Lookout {
    std::mutex mutex;
    std::condition_variable changed;
    bool known = false, parked = false;
    std::atomic<bool> free{false}; ///< changed under the lock
    std::int64_t ns = 0;
    std::vector<pollfd> list;
    std::vector<Found> found; ///< with which it goes on
};
Lookout &lookout() {
    static auto *const the_lookout = new Lookout; // the thread may still be in here at the end
    return *the_lookout;
}

thread_local bool looks_out = false;
std::atomic<pthread_cond_t *> waits_for{nullptr}; ///< main()'s thread
std::atomic<bool> notified{false};

bool is_main(const void *caller) {
    return active() && !locks::ordered && !Ours::here() && is_main_thread() && at_work() && !is_over() &&
           in_libtcl(caller);
}

/// It stands still, or there is none.
bool wait_until_parked() {
    std::unique_lock lock(lookout().mutex);
    return lookout().changed.wait_for(lock, longest_way_back, [] { return lookout().parked || !lookout().known; });
}

void let_look(const std::vector<Found> &found) {
    {
        const std::lock_guard lock(lookout().mutex);
        lookout().found = found;
        lookout().parked = false;
        lookout().changed.notify_all();
    }
    wait_until_parked();
}

std::vector<pollfd> what_it_looks_at(std::int64_t &ns) {
    const std::lock_guard lock(lookout().mutex);
    ns = lookout().ns;
    return lookout().parked ? lookout().list : std::vector<pollfd>();
}

/// Rank 0: it looks, if it would find something, or would not wait.
bool lead_one() {
    std::int64_t ns = -1;
    std::vector<pollfd> list = what_it_looks_at(ns);
    if (list.empty() || (REAL(poll)(list.data(), list.size(), 0) <= 0 && ns != 0))
        return false;
    const std::vector<Found> found = found_of(list);
    {
        const Order now;
        put({.kind = Kind::beside, .detail = looks, .wanted = at_lookout}, bytes_of(found));
    }
    let_look(found);
    return true;
}

int lead(const timespec *deadline) {
    for (;;) {
        end_if_asked();
        wait_until_parked();
        if (lead_one() && !notified)
            continue;
        timespec now{};
        REAL(clock_gettime)(CLOCK_REALTIME, &now);
        const std::int64_t left = deadline ? clock::to_ns(*deadline) - clock::to_ns(now) : slice_ns;
        if (notified || left <= 0) {
            const int result = notified ? 0 : ETIMEDOUT;
            const Order order;
            put({.kind = Kind::beside, .detail = goes_on, .wanted = at_lookout, .result = result});
            return result;
        }
        show_in_wait();
        std::int64_t ns = -1;
        std::vector<pollfd> list = what_it_looks_at(ns);
        wait_awhile(list.data(), list.size(), std::min(left, slice_ns), nullptr);
    }
}

int follow() {
    for (;;) {
        std::vector<Found> found;
        const Record record = await_record(
            {.kind = Kind::beside, .wanted = at_lookout}, [&found](const Record &, const Payload &payload) {
                found.resize(payload.size() / sizeof(Found));
                copy_payload(payload, std::span(found));
            });
        wait_until_parked();
        if (record.detail == goes_on)
            return static_cast<int>(record.result);
        let_look(found);
    }
}

/// Of a library that this one needs, and that so is there, and stays.
Code find_code(const char *name) {
    Code found{name};
    dl_iterate_phdr(note_code, &found);
    return found;
}

} // namespace

bool in_libxcb(const void *caller) {
    static const Code libxcb = find_code("/libxcb.so");
    return libxcb.has(caller);
}

bool in_x_library(const void *caller) {
    static const Code libx11 = find_code("/libX11.so");
    return libx11.has(caller) || in_libxcb(caller);
}

bool is_lookout(const void *caller) {
    return !locks::ordered && thread_name() != 0 && thread_name() != unnamed_thread && !clock::on_main_thread() &&
           at_work() && !is_over() && !lookout().free && in_libtcl(caller);
}

void end_as_lookout() {
    const std::lock_guard lock(lookout().mutex);
    if (looks_out)
        lookout().known = false;
    lookout().changed.notify_all();
}

int look_out(std::vector<pollfd> &list, std::int64_t ns) {
    looks_out = true;
    Lookout &mine = lookout();
    std::unique_lock lock(mine.mutex);
    mine.known = mine.parked = true;
    mine.list = list;
    mine.ns = ns;
    mine.changed.notify_all();
    mine.changed.wait(lock, [&] { return !mine.parked || mine.free; });
    mine.parked = false;
    if (mine.free) { // main()'s thread ends it
        lock.unlock();
        std::erase_if(list, [](const pollfd &one) { return what_is(one.fd) == What::connection; });
        return REAL(poll)(list.data(), list.size(), 1);
    }
    const std::vector<Found> found = mine.found;
    lock.unlock();
    std::int32_t others = 0;
    for (pollfd &one : list) {
        const bool is_connection = what_is(one.fd) == What::connection;
        const std::int32_t number = is_connection ? number_of(one.fd) : others++;
        const auto which = std::ranges::find_if(found, [=](const Found &any) {
            return (is_connection ? any.connection : any.other) == number;
        });
        one.revents = which == found.end() ? short{0} : static_cast<short>(which->events);
    }
    return static_cast<int>(found.size());
}

} // namespace mpiglut::x11

namespace x11 = mpiglut::x11;

bool mpiglut::sockets::wait_for_condition(const void *caller, pthread_cond_t *condition, pthread_mutex_t *mutex,
                                          const timespec *deadline, int &result) {
    if (!any || !x11::is_main(caller))
        return false;
    x11::notified = false;
    x11::waits_for = condition;
    pthread_mutex_unlock(mutex);
    result = x11::leads() ? x11::lead(deadline) : x11::follow();
    x11::waits_for = nullptr;
    pthread_mutex_lock(mutex);
    return true;
}

MPIGLUT_EXPORT int pthread_cond_broadcast(pthread_cond_t *condition) noexcept {
    if (x11::waits_for.load(std::memory_order_relaxed) == condition)
        x11::notified = true;
    return REAL(pthread_cond_broadcast)(condition);
}

MPIGLUT_EXPORT int pthread_join(pthread_t thread, void **result) {
    if (x11::active() && x11::is_main(__builtin_return_address(0))) {
        const std::lock_guard lock(x11::lookout().mutex);
        x11::lookout().free = true;
        x11::lookout().changed.notify_all();
    }
    return REAL(pthread_join)(thread, result);
}
