// --threads ordered: threads acquire locks in one order on all ranks, that of rank 0's program. Each acquisition is a
// record, next to those of sockets. So threads that share nothing without a lock do the same on all ranks, and reach
// their connections in the same order.
#include "base/locks.h"

#include "base/export.h"
#include "base/lookup.h"
#include "base/real.h"
#include "base/sockets.h"
#include "clock/callers.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "clock/virtual.h"
#include "system/x11/operations.h"
#include "system/x11/shown.h"
#include "system/x11/threads.h"
#include "system/x11/tile_input.h"
#include "system/x11/x11.h"

#include <X11/Xlib.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <dlfcn.h>
#include <optional>
#include <semaphore.h>
#include <span>
#include <threads.h>

namespace mpiglut::x11 {
namespace {

constexpr std::int64_t slice_ns = 5'000'000;

/// Those that libraries of X have made for connections of the program. Drivers acquire, in the same threads, those of
/// this library's connections, and not as often on each rank.
class XLocks {
  public:
    void note(const volatile void *lock, bool of_program) {
        const volatile void *free = nullptr;
        for (Entry &one : from(lock)) {
            const volatile void *const found = one.load(std::memory_order_relaxed);
            if (found == lock && !of_program)
                one.store(&all_, std::memory_order_relaxed); // of another connection, with the same address
            if (found == lock || (!found && (!of_program || one.compare_exchange_strong(free, lock))))
                return;
            free = nullptr;
        }
    }
    bool has(const volatile void *lock) {
        for (Entry &one : from(lock))
            if (const volatile void *const found = one.load(std::memory_order_relaxed); found == lock || !found)
                return found == lock;
        return false;
    }

  private:
    using Entry = std::atomic<const volatile void *>;
    static constexpr std::size_t size = 4096, longest = 64;
    /// Where it is, if it is there.
    std::span<Entry> from(const volatile void *lock) {
        return std::span(all_).subspan(
            reinterpret_cast<std::uintptr_t>(lock) / alignof(std::max_align_t) % (size - longest), longest);
    }
    std::array<Entry, size> all_{};
};
constinit XLocks x_locks;

bool may_be_in_order() { return keeps_order() && !Ours::here() && !is_over(); }

bool is_in_order() { return may_be_in_order() && at_work(); }

/// A thread may have waited since before the end.
std::int64_t put_down(Kind kind, std::int64_t result) {
    if (is_over())
        return result;
    const int error = errno;
    const Order now;
    errno = error;
    put({.kind = kind, .result = result});
    return result;
}

bool has_acquired(std::int64_t result) { return result == 0 || result == EOWNERDEAD; }

/// Another rank's thread may be cancelled where rank 0's may not, so here it is not.
class NoCancel {
  public:
    NoCancel() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~NoCancel() { pthread_setcancelstate(before_, nullptr); }
    NoCancel(const NoCancel &) = delete;
    NoCancel &operator=(const NoCancel &) = delete;

  private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

/// Rank 0's main()'s thread wakes now and then, as a wait for a condition may, so that messages and input move on. The
/// program has to look at what it waits for itself: who tells the condition meanwhile tells no one.
int wait_awake(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    const timespec end = clock::to_timespec(clock::add(clock::real_monotonic_ns(), slice_ns));
    const int result = REAL(pthread_cond_clockwait)(condition, mutex, CLOCK_MONOTONIC, &end);
    if (result != ETIMEDOUT)
        return result;
    show_in_wait();
    wait_awhile(nullptr, 0, 0, nullptr);
    return 0;
}

Display *open_display(const char *name) {
    ++displays_that_open;
    Display *const display = REAL(XOpenDisplay)(name);
    --displays_that_open;
    return display;
}

constinit pthread_mutex_t ticks = PTHREAD_MUTEX_INITIALIZER;
constexpr TicksOrder by_locks{is_in_order,
                         [] {
                             locks::acquire([] { return REAL(pthread_mutex_lock)(&ticks); },
                                            [] { return REAL(pthread_mutex_trylock)(&ticks); });
                         },
                         [] { REAL(pthread_mutex_unlock)(&ticks); }};

} // namespace

void begin_order() {
    locks::ordered = true;
    ticks_order = &by_locks;
}

} // namespace mpiglut::x11

namespace x11 = mpiglut::x11;
namespace locks = mpiglut::locks;

bool locks::in_order(const void *caller, const volatile void *lock) {
    using namespace mpiglut;
    if (!x11::may_be_in_order())
        return false;
    const bool is_for_program = x11::in_x_library(caller)
                                    ? lock && x11::x_locks.has(lock)
                                    : clock::origin_behind_cpp_library(caller) == clock::Origin::program;
    return is_for_program && x11::at_work(); // last, as it asks the system which process this is
}

int locks::acquire(const Call &wait, const Call &attempt) {
    if (x11::leads())
        return static_cast<int>(x11::put_down(x11::Kind::lock, wait()));
    const x11::NoCancel now;
    const x11::Record record = x11::await_record(
        {.kind = x11::Kind::lock}, {}, {},
        [&](const x11::Record &theirs) { return !x11::has_acquired(theirs.result) || x11::has_acquired(attempt()); });
    return static_cast<int>(record.result);
}

int locks::wait_for_condition(pthread_mutex_t *mutex, const Call &wait) {
    if (x11::leads())
        return static_cast<int>(x11::put_down(x11::Kind::condition, wait()));
    const x11::NoCancel now;
    pthread_mutex_unlock(mutex);
    const x11::Record record =
        x11::await_record({.kind = x11::Kind::condition}, {}, {},
                          [&](const x11::Record &) {
                              return x11::has_acquired(REAL(pthread_mutex_trylock)(mutex));
                          });
    return static_cast<int>(record.result);
}

std::int64_t locks::share(std::int64_t value) {
    if (!ordered.load(std::memory_order_relaxed) || !x11::is_in_order())
        return value;
    const int error = errno;
    const std::int64_t shared = x11::leads() ? x11::put_down(x11::Kind::value, value)
                                             : x11::await_record({.kind = x11::Kind::value}).result;
    errno = error;
    return shared;
}

bool locks::shares_all() {
    return ordered.load(std::memory_order_relaxed) && x11::has_company() && x11::is_in_order();
}

// Called by whatever is loaded, before a sanitizer's runtime can check memory.
MPIGLUT_EXPORT MPIGLUT_UNCHECKED int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept {
    using Lock = int (*)(pthread_mutex_t *);
    static void *known = nullptr; // any thread would find the same
    void *found = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!found) {
        found = mpiglut::real_dlsym()(RTLD_NEXT, "pthread_mutex_lock");
        __atomic_store_n(&known, found, __ATOMIC_RELAXED);
    }
    const auto real = reinterpret_cast<Lock>(found);
    const void *const caller = __builtin_return_address(0);
    if (__atomic_load_n(&x11::looks_left, __ATOMIC_RELAXED) > 0)
        x11::look_at_new_threads(caller);
    if (!locks::ordered.load(std::memory_order_relaxed))
        return real(mutex);
    return locks::acquire(caller, mutex, [=] { return real(mutex); }, [=] { return REAL(pthread_mutex_trylock)(mutex); });
}

