#include "clock/clock.h"

#include "base/real.h"
#include "clock/callers.h"
#include "clock/virtual.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <limits>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mpiglut::clock {

namespace {

constexpr std::int64_t read_step_ns = 1000;
constexpr std::int64_t reads_to_grow = 32;   ///< the n-th reading since a stamp moves the clock by n / 32 us
constexpr std::int64_t lead_ns = 1'000'000;  ///< how far a busy loop may run ahead of real time
constexpr std::int64_t apart_ns = 1'000'000; ///< real time from one common stamp to the next
constexpr std::int64_t most_of_a_tick = 8;   ///< readings before a tick's first common stamp: few cost nothing
constexpr std::int64_t most_readings = 256;  ///< readings from one common stamp to the next
constexpr std::int64_t look_for_libraries_ns = 10'000'000; ///< not every tick: it takes a microsecond
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
    double step = 0; ///< nanoseconds of a tick in the mode `step`
    std::int64_t start = 0;
    std::int64_t launcher_offset = 0; ///< from this host's CLOCK_MONOTONIC to the launcher's
    int pid = 0, real_pid = 0;
    std::int64_t looked_for_libraries = 0;

    Value monotonic{0}; ///< the stamp
    Value epoch{0};     ///< its realtime minus its monotonic time
    Value advanced{0};  ///< by reads and sleeps since the stamp
    Value floor{0};     ///< what this rank handed out in earlier ticks
    std::atomic<std::uint64_t> reads{0};
    Value shift{0};     ///< from real time here to virtual time, as of the stamp
    Value others{0};    ///< the latest time that a thread besides the main one has seen
    std::atomic<std::uint64_t> random_seed{0}, drawn{0}, drawn_by_others{0};

    // The main thread's alone.
    Share share = nullptr; ///< null before the ranks can talk
    bool leads = false;
    std::int64_t since = 0;                   ///< readings since the last common stamp
    std::int64_t due = 0;                     ///< which of them brings the next one; 0: none
    std::int64_t owed = 0;                    ///< waited in vain here, unless rank 0 says otherwise
    std::int64_t stamped_at = 0, read_at = 0; ///< rank 0's real time of the last common stamp and reading
    std::int64_t steps_from = 0, steps = 0;   ///< mode `step`: so many whole steps since that time
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

std::int64_t after_steps(std::int64_t count) {
    return add(state.steps_from, std::llround(static_cast<double>(count) * state.step));
}

/// How many readings are `apart_ns` long, if they go on coming like the last ones.
std::int64_t readings_ahead(std::int64_t real_ns, std::int64_t most) {
    return std::clamp<std::int64_t>(state.since * apart_ns / std::max<std::int64_t>(real_ns, 1), 1, most);
}

Stamp stamp_at(std::int64_t monotonic_ns, std::int64_t readings) {
    return {add(monotonic_ns, state.epoch.load(relaxed)), monotonic_ns, readings};
}

std::int64_t real_now() { return add(real_monotonic_ns(), state.launcher_offset); }

/// A loop that does nothing but read the clock gets ahead of real time; here it waits for it.
void pace() {
    const std::int64_t ahead = handed_out() - add(real_monotonic_ns(), state.shift.load(relaxed));
    if (ahead <= lead_ns)
        return;
    const timespec time = to_timespec(ahead);
    REAL(nanosleep)(&time, nullptr);
}

void adopt(const Stamp &stamp) {
    // A rank that read the clock more often than rank 0 is ahead of the stamp. It stands still until the others have
    // caught up: going back would harm the program, going on would keep the ranks apart for ever.
    state.floor.store(handed_out(), relaxed);
    state.epoch.store(stamp.realtime_ns - stamp.monotonic_ns, relaxed);
    state.monotonic.store(stamp.monotonic_ns, relaxed);
    state.advanced.store(0, relaxed);
    state.stamped_at = real_monotonic_ns();
    state.shift.store(stamp.monotonic_ns - state.stamped_at, relaxed);
    state.since = state.owed = 0;
    state.due = stamp.readings;
}

/// Rank 0, at a reading that brings a common stamp.
Stamp stamp_of_reading() {
    if (state.mode == ClockMode::step)
        return stamp_at(handed_out(), 0);
    pace();
    const std::int64_t most = std::min(2 * state.since, most_readings); // a loop may become slower than it began
    return stamp_at(std::max(real_now(), handed_out()), readings_ahead(real_monotonic_ns() - state.stamped_at, most));
}

void take_common_stamp() {
    const int error = errno; // the program may not have looked at it yet
    Stamp stamp;
    if (state.leads)
        stamp = stamp_of_reading();
    const bool is_rank = real_syscall(SYS_getpid) == state.real_pid; // a child of the program is none
    if (is_rank && state.share(stamp)) {
        adopt(stamp);
    } else {
        advance(state.owed);
        state.owed = state.due = 0;
    }
    errno = error;
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
    state.step = 1e9 / options.step_hz;
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

void connect(bool leads, Share share) {
    state.leads = leads;
    state.share = share;
    state.since = 0;
    state.due = state.mode == ClockMode::wall ? most_of_a_tick : 0;
}

Stamp next_stamp() {
    if (state.mode == ClockMode::step)
        return stamp_at(std::max(after_steps(state.steps + 1), handed_out()), 0);
    std::int64_t readings = 0;
    if (state.share)
        readings = state.since ? readings_ahead(state.read_at - state.stamped_at, most_of_a_tick)
                               : std::min(state.due, most_of_a_tick);
    return stamp_at(std::max(real_now(), handed_out()), readings);
}

void set_stamp(const Stamp &stamp) {
    // Counted in whole steps, or what is lost by rounding would add up.
    if (stamp.monotonic_ns == after_steps(state.steps + 1)) {
        ++state.steps;
    } else {
        state.steps_from = stamp.monotonic_ns;
        state.steps = 0;
    }
    adopt(stamp);
    state.reads.store(0, relaxed);
    const std::int64_t now = real_monotonic_ns();
    state.main_thread.store(pthread_self(), relaxed);
    if (now - state.looked_for_libraries < look_for_libraries_ns)
        return;
    state.looked_for_libraries = now;
    refresh_origins();
}

void let_flow() { state.main_thread.store({}, relaxed); }

std::int64_t read_ns() {
    if (!on_main_thread())
        return flowing_ns();
    state.reads.store(state.reads.load(relaxed) + 1, relaxed);
    if (++state.since == state.due)
        take_common_stamp(); // from there the next reading is the first
    advance(std::max(read_step_ns, state.since * read_step_ns / reads_to_grow));
    if (state.mode == ClockMode::wall && state.since >= most_readings)
        pace(); // there are no common stamps
    if (state.leads)
        state.read_at = real_monotonic_ns();
    return handed_out();
}

std::int64_t to_real(std::int64_t ns) { return add(ns, -state.shift.load(relaxed)); }
std::int64_t peek_ns() { return on_main_thread() ? handed_out() : flowing_ns(); }
std::int64_t epoch_ns() { return state.epoch.load(relaxed); }
std::int64_t start_ns() { return state.start; }
void advance(std::int64_t ns) {
    state.advanced.store(add(state.advanced.load(relaxed), std::max<std::int64_t>(ns, 0)), relaxed);
}

void waited(std::int64_t in_vain_ns) {
    if (!state.share)
        return advance(in_vain_ns);
    if (state.leads)
        advance(in_vain_ns);
    else
        state.owed = add(state.owed, in_vain_ns);
    state.due = state.since + 1;
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
