#include "clock/clock.h"

#include "base/real.h"
#include "clock/callers.h"
#include "clock/virtual.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <pthread.h>
#include <unistd.h>

namespace mpiglut::clock {

namespace {

constexpr std::int64_t read_step_ns = 1000;
constexpr std::int64_t lead_ns = 1'000'000;         ///< how far a busy loop may run ahead of real time
constexpr std::uint64_t reads_between_looks = 256;  ///< at real time, that is; less than lead_ns apart
constexpr std::int64_t same_boot_ns = 600'000'000'000; ///< the launcher's clock is not further back than this

// The mode `step` promises the same run again, so it does not begin with today's date or a process number of today's.
constexpr Stamp step_start{946'684'800'000'000'000, 1'000'000'000'000}; // 2000-01-01 00:00 UTC, up for 1000 s
constexpr int step_pid = 1 << 22;                                       // no process has it: the kernel stops short

using Value = std::atomic<std::int64_t>;
constexpr auto relaxed = std::memory_order_relaxed;

/// Everything is constant-initialised: the C library reads the time before any constructor has run. Written by the
/// main thread alone, read by all.
struct State {
    std::atomic<bool> running{false};
    std::atomic<pthread_t> main_thread{};
    ClockMode mode = ClockMode::off;
    std::int64_t step = 0, start = 0;
    std::int64_t launcher_offset = 0; ///< from this host's CLOCK_MONOTONIC to the launcher's
    int pid = 0, real_pid = 0;

    Value monotonic{0}; ///< the stamp
    Value epoch{0};     ///< its realtime minus its monotonic time
    Value advanced{0};  ///< by reads and sleeps since the stamp
    Value floor{0};     ///< what this rank handed out in earlier ticks
    std::atomic<std::uint64_t> reads{0};
    Value shift{0};     ///< from real time here to virtual time, as of the stamp
    Value others{0};    ///< the latest time that a thread besides the main one has seen
    std::atomic<std::uint64_t> random_seed{0}, drawn{0}, drawn_by_others{0};
};
constinit State state;

std::int64_t real_ns(clockid_t id) {
    timespec time{};
    REAL(clock_gettime)(id, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

/// On the main thread: where reads and sleeps have brought the clock.
std::int64_t handed_out() {
    return std::max(add(state.monotonic.load(relaxed), state.advanced.load(relaxed)), state.floor.load(relaxed));
}

/// As the other threads see it.
std::int64_t flowing_ns() {
    const std::int64_t now = add(real_monotonic_ns(), state.shift.load(relaxed));
    std::int64_t latest = state.others.load(relaxed);
    while (now > latest && !state.others.compare_exchange_weak(latest, now, relaxed)) {
    }
    return std::max(now, latest);
}

/// A loop that does nothing but read the clock gets ahead of real time; here it waits for it.
void pace() {
    const std::int64_t ahead = handed_out() - add(real_monotonic_ns(), state.shift.load(relaxed));
    if (ahead <= lead_ns)
        return;
    const timespec time = to_timespec(ahead);
    REAL(nanosleep)(&time, nullptr);
}

std::uint64_t mix(std::uint64_t x) { // splitmix64
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

} // namespace

void begin(const RunOptions &options) {
    const bool steps = options.clock == ClockMode::step;
    const Stamp first = steps ? step_start : Stamp{options.start_realtime_ns, options.start_monotonic_ns};
    state.mode = options.clock;
    state.step = static_cast<std::int64_t>(1e9 / options.step_hz);
    state.start = first.monotonic_ns;
    state.pid = steps && options.pid ? step_pid : options.pid;
    state.real_pid = getpid();
    // When the launcher ran on another host its clock is carried on, from where this rank starts.
    const std::int64_t since = real_monotonic_ns() - options.start_monotonic_ns;
    state.launcher_offset = since >= 0 && since < same_boot_ns ? 0 : -since;
    state.floor = state.others = std::numeric_limits<std::int64_t>::min();
    state.random_seed = mix(mix(first.realtime_ns) ^ static_cast<std::uint64_t>(state.pid));
    state.drawn = state.drawn_by_others = 0;
    state.advanced = 0;
    set_stamp(first);
    state.floor = std::numeric_limits<std::int64_t>::min();
    state.running.store(options.clock != ClockMode::off, std::memory_order_release);
}

Stamp next_stamp() {
    const std::int64_t earliest = handed_out();
    const std::int64_t planned = state.mode == ClockMode::step
                                     ? add(state.monotonic.load(relaxed), state.step)
                                     : add(real_monotonic_ns(), state.launcher_offset);
    const std::int64_t next = std::max(planned, earliest);
    return {add(next, state.epoch.load(relaxed)), next};
}

void set_stamp(const Stamp &stamp) {
    // A rank that read the clock more often than rank 0 is ahead of the stamp. It stands still until the others have
    // caught up: going back would harm the program, going on would keep the ranks apart for ever.
    state.floor.store(handed_out(), relaxed);
    state.epoch.store(stamp.realtime_ns - stamp.monotonic_ns, relaxed);
    state.monotonic.store(stamp.monotonic_ns, relaxed);
    state.advanced.store(0, relaxed);
    state.reads.store(0, relaxed);
    state.shift.store(stamp.monotonic_ns - real_monotonic_ns(), relaxed);
    state.main_thread.store(pthread_self(), relaxed);
    refresh_origins();
}

void let_flow() { state.main_thread.store({}, relaxed); }

std::int64_t read_ns() {
    if (!on_main_thread())
        return flowing_ns();
    const std::uint64_t reads = state.reads.load(relaxed) + 1;
    state.reads.store(reads, relaxed);
    advance(read_step_ns);
    if (state.mode == ClockMode::wall && reads % reads_between_looks == 0)
        pace();
    return handed_out();
}

std::int64_t to_real(std::int64_t ns) { return add(ns, -state.shift.load(relaxed)); }
std::int64_t peek_ns() { return on_main_thread() ? handed_out() : flowing_ns(); }
std::int64_t epoch_ns() { return state.epoch.load(relaxed); }
std::int64_t start_ns() { return state.start; }
void advance(std::int64_t ns) {
    state.advanced.store(add(state.advanced.load(relaxed), std::max<std::int64_t>(ns, 0)), relaxed);
}
bool sleeps_really() { return state.mode == ClockMode::wall; }
bool on_main_thread() { return pthread_equal(pthread_self(), state.main_thread.load(relaxed)); }

bool serves(Caller caller) {
    return state.running.load(std::memory_order_acquire) && origin_of_call(caller) == Origin::program;
}

int virtual_pid() { return state.pid; }
int first_pid() { return state.real_pid; }

std::uint64_t next_random() {
    std::atomic<std::uint64_t> &drawn = on_main_thread() ? state.drawn : state.drawn_by_others;
    const std::uint64_t stream = &drawn == &state.drawn ? 0 : ~std::uint64_t{0};
    return mix(state.random_seed.load(relaxed) ^ mix(drawn.fetch_add(1, relaxed) ^ stream));
}

std::int64_t read_monotonic_ns() { return is_virtual() ? read_ns() : real_monotonic_ns(); }
Stamp stamp() {
    const std::int64_t monotonic = state.monotonic.load(relaxed);
    return {monotonic + state.epoch.load(relaxed), monotonic};
}
std::uint64_t reads() { return state.reads.load(relaxed); }
bool is_virtual() { return state.running.load(relaxed); }
std::int64_t real_monotonic_ns() { return real_ns(CLOCK_MONOTONIC); }
std::int64_t real_realtime_ns() { return real_ns(CLOCK_REALTIME); }

std::int64_t add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

std::int64_t to_ns(const timespec &time) {
    std::int64_t ns = 0;
    if (__builtin_mul_overflow(static_cast<std::int64_t>(time.tv_sec), std::int64_t{1'000'000'000}, &ns))
        ns = time.tv_sec < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
    return add(ns, time.tv_nsec);
}

timespec to_timespec(std::int64_t ns) {
    ns = std::max<std::int64_t>(ns, 0);
    return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

} // namespace mpiglut::clock