MPIGLUT_EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) noexcept {
    if (locks::ordered && x11::in_x_library(__builtin_return_address(0)))
        x11::x_locks.note(mutex, x11::is_in_order());
    return REAL(pthread_mutex_init)(mutex, attributes);
}

/// Xlib connects with a lock of its own, which drivers also acquire, so that it cannot be in order: this one is.
MPIGLUT_EXPORT Display *XOpenDisplay(const char *name) {
    static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
    if (!locks::ordered.load(std::memory_order_relaxed) || !locks::in_order(__builtin_return_address(0), &opening))
        return x11::open_display(name);
    locks::acquire([] { return pthread_mutex_lock(&opening); }, [] { return pthread_mutex_trylock(&opening); });
    std::optional<x11::Order> alone; // no other thread has a record in between, while this one may have Xlib's lock
    if (x11::leads())
        alone.emplace();
    Display *const display = x11::open_display(name);
    alone.reset();
    const int error = errno;
    pthread_mutex_unlock(&opening);
    errno = error;
    return display;
}

MPIGLUT_EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    const void *const caller = __builtin_return_address(0);
    if (locks::ordered.load(std::memory_order_relaxed) && locks::in_order(caller, mutex))
        return locks::wait_for_condition(mutex, [=] {
            return x11::is_main_thread() ? x11::wait_awake(condition, mutex)
                                         : REAL(pthread_cond_wait)(condition, mutex);
        });
    int result = 0;
    if (mpiglut::sockets::any && mpiglut::sockets::wait_for_condition(caller, condition, mutex, nullptr, result))
        return result;
    return x11::wait_as_main(caller, mutex) ? 0 : REAL(pthread_cond_wait)(condition, mutex);
}

#define UNPACK(...) __VA_ARGS__
/// A function that waits for a lock, and the one that acquires it without waiting.
#define ACQUIRES(function, attempt, parameters, names, ...)                                                            \
    MPIGLUT_EXPORT int function(UNPACK parameters) __VA_ARGS__ {                                                       \
        return locks::acquire(                                                                                         \
            __builtin_return_address(0), UNPACK names, [&] { return REAL(function)(UNPACK names); },                   \
            [&] { return REAL(attempt)(UNPACK names); });                                                              \
    }                                                                                                                  \
    static_assert(true)

ACQUIRES(pthread_mutex_trylock, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex), noexcept);
ACQUIRES(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock), noexcept);
ACQUIRES(pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock), noexcept);
ACQUIRES(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock), noexcept);
ACQUIRES(pthread_rwlock_trywrlock, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock), noexcept);
ACQUIRES(pthread_spin_lock, pthread_spin_trylock, (pthread_spinlock_t * lock), (lock), noexcept);
ACQUIRES(pthread_spin_trylock, pthread_spin_trylock, (pthread_spinlock_t * lock), (lock), noexcept);
ACQUIRES(sem_wait, sem_trywait, (sem_t * semaphore), (semaphore));
ACQUIRES(sem_trywait, sem_trywait, (sem_t * semaphore), (semaphore), noexcept);
ACQUIRES(mtx_lock, mtx_trylock, (mtx_t * mutex), (mutex));
ACQUIRES(mtx_trylock, mtx_trylock, (mtx_t * mutex), (mutex));

MPIGLUT_EXPORT int cnd_wait(cnd_t *condition, mtx_t *mutex) {
    return locks::wait_for_condition(__builtin_return_address(0), reinterpret_cast<pthread_mutex_t *>(mutex),
                                     [=] { return REAL(cnd_wait)(condition, mutex); });
}

/// All threads meet on each rank. Which of them gets another result than the others is as on rank 0.
MPIGLUT_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier) noexcept {
    const bool shared = locks::ordered.load(std::memory_order_relaxed) &&
                        locks::in_order(__builtin_return_address(0), barrier);
    const int mine = REAL(pthread_barrier_wait)(barrier);
    if (!shared)
        return mine;
    const x11::NoCancel now;
    return static_cast<int>(locks::share(mine));
}
