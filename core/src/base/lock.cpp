#include "base/lock.h"

#include "base/log.h"

#include <atomic>
#include <cstdlib>
#include <pthread.h>
#include <time.h>
#include <utility>

namespace pixmpi {
namespace {

/// Never destroyed, as the library.
std::mutex &the_mutex() {
    static auto *const one = new std::mutex;
    return *one;
}

thread_local int times_held = 0; ///< how often this thread has locked it

std::atomic<int> wanting{0}; ///< threads that wait for it

template <class Acquire> void want(Acquire acquire) {
    if (the_mutex().try_lock())
        return;
    ++wanting;
    acquire();
    --wanting;
}

/// Seconds that the library waits for a lock of the program before it refuses calls that wait for the library.
constexpr int patience = 5;

double now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Threads of the library that wait for locks of the program: how many, and since when none of them has got its lock.
std::atomic<int> waiting{0};
std::atomic<double> waiting_since{0};

std::atomic<void (*)()> before_unlock{nullptr};

/// How often this thread had locked it.
int give_away() {
    if (void (*const call)() = before_unlock)
        call();
    const int times = std::exchange(times_held, 0);
    the_mutex().unlock();
    write_log();
    return times;
}

bool program_holds_us_up() { return waiting > 0 && now() - waiting_since > patience; }

/// Looks up now and then, whether there is a point in waiting.
bool wait_for_a_while(std::mutex &mutex) {
    constexpr long look = 100'000'000, second = 1'000'000'000;
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += look;
    until.tv_sec += until.tv_nsec / second;
    until.tv_nsec %= second;
    return pthread_mutex_timedlock(mutex.native_handle(), &until) == 0;
}

} // namespace

bool lock_is_wanted() { return wanting > 0; }

void set_before_unlock(void (*call)()) { before_unlock = call; }

Lock::Lock() {
    if (times_held == 0)
        want([] { the_mutex().lock(); });
    ++times_held;
}

Lock::Lock(std::try_to_lock_t) : held_(times_held > 0 || the_mutex().try_lock()) { times_held += held_; }

Lock::~Lock() {
    if (held_)
        pixMPI_Internal_unlock();
}

void Lock::unlock() { given_away_ = give_away(); }

void Lock::lock() {
    want([] { the_mutex().lock(); });
    times_held = given_away_;
}

Status pixMPI_Internal_lock(bool within_call) {
    if (times_held > 0 && within_call)
        return fail(PIXMPI_ERR_ARGUMENT, "called by a function of the program that the library has called, expected "
                                         "that such a function does not call it");
    bool got = true;
    if (times_held == 0)
        want([&] {
            while (!(got = wait_for_a_while(the_mutex())) && !program_holds_us_up())
                ;
        });
    if (!got)
        return fail(PIXMPI_ERR_TIMEOUT,
                    "the library has waited for lock_queue for %d s; expected that a thread which holds the "
                    "program's lock of a queue calls the library only after it has released the lock",
                    patience);
    ++times_held;
    return PIXMPI_SUCCESS;
}

void pixMPI_Internal_unlock() {
    if (times_held > 1)
        --times_held;
    else
        give_away();
}

bool pixMPI_Internal_lock_is_mine() { return times_held > 0; }

void pixMPI_Internal_lacks_lock(const char *what) {
    std::fprintf(stderr, "pixmpi: %s without the library's lock: an error of the library\n", what);
    std::abort();
}

void pixMPI_Internal_waits_for_program(bool begins) {
    if (begins) {
        if (waiting == 0)
            waiting_since = now(); // before others see that one waits
        ++waiting;
    } else if (--waiting > 0) {
        waiting_since = now();
    }
}

} // namespace pixmpi
