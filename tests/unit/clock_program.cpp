// A program that knows nothing of walls and looks at the time in every way there is. Its one argument says what to do;
// what it prints is what the tests compare.

#include "clock_program.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <future>
#include <map>
#include <mutex>
#include <poll.h>
#include <random>
#include <sched.h>
#include <semaphore.h>
#include <string>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

namespace {

// The library's handles; absent when it is not there.
template <class Function> Function *library(const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}
void tick() {
    if (auto *call = library<void()>("clock_library_tick"))
        call();
}

long long ns(const timespec &time) { return time.tv_sec * 1'000'000'000ll + time.tv_nsec; }

} // namespace

long long real_ns() { return library<std::int64_t()>("clock_library_real_ns")(); }

long long now(clockid_t id) {
    timespec time{};
    clock_gettime(id, &time);
    return ns(time);
}

namespace {

void every_clock() {
    timespec stamp{};
    timeval day{};
    tms spent{};
    rusage usage{};
    std::printf("%lld\n", static_cast<long long>(time(nullptr)));
    for (clockid_t id : {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
                         CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME, CLOCK_TAI})
        std::printf("clock %d %lld\n", static_cast<int>(id), now(id));
    gettimeofday(&day, nullptr);
    std::printf("gettimeofday %lld.%06ld\n", static_cast<long long>(day.tv_sec), static_cast<long>(day.tv_usec));
    timespec_get(&stamp, TIME_UTC);
    std::printf("timespec_get %lld\n", ns(stamp));
    std::printf("clock %ld\n", static_cast<long>(clock()));
    const clock_t ticks = times(&spent);
    std::printf("times %ld %ld %ld\n", static_cast<long>(ticks), static_cast<long>(spent.tms_utime),
                static_cast<long>(spent.tms_stime));
    getrusage(RUSAGE_SELF, &usage);
    std::printf("getrusage %ld.%06ld\n", static_cast<long>(usage.ru_utime.tv_sec),
                static_cast<long>(usage.ru_utime.tv_usec));
    std::printf("steady %lld\n", static_cast<long long>(steady_clock::now().time_since_epoch().count()));
    std::printf("system %lld\n", static_cast<long long>(system_clock::now().time_since_epoch().count()));
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &stamp);
    syscall(SYS_gettimeofday, &day, nullptr);
    std::printf("syscall %lld %lld.%06ld\n", ns(stamp), static_cast<long long>(day.tv_sec),
                static_cast<long>(day.tv_usec));
#ifdef SYS_time
    std::printf("syscall %ld\n", syscall(SYS_time, nullptr));
#endif
}

void every_seed() {
    unsigned char bytes[13];
    std::printf("pid %d\n", getpid());
    std::random_device device;
    std::printf("random_device %u %u\n", device(), device());
    std::printf("getrandom %zd", getrandom(bytes, sizeof bytes, 0));
    for (unsigned char byte : bytes)
        std::printf(" %02x", byte);
    std::printf("\nsyscall %ld %ld", syscall(SYS_getpid), syscall(SYS_getrandom, bytes, sizeof bytes, 0));
    for (unsigned char byte : bytes)
        std::printf(" %02x", byte);
    std::printf("\ngetentropy %d", getentropy(bytes, sizeof bytes));
    for (unsigned char byte : bytes)
        std::printf(" %02x", byte);
    std::puts("");
    std::printf("AT_RANDOM");
    for (const auto *byte = reinterpret_cast<const unsigned char *>(getauxval(AT_RANDOM)); const int i : {0, 7, 8, 15})
        std::printf(" %02x", byte[i]);
    utsname names{};
    char host[256] = "";
    std::printf("\nhost %d %s", gethostname(host, sizeof host), host);
    std::printf(" %d %s", uname(&names), names.nodename);
    errno = 0;
    std::printf(" short %d", gethostname(host, 3));
    std::printf(" %d\n", errno == ENAMETOOLONG);
    std::printf("processors %ld %d %u\n", sysconf(_SC_NPROCESSORS_ONLN), get_nprocs(),
                std::thread::hardware_concurrency());
    std::printf("thread %d %ld, parent %d %ld\n", gettid(), syscall(SYS_gettid), getppid(), syscall(SYS_getppid));
}

// Whatever is done to them by these numbers.
void numbers() {
    cpu_set_t set;
    std::printf("parent %d, affinity %d, priority %d, group %d, session %d, ", kill(getppid(), 0),
                sched_getaffinity(gettid(), sizeof set, &set),
                getpriority(PRIO_PROCESS, static_cast<id_t>(getpid())) - getpriority(PRIO_PROCESS, 0),
                getpgid(getpid()) == getpgid(0), getsid(getpid()) == getsid(0));
    std::printf("thread %d %ld, ", tgkill(getpid(), gettid(), 0), syscall(SYS_tgkill, getpid(), gettid(), 0));
    std::fflush(stdout);
    const pid_t parent = getpid(), child = fork();
    if (child == 0)
        _exit(getppid() == parent && kill(getppid(), 0) == 0 ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    std::printf("the child's parent %d\n", status == 0);
}

// A library of the program, and one that exports what only cryptographic libraries do.
void secrets() {
    for (const auto &[file, function] : {std::pair{"CLOCK_PLUGIN", "plugin_random"}, {"CLOCK_CIPHER", "RAND_bytes"}}) {
        void *library = dlopen(std::getenv(file), RTLD_NOW | RTLD_LOCAL);
        auto *draw = library ? reinterpret_cast<int (*)(unsigned char *, int)>(dlsym(library, function)) : nullptr;
        unsigned char bytes[8] = {};
        std::printf("%d", draw ? draw(bytes, sizeof bytes) : -1);
        for (const unsigned char byte : bytes)
            std::printf(" %02x", byte);
        std::puts("");
    }
}

void sequence() {
    every_clock();
    for (int i = 0; i < 3; ++i) {
        tick();
        every_seed();
        std::this_thread::sleep_for(milliseconds(3));
        usleep(1500);
        sleep(0);
        every_clock();
    }
}

// Each way to wait for the clock, in virtual milliseconds.
void busy_loops() {
    const auto steady_end = steady_clock::now() + milliseconds(30);
    while (steady_clock::now() < steady_end) {
    }
    std::puts("steady");
    for (const clock_t end = clock() + 30 * CLOCKS_PER_SEC / 1000; clock() < end;) {
    }
    std::puts("clock");
    timeval from{}, to{};
    gettimeofday(&from, nullptr);
    do
        gettimeofday(&to, nullptr);
    while ((to.tv_sec - from.tv_sec) * 1'000'000 + to.tv_usec - from.tv_usec < 30'000);
    std::puts("gettimeofday");
    for (const time_t start = time(nullptr); time(nullptr) == start;) {
    }
    std::puts("time");
    tms spent{};
    for (const clock_t end = times(&spent) + 3; times(&spent) < end;) {
    }
    std::puts("times");
}

/// Nothing ever comes out of it.
int silent_pipe() {
    static const int out = [] {
        int ends[2] = {-1, -1};
        if (pipe(ends) != 0)
            std::abort();
        return ends[0];
    }();
    return out;
}

// Each way to sleep; prints how far the clock went, in microseconds.
void sleeps() {
    using Sleep = void (*)();
    const std::pair<const char *, Sleep> ways[] = {
        {"usleep", [] { usleep(20'000); }},
        {"nanosleep",
         [] {
             const timespec time{0, 20'000'000};
             nanosleep(&time, nullptr);
         }},
        {"clock_nanosleep",
         [] {
             const timespec time{0, 20'000'000};
             clock_nanosleep(CLOCK_REALTIME, 0, &time, nullptr);
         }},
        {"sleep_for", [] { std::this_thread::sleep_for(milliseconds(20)); }},
        {"select",
         [] {
             timeval time{0, 20'000};
             select(0, nullptr, nullptr, nullptr, &time);
         }},
        {"poll", [] { poll(nullptr, 0, 20); }},
        {"select for a pipe",
         [] {
             fd_set set;
             FD_ZERO(&set);
             FD_SET(silent_pipe(), &set);
             timeval time{0, 20'000};
             select(silent_pipe() + 1, &set, nullptr, nullptr, &time);
         }},
        {"pselect for a pipe",
         [] {
             fd_set set;
             FD_ZERO(&set);
             FD_SET(silent_pipe(), &set);
             const timespec time{0, 20'000'000};
             pselect(silent_pipe() + 1, &set, nullptr, nullptr, &time, nullptr);
         }},
        {"poll for a pipe",
         [] {
             pollfd one{silent_pipe(), POLLIN, 0};
             poll(&one, 1, 20);
         }},
        {"ppoll for a pipe",
         [] {
             pollfd one{silent_pipe(), POLLIN, 0};
             const timespec time{0, 20'000'000};
             ppoll(&one, 1, &time, nullptr);
         }},
        {"epoll_wait",
         [] {
             static const int epoll = epoll_create1(0);
             epoll_event event{};
             epoll_wait(epoll, &event, 1, 20);
         }},
        {"condition",
         [] {
             std::mutex mutex;
             std::condition_variable condition;
             std::unique_lock lock(mutex);
             const long long end = now(CLOCK_REALTIME) + 20'000'000;
             const timespec deadline{static_cast<time_t>(end / 1'000'000'000), static_cast<long>(end % 1'000'000'000)};
             pthread_cond_timedwait(condition.native_handle(), mutex.native_handle(), &deadline);
         }},
    };
    for (const auto &[name, sleep_once] : ways) {
        const long long before = now(CLOCK_MONOTONIC);
        sleep_once();
        std::printf("%s %lld\n", name, (now(CLOCK_MONOTONIC) - before) / 1000);
    }
    timespec beat{};
    clock_gettime(CLOCK_MONOTONIC, &beat);
    const long long before = ns(beat);
    for (int i = 0; i < 5; ++i) {
        beat.tv_nsec += 4'000'000;
        beat.tv_sec += beat.tv_nsec / 1'000'000'000;
        beat.tv_nsec %= 1'000'000'000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &beat, nullptr);
    }
    std::printf("beat %lld\n", (now(CLOCK_MONOTONIC) - before) / 1000);
    std::this_thread::sleep_until(system_clock::now() + milliseconds(20));
    std::puts("sleep_until");
}

// Waits with deadlines that come, on both clocks, on this thread and on another.
void deadlines() {
    std::mutex mutex;
    std::condition_variable condition;
    auto wait_in_vain = [&](auto deadline) {
        std::unique_lock lock(mutex);
        return !condition.wait_until(lock, deadline, [] { return false; });
    };
    std::printf("steady %d\n", wait_in_vain(steady_clock::now() + milliseconds(15)));
    std::printf("system %d\n", wait_in_vain(system_clock::now() + milliseconds(15)));
    std::thread([&] {
        std::printf("thread %d\n", wait_in_vain(steady_clock::now() + milliseconds(15)));
        std::printf("thread %d\n", wait_in_vain(system_clock::now() + milliseconds(15)));
    }).join();
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    timespec deadline{};
    clock_gettime(CLOCK_REALTIME, &deadline);
    ++deadline.tv_sec;
    deadline.tv_nsec = 0;
    std::printf("semaphore %d", sem_timedwait(&semaphore, &deadline));
    std::printf(" %d\n", errno == ETIMEDOUT);
    std::timed_mutex timed;
    timed.lock();
    auto locked = std::async(std::launch::async, [&] { return timed.try_lock_for(milliseconds(15)); });
    std::printf("mutex %d\n", locked.get());
    std::printf("future %d\n",
                std::promise<int>().get_future().wait_for(milliseconds(15)) == std::future_status::timeout);
}

// Other threads read the clock as they like; the main thread's readings are as if they did not.
void threads(bool with_others) {
    std::atomic<bool> stop{false}, backwards{false};
    std::atomic<int> running{0};
    auto read_on = [&] {
        ++running;
        for (long long last = 0; !stop;) {
            const long long next = now(CLOCK_MONOTONIC);
            backwards = backwards || next < last;
            last = next;
            std::random_device()();
        }
    };
    std::thread first, second;
    if (with_others) {
        first = std::thread(read_on);
        second = std::thread(read_on);
        while (running < 2)
            std::this_thread::yield();
    }
    for (int i = 0; i < 200; ++i) {
        std::printf("%lld %u\n", now(CLOCK_MONOTONIC), std::random_device()());
        tick();
    }
    stop = true;
    if (with_others) {
        first.join();
        second.join();
        // One of them alone, while the main thread does nothing but wait for it.
        std::thread([] {
            for (const auto end = steady_clock::now() + milliseconds(20); steady_clock::now() < end;) {
            }
        }).join();
    }
    std::printf("backwards %d\n", backwards.load());
}

// Which of these go by the real clock: library code may not be fooled.
void callers() {
    const long long own = library<std::int64_t()>("clock_library_own_read")();
    std::printf("library real %d\n", std::abs(own - real_ns()) < 60'000'000'000ll);
    const auto reads = library<std::uint64_t()>("clock_library_reads");
    const std::uint64_t before = reads();
    now(CLOCK_MONOTONIC);
    steady_clock::now();
    time(nullptr);
    std::printf("counted %d\n", static_cast<int>(reads() - before));
    void *plugin = dlopen(std::getenv("CLOCK_PLUGIN"), RTLD_NOW | RTLD_LOCAL);
    auto *read = plugin ? reinterpret_cast<long long (*)()>(dlsym(plugin, "plugin_read")) : nullptr;
    std::printf("plugin counted %d\n", read && read() > 0 ? static_cast<int>(reads() - before) - 3 : -1);
    tick();
}

volatile std::sig_atomic_t caught = 0;

void signals() {
    std::signal(SIGUSR1, [](int) { caught = 1; });
    const int result = kill(getpid(), SIGUSR1);
    std::printf("kill %d %d\n", result, static_cast<int>(caught));
    std::fflush(stdout);
    const pid_t parent = getpid(), child = fork();
    if (child == 0)
        _exit(getpid() == parent ? 1 : 0);
    int status = -1;
    waitpid(child, &status, 0);
    std::printf("child has a number of its own %d\n", status == 0);
}

// The processor's counter is the program's clock; no other code is harmed, here or in what the program starts.
void counter() {
#ifdef __x86_64__
    unsetenv("LD_PRELOAD"); // as glutInit does
    unsigned processor = 0;
    const auto first = __rdtsc(), second = __rdtscp(&processor);
    std::printf("%lld %lld\n", static_cast<long long>(first), static_cast<long long>(second));
    const long long real = real_ns();
    std::printf("real %d\n", real > 0 && real_ns() >= real);
    std::fflush(stdout);
    std::printf("system %d\n", system("date > /dev/null"));
    if (FILE *pipe = popen("date > /dev/null", "r"))
        std::printf("popen %d\n", pclose(pipe));
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        execlp("date", "date", "+child", nullptr);
    int status = -1;
    waitpid(child, &status, 0);
    std::printf("fork %d\n", status);
    std::printf("%lld\n", static_cast<long long>(__rdtsc()));
#endif
}

// The clock never goes back, whatever stamps come.
void monotonic() {
    auto *stamp = library<void(std::int64_t, std::int64_t)>("clock_library_stamp");
    long long last = now(CLOCK_MONOTONIC);
    stamp(last + 1'000'000'000, last);
    bool good = true;
    for (int i = 0; i < 50; ++i) {
        for (int read = 0; read < i * 7 % 40; ++read) {
            const long long next = now(CLOCK_MONOTONIC);
            good = good && next >= last;
            last = next;
        }
        stamp(last + 1'000'000'000 - 5'000, last - 5'000); // rank 0 has read less often
    }
    stamp(last + 1'000'001'000, last + 1'000);
    std::printf("never back %d, together again %d\n", good, now(CLOCK_MONOTONIC) == last + 2'000);
}

} // namespace

int main(int, char **arguments) {
    const std::map<std::string, void (*)()> modes = {{"every-clock", every_clock},
                                                     {"sequence", sequence},
                                                     {"busy-loops", busy_loops},
                                                     {"sleeps", sleeps},
                                                     {"deadlines", deadlines},
                                                     {"instants", instants},
                                                     {"threads", [] { threads(true); }},
                                                     {"no-threads", [] { threads(false); }},
                                                     {"callers", callers},
                                                     {"numbers", numbers},
                                                     {"secrets", secrets},
                                                     {"signals", signals},
                                                     {"counter", counter},
                                                     {"monotonic", monotonic}};
    const auto mode = modes.find(arguments[1] ? arguments[1] : "");
    if (mode == modes.end())
        return 2;
    alarm(100); // a wait that never ends is an error
    mode->second();
    return 0;
}
