#include "system/x11/threads.h"

#include "base/export.h"
#include "base/locks.h"
#include "base/real.h"
#include "clock/callers.h"
#include "clock/clock.h"
#include "clock/virtual.h"
#include "system/x11/connections.h"
#include "system/x11/record.h"
#include "system/x11/tile_system.h"
#include "system/x11/x11.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <threads.h>
#include <vector>

namespace mpiglut::x11 {
namespace {

struct Name {
    std::uint32_t number = 0;   ///< a hash of the path
    std::uint32_t children = 0; ///< threads that it has made
    bool keeps_order = false;
};
__attribute__((tls_model("initial-exec"))) thread_local Name here;

/// For people, by number.
class Paths {
  public:
    void add(std::uint32_t number, std::uint32_t parent, std::uint32_t child) {
        const std::lock_guard lock(mutex_);
        const auto found = paths_.find(parent);
        const std::string before = found == paths_.end() ? "" : found->second + ".";
        paths_.try_emplace(number, before + std::to_string(child));
    }
    std::string find(std::uint32_t number) {
        const std::lock_guard lock(mutex_);
        const auto found = paths_.find(number);
        return found == paths_.end() ? "" : found->second;
    }

  private:
    std::mutex mutex_;
    std::map<std::uint32_t, std::string> paths_;
};
Paths &paths() {
    static auto *const all = new Paths;
    return *all;
}

std::uint32_t number_of_child(std::uint32_t parent, std::uint32_t child) {
    std::uint64_t mixed = (std::uint64_t{parent} << 32 | child) * 0x9e3779b97f4a7c15ull;
    mixed = (mixed ^ (mixed >> 29)) * 0xbf58476d1ce4e5b9ull;
    const auto number = static_cast<std::uint32_t>(mixed >> 32);
    return number == 0 || number == unnamed_thread ? 1 : number;
}

/// Those that main()'s thread has made lately. Which of a new thread and of its maker comes first to libxcb is a race.
/// So the maker waits until it sleeps, whatever for, and looks again the next times that it is about to enter libxcb.
class Young {
  public:
    void add(const std::atomic<int> &number, std::uint32_t name) {
        const std::int64_t end = clock::real_monotonic_ns() + 10'000'000'000; // a busy machine
        while (number == 0 && clock::real_monotonic_ns() < end)
            sched_yield();
        if (!settle_new(number, name))
            return;
        threads_.push_back(number);
        __atomic_store_n(&looks_left, looks, __ATOMIC_RELAXED);
    }
    void look() {
        if (__atomic_sub_fetch(&looks_left, 1, __ATOMIC_RELAXED) < 0)
            return;
        std::erase_if(threads_, [](int thread) { return !settle(thread); });
        if (looks_left == 0)
            threads_.clear();
    }

  private:
    static constexpr int looks = 4;
    std::vector<int> threads_;
};
Young &young_threads() {
    static auto *const all = new Young;
    return *all;
}

struct AtEnd {
    ~AtEnd() {
        end_as_reader();
        end_as_lookout();
    }
};

template <class Run, class Result> struct Start {
    Run run;
    void *argument;
    Name name;
    std::shared_ptr<std::atomic<int>> number; ///< of the system

    static Result call(void *start) {
        const std::unique_ptr<Start> mine(static_cast<Start *>(start));
        here = mine->name;
        *mine->number = static_cast<int>(clock::real_syscall(SYS_gettid));
        const AtEnd end; // also of pthread_exit and pthread_cancel, which unwind
        return mine->run(mine->argument);
    }
};

/// The program's threads count, and those of toolkits; not those of drivers and of this library.
std::uint32_t name_for_new(const void *caller) {
    if (Ours::here() || here.number == unnamed_thread ||
        clock::origin_behind_cpp_library(caller) != clock::Origin::program)
        return unnamed_thread;
    if (locks::ordered && !here.keeps_order && here.number == 0 && at_work()) {
        begin_wall();
        keep_order();
    }
    const std::uint32_t child = ++here.children, number = number_of_child(here.number, child);
    paths().add(number, here.number, child);
    return number;
}

/// `create(function, argument)`.
template <class Run, class Result, class Create>
int create_thread(const void *caller, Run run, void *argument, Create create) {
    using This = Start<Run, Result>;
    const auto number = std::make_shared<std::atomic<int>>(0);
    const std::uint32_t name = name_for_new(caller);
    auto *const start = new This{run, argument, {name, 0, here.keeps_order && name != unnamed_thread}, number};
    const int result = create(&This::call, start);
    if (result != 0)
        delete start;
    else if (name != unnamed_thread && main_has_threads() && main_has_connected() && at_work() && !is_over())
        young_threads().add(*number, name);
    return result;
}

} // namespace

constinit int looks_left = 0;

std::uint32_t thread_name() { return here.number; }

bool is_main_thread() { return here.number == 0 && clock::real_syscall(SYS_gettid) == clock::first_pid(); }

void keep_order() { here.keeps_order = locks::ordered; }

bool keeps_order() { return here.keeps_order; }

bool has_company() { return here.keeps_order && (here.number != 0 || here.children > 0); }

bool main_has_threads() { return !locks::ordered && here.children > 0 && is_main_thread(); }

void look_at_new_threads(const void *caller) {
    if (main_has_threads() && in_libxcb(caller))
        young_threads().look();
}

std::string describe_thread(std::uint32_t name) {
    if (name == 0)
        return "main()'s thread";
    if (name == unnamed_thread)
        return "a thread of a driver";
    const std::string path = paths().find(name);
    return path.empty() ? "a thread that this rank has not started" : "thread " + path;
}

} // namespace mpiglut::x11

namespace x11 = mpiglut::x11;

MPIGLUT_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                                  void *argument) noexcept {
    if (!x11::active())
        return REAL(pthread_create)(thread, attributes, run, argument);
    return x11::create_thread<void *(*)(void *), void *>(
        __builtin_return_address(0), run, argument,
        [&](auto start, void *with) { return REAL(pthread_create)(thread, attributes, start, with); });
}

MPIGLUT_EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument) {
    if (!x11::active())
        return REAL(thrd_create)(thread, run, argument);
    return x11::create_thread<thrd_start_t, int>(
        __builtin_return_address(0), run, argument,
        [&](auto start, void *with) { return REAL(thrd_create)(thread, start, with); });
}
