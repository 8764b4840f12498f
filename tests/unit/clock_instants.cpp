// Waits until an instant, in every way that a program has, by the thread of the ticks and by another one. Each prints
// its result, whether real time went by, and for the ticks' thread whether the clock did.

#include "clock_program.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <future>
#include <linux/futex.h>
#include <mqueue.h>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <semaphore>
#include <shared_mutex>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <thread>
#include <threads.h>
#include <unistd.h>

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

namespace {

constexpr milliseconds wait_time(5);
constexpr long long wait_ns = 5'000'000;

timespec soon(clockid_t id) {
    const long long at = now(id) + wait_ns;
    return {static_cast<time_t>(at / 1'000'000'000), static_cast<long>(at % 1'000'000'000)};
}

/// What its holder keeps while the others wait for it.
struct Held {
    std::promise<int> promise;
    std::shared_future<int> future{promise.get_future()};
    std::shared_timed_mutex shared;
    std::timed_mutex timed;
    std::counting_semaphore<4> counting{0};
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    sem_t posts{};
    mtx_t plain{}, c11{};
    cnd_t condition{};
    pthread_t sleeper{};
    unsigned word = 0;
};

using Wait = int (*)(Held &);
constexpr std::pair<const char *, Wait> waits[] = {
    {"future steady", [](Held &h) { return static_cast<int>(h.future.wait_until(steady_clock::now() + wait_time)); }},
    {"future system", [](Held &h) { return static_cast<int>(h.future.wait_until(system_clock::now() + wait_time)); }},
    {"shared_timed_mutex", [](Held &h) -> int { return h.shared.try_lock_shared_for(wait_time); }},
    {"shared_timed_mutex system",
     [](Held &h) -> int { return h.shared.try_lock_until(system_clock::now() + wait_time); }},
    {"timed_mutex", [](Held &h) -> int { return h.timed.try_lock_for(wait_time); }},
    {"counting_semaphore",
     [](Held &h) -> int { return h.counting.try_acquire_until(steady_clock::now() + wait_time); }},
    {"pthread_rwlock_timedrdlock",
     [](Held &h) {
         const timespec until = soon(CLOCK_REALTIME);
         return pthread_rwlock_timedrdlock(&h.lock, &until);
     }},
    {"pthread_rwlock_clockwrlock",
     [](Held &h) {
         const timespec until = soon(CLOCK_MONOTONIC);
         return pthread_rwlock_clockwrlock(&h.lock, CLOCK_MONOTONIC, &until);
     }},
    {"pthread_mutex_timedlock",
     [](Held &h) {
         const timespec until = soon(CLOCK_REALTIME);
         return pthread_mutex_timedlock(&h.mutex, &until);
     }},
    {"sem_clockwait",
     [](Held &h) {
         const timespec until = soon(CLOCK_MONOTONIC);
         return sem_clockwait(&h.posts, CLOCK_MONOTONIC, &until);
     }},
    {"mtx_timedlock",
     [](Held &h) {
         const timespec until = soon(CLOCK_REALTIME);
         return mtx_timedlock(&h.c11, &until);
     }},
    {"cnd_timedwait",
     [](Held &h) {
         const timespec until = soon(CLOCK_REALTIME);
         mtx_lock(&h.plain);
         const int result = cnd_timedwait(&h.condition, &h.plain, &until);
         mtx_unlock(&h.plain);
         return result;
     }},
    {"pthread_timedjoin_np",
     [](Held &h) {
         const timespec until = soon(CLOCK_REALTIME);
         return pthread_timedjoin_np(h.sleeper, nullptr, &until);
     }},
    {"futex",
     [](Held &h) -> int {
         const timespec until = soon(CLOCK_REALTIME);
         return static_cast<int>(syscall(SYS_futex, &h.word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &until,
                                         nullptr, FUTEX_BITSET_MATCH_ANY));
     }},
    {"futex relative",
     [](Held &h) -> int {
         const timespec time{0, wait_ns};
         return static_cast<int>(syscall(SYS_futex, &h.word, FUTEX_WAIT, 0, &time, nullptr, 0));
     }},
};

void wait_all(const char *thread, Held &held, bool clock_moves) {
    for (const auto &[name, wait] : waits) {
        const long long real = real_ns(), before = now(CLOCK_MONOTONIC);
        const int result = wait(held);
        const bool moved = now(CLOCK_MONOTONIC) - before >= wait_ns;
        std::printf("%s %s %d real %d clock %d\n", thread, name, result, real_ns() - real >= wait_ns,
                    moved || !clock_moves);
    }
}

void with_queue() {
    // By real time: the process number is the run's, and other tests of this program go on at the same time.
    const std::string name = "/mpiglut-clock-test-" + std::to_string(real_ns());
    const mqd_t queue = mq_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600, nullptr);
    mq_unlink(name.c_str());
    char message[8192];
    const long long real = real_ns();
    const timespec until = soon(CLOCK_REALTIME);
    const bool timed_out = mq_timedreceive(queue, message, sizeof message, nullptr, &until) == -1 && errno == ETIMEDOUT;
    std::printf("mq_timedreceive %d real %d\n", timed_out, real_ns() - real >= wait_ns);
    mq_close(queue);
}

