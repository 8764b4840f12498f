// Threads that race: x11_threads WAY.  Four threads draw by one connection, each in its own time, which is another one on
// each rank. WAY says what they share: a mutex (mutex), who gets a mutex without waiting (try), a queue with conditions
// (queue), conditions with time-outs (timed), semaphores, barriers and locks of readers (others), a mutex while each
// opens displays (displays; looked_up: by a function that it looks up, as SDL does), the locks of Xlib alone (xlib), or a
// condition until the program's end (pool). What they do is printed in its order.
#include <X11/Xlib.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <dlfcn.h>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <string>
#include <sys/eventfd.h>
#include <thread>
#include <threads.h>
#include <unistd.h>
#include <utility>
#include <vector>
#include <x86intrin.h>

namespace {

constexpr int threads = 4, rounds = 25;

Display *display;
Window window;
GC context;
std::mutex mutex;
std::vector<std::string> told; ///< under the mutex

/// Some microseconds that no clock of the program's has.
void dawdle() {
    for (unsigned long long end = __rdtsc() + (__rdtsc() >> 4) % 200'000; __rdtsc() < end;)
        __builtin_ia32_pause();
}

void draw(int thread, int what) {
    XFillRectangle(display, window, context, 10 * thread, what % 100, 5, 5);
    if (what % 5 == 0)
        XSync(display, False);
}

void tell(int thread, const char *what, int number) {
    told.push_back(std::to_string(thread) + " " + what + " " + std::to_string(number));
    draw(thread, static_cast<int>(told.size()));
}

/// Connections that begin and end at the same time.
void open_displays(int thread, decltype(XOpenDisplay) *open) {
    for (int i = 0; i < 5; ++i) {
        dawdle();
        Display *const own = open(nullptr);
        const Window parent = own ? DefaultRootWindow(own) : None;
        const Window made = own ? XCreateSimpleWindow(own, parent, 0, 0, 10, 10, 0, 0, 0) : None;
        {
            const std::lock_guard lock(mutex);
            tell(thread, made ? "has a display" : "has none", i);
        }
        if (own)
            XCloseDisplay(own);
    }
}

void share_mutex(int thread) {
    for (int i = 0; i < rounds; ++i) {
        dawdle();
        const std::lock_guard lock(mutex);
        tell(thread, "has it", i);
    }
}

void try_mutex(int thread) {
    int failures = 0;
    for (int i = 0; i < rounds;) {
        dawdle();
        if (!mutex.try_lock()) {
            ++failures;
            continue;
        }
        tell(thread, "failed before", std::exchange(failures, 0));
        dawdle();
        mutex.unlock();
        ++i;
    }
}

std::deque<int> queue;
std::condition_variable filled, emptied;

/// One thread makes what all others want, whoever comes first.
void share_queue(int thread) {
    constexpr int each = rounds / 5 * 5;
    for (int i = 0; i < (thread == 0 ? each * (threads - 1) : each); ++i) {
        dawdle();
        std::unique_lock lock(mutex);
        if (thread == 0) {
            emptied.wait(lock, [] { return queue.size() < 3; });
            queue.push_back(i);
            tell(thread, "puts", i);
            filled.notify_one();
        } else {
            filled.wait(lock, [] { return !queue.empty(); });
            tell(thread, "gets", queue.front());
            queue.pop_front();
            emptied.notify_one();
        }
    }
}

/// Which of them wait in vain is a race.
void wait_with_time_out(int thread) {
    for (int i = 0; i < rounds; ++i) {
        dawdle();
        std::unique_lock lock(mutex);
        if ((i + thread) % 2 == 0) {
            tell(thread, "tells", i);
            filled.notify_one();
        } else {
            const bool late = filled.wait_for(lock, std::chrono::microseconds(300)) == std::cv_status::timeout;
            tell(thread, late ? "is late" : "is told", i);
        }
    }
}

sem_t two;
pthread_barrier_t barrier;
std::shared_mutex readers;
std::shared_timed_mutex patient;
mtx_t of_c;
cnd_t said;
int turn = 0;

void share_others(int thread) {
    for (int i = 0; i < rounds; ++i) {
        dawdle();
        sem_wait(&two);
        dawdle();
        {
            const std::lock_guard lock(mutex);
            tell(thread, "is one of two", i);
        }
        sem_post(&two);
        if (thread == 0) {
            const std::unique_lock lock(readers);
            turn = i;
        } else {
            const std::shared_lock lock(readers);
            const std::lock_guard inner(mutex);
            tell(thread, "reads", turn);
        }
        if (patient.try_lock_for(std::chrono::microseconds(20))) {
            dawdle();
            patient.unlock();
            const std::lock_guard lock(mutex);
            tell(thread, "was patient", i);
        }
        const bool last = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
        if (last) {
            const std::lock_guard lock(mutex);
            tell(thread, "was last", i);
        }
    }
    mtx_lock(&of_c);
    while (turn != rounds - 1)
        cnd_wait(&said, &of_c);
    cnd_broadcast(&said);
    mtx_unlock(&of_c);
}

/// Threads that wait until the program has ended, when no order is kept any more.
struct Pool {
    ~Pool() {
        {
            const std::lock_guard lock(mutex);
            over = true;
        }
        filled.notify_all();
        for (std::thread &one : workers)
            one.join();
    }
    void begin() {
        for (int i = 0; i < 2; ++i)
            workers.emplace_back([this] {
                std::unique_lock lock(mutex);
                tell(i_of_worker++, "waits", 0);
                filled.wait(lock, [this] { return over; });
            });
        for (std::size_t waiting = 0; waiting < workers.size();) {
            const std::lock_guard lock(mutex);
            waiting = told.size();
        }
    }

    std::vector<std::thread> workers;
    int i_of_worker = 0;
    bool over = false;
};
Pool pool;

/// Nothing but requests, whose order is that of Xlib's locks. main() waits for what the threads send to a descriptor.
void share_xlib(int thread, int descriptor) {
    for (int i = 0; i < rounds; ++i) {
        dawdle();
        draw(thread, i);
    }
    const std::uint64_t one = 1;
    (void)!write(descriptor, &one, sizeof one);
}

void wait_for_threads(int descriptor) {
    for (int left = threads; left > 0;) {
        pollfd one{descriptor, POLLIN, 0};
        if (poll(&one, 1, 1) <= 0)
            continue;
        std::uint64_t count = 0;
        if (read(descriptor, &count, sizeof count) != sizeof count)
            return;
        left -= static_cast<int>(count);
        dawdle();
        XSync(display, False);
    }
}

} // namespace

int main(int count, char **arguments) {
    const std::string way = count > 1 ? arguments[1] : "mutex";
    if (!XInitThreads() || !(display = XOpenDisplay(nullptr))) {
        std::printf("no display\n");
        return 3;
    }
    window = XCreateSimpleWindow(display, DefaultRootWindow(display), 0, 0, 100, 100, 0, 0, 0);
    context = XCreateGC(display, window, 0, nullptr);
    XSelectInput(display, window, StructureNotifyMask);
    XMapWindow(display, window);
    for (XEvent event{}; event.type != MapNotify;)
        XNextEvent(display, &event);
    sem_init(&two, 0, 2);
    pthread_barrier_init(&barrier, nullptr, threads);
    mtx_init(&of_c, mtx_plain);
    cnd_init(&said);
    const int descriptor = eventfd(0, EFD_SEMAPHORE);
    std::vector<std::thread> all;
    if (way == "pool")
        pool.begin();
    for (int thread = 0; thread < threads && way != "pool"; ++thread)
        all.emplace_back([&way, descriptor, thread] {
            if (way == "mutex")
                share_mutex(thread);
            else if (way == "displays")
                open_displays(thread, XOpenDisplay);
            else if (way == "looked_up")
                open_displays(thread, reinterpret_cast<decltype(XOpenDisplay) *>(
                                          dlsym(dlopen("libX11.so.6", RTLD_NOW), "XOpenDisplay")));
            else if (way == "try")
                try_mutex(thread);
            else if (way == "queue")
                share_queue(thread);
            else if (way == "timed")
                wait_with_time_out(thread);
            else if (way == "others")
                share_others(thread);
            else
                share_xlib(thread, descriptor);
        });
    if (way == "xlib")
        wait_for_threads(descriptor);
    for (std::thread &one : all)
        one.join();
    XSync(display, False);
    for (const std::string &line : told)
        std::printf("%s\n", line.c_str());
    std::printf("done\n");
    XCloseDisplay(display);
    return 0;
}
