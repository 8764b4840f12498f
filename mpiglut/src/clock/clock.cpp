#include "clock/clock.h"

#include "base/export.h"
#include "base/locks.h"
#include "base/real.h"
#include "clock/callers.h"
#include "clock/libraries.h"
#include "clock/role.h"
#include "clock/virtual.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mpiglut::clock {

namespace {

constexpr std::int64_t read_step_ns = 1000;
constexpr std::int64_t reads_to_grow = 32;   ///< the n-th reading since a stamp moves the clock by n / 32 us
constexpr std::int64_t reads_to_look = 4;    ///< mode `step`: after n readings of a tick n / 4 to a common stamp, or less
constexpr std::int64_t lead_ns = 1'000'000;  ///< how far a busy loop may run ahead of real time
constexpr std::int64_t apart_ns = 1'000'000; ///< real time from one common stamp to the next
constexpr std::int64_t most_of_a_tick = 8;   ///< readings before a tick's first common stamp: few cost nothing
constexpr std::int64_t reads_of_a_step = 16; ///< the same in the mode `step`
constexpr std::int64_t most_readings = 256;  ///< readings from one common stamp to the next
constexpr std::int64_t look_for_libraries_ns = 10'000'000; ///< not every tick: it takes a microsecond
constexpr std::int64_t same_boot_ns = 600'000'000'000; ///< the launcher's clock is not further back than this

// The mode `step` promises the same run again, so it does not begin with today's date or a process number of today's.
constexpr Stamp step_start{946'684'800'000'000'000, 1'000'000'000'000}; // 2000-01-01 00:00 UTC, up for 1000 s
constexpr int step_pid = 1 << 22;                                       // no process has it: the kernel stops short

using Value = std::atomic<std::int64_t>;
constexpr auto relaxed = std::memory_order_relaxed;

/// The clock of one thread, which alone writes it. The ticks' is read by the threads that have none.
struct Timeline {
    Value monotonic{0}; ///< the stamp
    Value epoch{0};     ///< its realtime minus its monotonic time
    Value advanced{0};  ///< by reads and sleeps since the stamp
    Value floor{0};     ///< what this rank handed out in earlier ticks
    std::atomic<std::uint64_t> reads{0};
    Value shift{0}; ///< from real time here to virtual time, as of the stamp
    std::atomic<std::uint64_t> drawn{0};

    // Nobody else reads these.
    std::int64_t since = 0;                   ///< readings since the last common stamp
    std::int64_t due = 0;                     ///< which of them brings the next one; 0: none
    std::int64_t owed = 0;                    ///< waited in vain here, unless rank 0 says otherwise
    std::int64_t stamped_at = 0, read_at = 0; ///< rank 0's real time of the last common stamp and reading
    std::int64_t steps_from = 0, steps = 0;   ///< mode `step`: so many whole steps since that time
    std::int64_t begun = 0, begun_at = 0;     ///< the tick's stamp, and the real time then
};

/// Everything is constant-initialised: the C library reads the time before any constructor has run.
struct WallClock {
    std::atomic<bool> running{false};
    std::atomic<pthread_t> main_thread{};
    ClockMode mode = ClockMode::off;
    double step = 0; ///< nanoseconds of a tick in the mode `step`
    std::int64_t patience_ns = 10'000'000'000; ///< mode `step`: how long a tick may read the clock for
    std::int64_t start = 0;
    std::int64_t launcher_offset = 0; ///< from this host's CLOCK_MONOTONIC to the launcher's
    int pid = 0, real_pid = 0;
    char host[256] = {};
    int processors = 0;
    std::int64_t looked_for_libraries = 0;

    Timeline ticks, drawing;
    Value others{0};      ///< the latest time that a thread without a timeline has seen
    Value handed_over{0}; ///< the ticks' time when the program last made or let go of a context
    std::atomic<std::uint64_t> random_seed{0}, drawn_by_others{0};

    Share share = nullptr; ///< null before the ranks can talk
    bool leads = false;
};
constinit WallClock wall_clock;

std::int64_t real_ns(clockid_t id) {
    timespec time{};
    REAL(clock_gettime)(id, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

/// This thread's; the ticks' for threads that have none.
Timeline &mine() { return role() == Role::drawing ? wall_clock.drawing : wall_clock.ticks; }

/// Where reads and sleeps have brought the clock.
std::int64_t handed_out(const Timeline &line) {
    return std::max(add(line.monotonic.load(relaxed), line.advanced.load(relaxed)), line.floor.load(relaxed));
}

/// As the threads see it that have no timeline.
std::int64_t flowing_ns() {
    const std::int64_t now = add(real_monotonic_ns(), wall_clock.ticks.shift.load(relaxed));
    std::int64_t latest = wall_clock.others.load(relaxed);
    while (now > latest && !wall_clock.others.compare_exchange_weak(latest, now, relaxed)) {
    }
    return std::max(now, latest);
}

std::int64_t after_steps(const Timeline &line, std::int64_t count) {
    return add(line.steps_from, std::llround(static_cast<double>(count) * wall_clock.step));
}

/// How many readings are `apart_ns` long, if they go on coming like the last ones.
std::int64_t readings_ahead(const Timeline &line, std::int64_t real_ns, std::int64_t most) {
    return std::clamp<std::int64_t>(line.since * apart_ns / std::max<std::int64_t>(real_ns, 1), 1, most);
}

Stamp stamp_at(const Timeline &line, std::int64_t monotonic_ns, std::int64_t readings) {
    return {add(monotonic_ns, line.epoch.load(relaxed)), monotonic_ns, readings};
}

/// Which reading of a tick brings its first common stamp, if the tick before says nothing about that.
std::int64_t first_due() { return wall_clock.mode == ClockMode::step ? reads_of_a_step : most_of_a_tick; }

std::int64_t real_now() { return add(real_monotonic_ns(), wall_clock.launcher_offset); }

/// A loop that does nothing but read the clock gets ahead of real time; here it waits for it.
void pace(const Timeline &line) {
    const std::int64_t ahead = handed_out(line) - add(real_monotonic_ns(), line.shift.load(relaxed));
    if (ahead <= lead_ns)
        return;
    const timespec time = to_timespec(ahead);
    REAL(nanosleep)(&time, nullptr);
}

void adopt(Timeline &line, const Stamp &stamp) {
    // A rank that read the clock more often than rank 0 is ahead of the stamp. It stands still until the others have
    // caught up: going back would harm the program, going on would keep the ranks apart forever.
    line.floor.store(handed_out(line), relaxed);
    line.epoch.store(stamp.realtime_ns - stamp.monotonic_ns, relaxed);
    line.monotonic.store(stamp.monotonic_ns, relaxed);
    line.advanced.store(0, relaxed);
    line.stamped_at = real_monotonic_ns();
    line.shift.store(stamp.monotonic_ns - line.stamped_at, relaxed);
    line.since = line.owed = 0;
    line.due = stamp.readings;
}

/// Mode `step`. A loop that measures how long it works, rather than how often it looks, would never end. After some
/// seconds it gets the real time that it took. Readings that bring a common stamp come at growing distances, or about a
/// millisecond apart, so they cost little.
Stamp stamp_of_look(const Timeline &line) {
    const std::int64_t spent = real_monotonic_ns() - line.begun_at;
    const std::int64_t now = spent > wall_clock.patience_ns ? add(line.begun, spent) : 0;
    const auto most = std::max<std::int64_t>(static_cast<std::int64_t>(line.reads.load(relaxed)) / reads_to_look, 1);
    return stamp_at(line, std::max(now, handed_out(line)),
                    readings_ahead(line, real_monotonic_ns() - line.stamped_at, most));
}

/// Rank 0, at a reading that brings a common stamp.
Stamp stamp_of_reading(const Timeline &line) {
    if (wall_clock.mode == ClockMode::step)
        return stamp_of_look(line);
    pace(line);
    const std::int64_t most = std::min(2 * line.since, most_readings); // a loop may become slower than it began
    return stamp_at(line, std::max(real_now(), handed_out(line)),
                    readings_ahead(line, real_monotonic_ns() - line.stamped_at, most));
}

void adopt_common_stamp(Timeline &line) {
    const int error = errno; // the program may not have looked at it yet
    Stamp stamp;
    if (wall_clock.leads)
        stamp = stamp_of_reading(line);
    const bool is_rank = real_syscall(SYS_getpid) == wall_clock.real_pid; // a child of the program is none
    if (is_rank && wall_clock.share(stamp)) {
        adopt(line, stamp);
    } else {
        advance(line.owed);
        line.owed = line.due = 0;
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
    wall_clock.mode = options.clock;
    count_toolkits_as_program(options.system == System::x11);
    wall_clock.step = 1e9 / options.step_hz;
    if (const char *seconds = std::getenv("MPIGLUT_STEP_PATIENCE"))
        wall_clock.patience_ns = std::llround(std::strtod(seconds, nullptr) * 1e9);
    wall_clock.start = first.monotonic_ns;
    wall_clock.pid = steps && options.pid ? step_pid : options.pid;
    wall_clock.real_pid = getpid();
    options.host.copy(wall_clock.host, sizeof wall_clock.host - 1);
    wall_clock.processors = options.processors;
    // When the launcher ran on another host its clock is carried on, from where this rank starts.
    const std::int64_t since = real_monotonic_ns() - options.start_monotonic_ns;
    wall_clock.launcher_offset = since >= 0 && since < same_boot_ns ? 0 : -since;
    Timeline &ticks = wall_clock.ticks;
    ticks.floor = wall_clock.others = std::numeric_limits<std::int64_t>::min();
    wall_clock.random_seed = mix(mix(first.realtime_ns) ^ static_cast<std::uint64_t>(wall_clock.pid));
    ticks.drawn = wall_clock.drawn_by_others = 0;
    ticks.advanced = 0;
    set_stamp(first);
    wall_clock.handed_over = first.monotonic_ns;
    ticks.floor = std::numeric_limits<std::int64_t>::min();
    wall_clock.running.store(options.clock != ClockMode::off, std::memory_order_release);
}

void connect(bool leads, Share share) {
    wall_clock.leads = leads;
    wall_clock.share = share;
    wall_clock.ticks.since = 0;
    wall_clock.ticks.due = first_due();
}

Stamp next_stamp() {
    const Timeline &line = mine();
    if (wall_clock.mode == ClockMode::step)
        return stamp_at(line, std::max(after_steps(line, line.steps + 1), handed_out(line)),
                        wall_clock.share ? first_due() : 0);
    std::int64_t readings = 0;
    if (wall_clock.share)
        readings = line.since ? readings_ahead(line, line.read_at - line.stamped_at, most_of_a_tick)
                              : std::min(line.due, most_of_a_tick);
    return stamp_at(line, std::max(real_now(), handed_out(line)), readings);
}

void set_stamp(const Stamp &stamp) {
    Timeline &line = mine();
    // Counted in whole steps, or what is lost by rounding would add up.
    if (stamp.monotonic_ns == after_steps(line, line.steps + 1)) {
        ++line.steps;
    } else {
        line.steps_from = stamp.monotonic_ns;
        line.steps = 0;
    }
    adopt(line, stamp);
    line.reads.store(0, relaxed);
    line.begun = stamp.monotonic_ns;
    line.begun_at = line.stamped_at;
    if (&line != &wall_clock.ticks)
        return;
    const std::int64_t now = real_monotonic_ns();
    run_ticks_here();
    if (now - wall_clock.looked_for_libraries < look_for_libraries_ns)
        return;
    wall_clock.looked_for_libraries = now;
    refresh_origins();
}

void hand_over() {
    if (on_main_thread())
        wall_clock.handed_over.store(handed_out(wall_clock.ticks), relaxed);
}

Stamp first_stamp_of_drawing() {
    const std::int64_t from = std::max(wall_clock.handed_over.load(relaxed), handed_out(wall_clock.drawing));
    const std::int64_t epoch = wall_clock.ticks.epoch.load(relaxed);
    const std::int64_t now =
        wall_clock.mode == ClockMode::step ? add(from, std::llround(wall_clock.step)) : std::max(real_now(), from);
    return {add(now, epoch), now, first_due()};
}

void run_ticks_here() { run_ticks_in(pthread_self()); }
void run_ticks_in(pthread_t thread) { wall_clock.main_thread.store(thread, relaxed); }
pthread_t thread_of_ticks() { return wall_clock.main_thread.load(relaxed); }

void let_flow() { wall_clock.main_thread.store({}, relaxed); }

std::int64_t read_ns() {
    const bool shared = locks::shares_all();
    if (shared && wall_clock.mode == ClockMode::step)
        return locks::share(handed_out(wall_clock.ticks)); // frames move it
    if (shared || !is_in_step())
        return locks::share(flowing_ns());
    Timeline &line = mine();
    line.reads.store(line.reads.load(relaxed) + 1, relaxed);
    if (++line.since == line.due)
        adopt_common_stamp(line); // from there the next reading is the first
    const bool steps = wall_clock.mode == ClockMode::step; // where looks change nothing, most of the time
    const std::int64_t reading = steps ? static_cast<std::int64_t>(line.reads.load(relaxed)) : line.since;
    advance(std::max(read_step_ns, reading * read_step_ns / reads_to_grow));
    if (wall_clock.mode == ClockMode::wall && line.since >= most_readings)
        pace(line); // there are no common stamps
    if (wall_clock.leads)
        line.read_at = real_monotonic_ns();
    return handed_out(line);
}

std::int64_t to_real(std::int64_t ns) { return add(ns, -mine().shift.load(relaxed)); }
std::int64_t peek_ns() { return is_in_step() ? handed_out(mine()) : flowing_ns(); }
std::int64_t epoch_ns() { return mine().epoch.load(relaxed); }
std::int64_t start_ns() { return wall_clock.start; }
void advance(std::int64_t ns) {
    Value &advanced = mine().advanced;
    advanced.store(add(advanced.load(relaxed), std::max<std::int64_t>(ns, 0)), relaxed);
}

void waited(std::int64_t in_vain_ns) {
    if (!wall_clock.share)
        return advance(in_vain_ns);
    Timeline &line = mine();
    if (wall_clock.leads)
        advance(in_vain_ns);
    else
        line.owed = add(line.owed, in_vain_ns);
    line.due = line.since + 1;
}

bool sleeps_really() { return wall_clock.mode == ClockMode::wall; }
bool on_main_thread() { return pthread_equal(pthread_self(), wall_clock.main_thread.load(relaxed)); }

bool serves(Caller caller) {
    return wall_clock.running.load(std::memory_order_acquire) && origin_of_call(caller) == Origin::program;
}

bool serves_behind_cpp_library(Caller caller) {
    return wall_clock.running.load(std::memory_order_acquire) && origin_behind_cpp_library(caller) == Origin::program;
}

bool shares_random(Caller caller) {
    return wall_clock.running.load(std::memory_order_acquire) && may_share_random(caller);
}

int virtual_pid() { return wall_clock.pid; }
MPIGLUT_UNCHECKED const char *virtual_host() {
    return *wall_clock.host && is_virtual() ? wall_clock.host : ""; // before begin() nothing is asked
}
MPIGLUT_UNCHECKED int virtual_processors() { return is_virtual() ? wall_clock.processors : 0; }
int first_pid() { return wall_clock.real_pid; }

std::uint64_t next_random() {
    const Role whose = locks::shares_all() ? Role::other : role();
    std::atomic<std::uint64_t> &drawn = whose == Role::other ? wall_clock.drawn_by_others : mine().drawn;
    const std::uint64_t stream = whose == Role::ticks     ? 0
                                 : whose == Role::drawing ? std::uint64_t{1} << 32
                                                          : ~std::uint64_t{0};
    const std::uint64_t number = mix(wall_clock.random_seed.load(relaxed) ^ mix(drawn.fetch_add(1, relaxed) ^ stream));
    return whose == Role::other ? static_cast<std::uint64_t>(locks::share(static_cast<std::int64_t>(number))) : number;
}

RandomOfOthers::RandomOfOthers() : drawn_(wall_clock.ticks.drawn.load(relaxed)) {}
RandomOfOthers::~RandomOfOthers() { wall_clock.ticks.drawn.store(drawn_, relaxed); }

std::uint64_t constant_random(unsigned which) {
    return mix(wall_clock.random_seed.load(relaxed) + mix(std::uint64_t{which} << 48));
}

std::int64_t read_monotonic_ns() { return is_virtual() ? read_ns() : real_monotonic_ns(); }
Stamp stamp() {
    const std::int64_t monotonic = mine().monotonic.load(relaxed);
    return {monotonic + mine().epoch.load(relaxed), monotonic};
}
std::uint64_t reads() { return wall_clock.ticks.reads.load(relaxed); }
bool is_virtual() { return wall_clock.running.load(relaxed); }
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