void with_timers() {
    for (const clockid_t id : {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME}) {
        const int timer = timerfd_create(id, 0);
        std::uint64_t expired = 0;
        long long real = real_ns();
        itimerspec value{{}, soon(id)};
        timerfd_settime(timer, TFD_TIMER_ABSTIME, &value, nullptr);
        const bool all = read(timer, &expired, sizeof expired) == sizeof expired && expired == 1;
        std::printf("timerfd %d %d real %d\n", static_cast<int>(id), all, real_ns() - real >= wait_ns);
        value.it_value = {1, 0}; // long past
        timerfd_settime(timer, TFD_TIMER_ABSTIME, &value, nullptr);
        std::printf("past %d\n", read(timer, &expired, sizeof expired) == sizeof expired);
        close(timer);

        sigset_t mine;
        sigemptyset(&mine);
        sigaddset(&mine, SIGRTMIN);
        sigprocmask(SIG_BLOCK, &mine, nullptr);
        sigevent event{};
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = SIGRTMIN;
        timer_t by_signal{};
        timer_create(id, &event, &by_signal);
        real = real_ns();
        value.it_value = soon(id);
        timer_settime(by_signal, TIMER_ABSTIME, &value, nullptr);
        const bool signalled = sigwaitinfo(&mine, nullptr) == SIGRTMIN;
        std::printf("timer %d real %d\n", signalled, real_ns() - real >= wait_ns);
        timer_delete(by_signal);
    }
}

} // namespace

void instants() {
    Held held;
    std::promise<void> ready, over;
    sem_init(&held.posts, 0, 0);
    mtx_init(&held.plain, mtx_plain);
    mtx_init(&held.c11, mtx_timed);
    cnd_init(&held.condition);
    std::thread holder([&] {
        held.shared.lock();
        held.timed.lock();
        pthread_rwlock_wrlock(&held.lock);
        pthread_mutex_lock(&held.mutex);
        mtx_lock(&held.c11);
        ready.set_value();
        over.get_future().wait();
        mtx_unlock(&held.c11);
        pthread_mutex_unlock(&held.mutex);
        pthread_rwlock_unlock(&held.lock);
        held.timed.unlock();
        held.shared.unlock();
    });
    ready.get_future().wait();
    held.sleeper = holder.native_handle();
    wait_all("ticks", held, true);
    std::thread([&] { wait_all("other", held, false); }).join();
    with_queue();
    with_timers();
    const timespec time{0, wait_ns};
    const long long before = now(CLOCK_MONOTONIC);
    const int slept = thrd_sleep(&time, nullptr);
    std::printf("thrd_sleep %d clock %d\n", slept, now(CLOCK_MONOTONIC) - before >= wait_ns);
    over.set_value();
    holder.join();
}
