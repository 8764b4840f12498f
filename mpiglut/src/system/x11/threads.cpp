#include "system/x11/threads.h"

#include "base/export.h"
#include "base/real.h"
#include "clock/callers.h"
#include "system/x11/x11.h"

#include <map>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <threads.h>

namespace mpiglut::x11 {
namespace {

struct Name {
    std::uint32_t number = 0;   ///< a hash of the path
    std::uint32_t children = 0; ///< threads that it has made
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

template <class Run, class Result> struct Start {
    Run run;
    void *argument;
    std::uint32_t name;

    static Result call(void *start) {
        const std::unique_ptr<Start> mine(static_cast<Start *>(start));
        const Start what = *mine;
        here = {what.name, 0};
        return what.run(what.argument);
    }
};

/// The program's threads count, and those of toolkits; not those of drivers and of this library.
std::uint32_t name_for_new(const void *caller) {
    if (Ours::here() || here.number == unnamed_thread ||
        clock::origin_behind_cpp_library(caller) != clock::Origin::program)
        return unnamed_thread;
    const std::uint32_t child = ++here.children, number = number_of_child(here.number, child);
    paths().add(number, here.number, child);
    return number;
}

/// `create(function, argument)`.
template <class Run, class Result, class Create>
int create_thread(const void *caller, Run run, void *argument, Create create) {
    using This = Start<Run, Result>;
    auto *const start = new This{run, argument, name_for_new(caller)};
    const int result = create(&This::call, start);
    if (result != 0)
        delete start;
    return result;
}

} // namespace

std::uint32_t thread_name() { return here.number; }

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
