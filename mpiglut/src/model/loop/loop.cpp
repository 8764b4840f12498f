#include "model/loop/loop.h"

#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "clock/virtual.h"
#include "files/standard_input.h"
#include "gl/context/context.h"
#include "model/console/console.h"
#include "model/console/operator_menu.h"
#include "model/console/recording.h"
#include "model/frame/drawing.h"
#include "model/frame/frame.h"
#include "model/frame/late.h"
#include "model/frame/returning.h"
#include "model/frame/sharing.h"
#include "model/loop/dispatch.h"
#include "model/loop/end.h"
#include "model/window/behind.h"
#include "model/window/window_system.h"
#include "model/window/windows.h"
#include "run/dashboard.h"
#include "run/report.h"
#include "sync/comm.h"
#include "sync/content.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <poll.h>

namespace mpiglut {
namespace {

// The longest sleep. So a tick or a remote event is late by little; a shorter one would cost processor
// time on an idle wall.
constexpr std::int64_t longest_sleep_us = 2000;

bool timer_due(std::int64_t now_ns) {
    State &s = state();
    return !s.timers.empty() && s.timers.front().due_ms <= s.elapsed_ms(now_ns);
}

// What makes the next tick due, apart from input.
bool work_pending(bool with_idle) {
    State &s = state();
    if ((with_idle && s.idle) || windows_pending() || s.crossings.waiting())
        return true;
    if (s.timers.empty())
        return false;
    // A stepped clock moves by ticks alone, so a timer that lies ahead needs them.
    return s.options.clock == ClockMode::step || timer_due(program_clock_now());
}

std::int64_t microseconds_to_timer() {
    State &s = state();
    if (s.timers.empty())
        return longest_sleep_us;
    const std::int64_t due_ns = s.init_ns + s.timers.front().due_ms * 1'000'000;
    const std::int64_t left = (due_ns - program_clock_now()) / 1000;
    return std::clamp<std::int64_t>(left, 0, longest_sleep_us);
}

// A replay stands for all devices, and for the window system if it says anything of that.
bool replayed(Event::Kind kind) {
    const State &s = state();
    if (is_of_operator(kind) || is_of_program(kind))
        return false;
    const bool of_window_system = kind == Event::Kind::visibility || kind == Event::Kind::damage;
    return s.replayer && (!of_window_system || s.replayer->has(Event::Kind::visibility));
}

// Rank 0: input of all ranks, in the order of its arrival.
void collect_input(std::vector<Event> &input) {
    State &s = state();
    const auto collect = [&](const Event &event) {
        if (replayed(event.kind))
            return;
        if (event.kind == Event::Kind::quit && window_system().ask_to_close())
            return;
        if (event.kind == Event::Kind::redisplay)
            return s.posts.add(event, clock::real_monotonic_ns());
        if (event.kind == Event::Kind::menu_status && event.rank < comm::size())
            operator_menu::note_tile(event);
        s.crossings.handle(event, input);
    };
    std::for_each(s.outbox.begin(), s.outbox.end(), collect);
    s.outbox.clear();
    int from = 0;
    for (comm::Bytes bytes; comm::next_input(from, bytes);)
        if (auto events = unpack_events(bytes))
            std::for_each(events->begin(), events->end(), collect);
    std::vector<Event> from_operator;
    console::receive_input(from_operator);
    std::for_each(from_operator.begin(), from_operator.end(), collect);
    s.crossings.release(input);
    s.posts.release(comm::size(), comm::lives, clock::real_monotonic_ns(), input);
}

// Rank 0: what came while the program waited in its own main loop. It is the next tick's.
std::vector<Event> came_early;

// Rank 0: recorded from the first tick, when the wall has its size.
void open_recorder() {
    State &s = state();
    std::string error;
    if (!s.options.record.empty() && !s.recorder &&
        !(s.recorder = Recorder::open(s.options.record, s.wall.width, s.wall.height, error)))
        fail("--record: " + error);
}

Tick next_tick_as_leader(bool wait, bool with_idle) {
    State &s = state();
    Tick tick;
    tick.number = s.tick + 1;
    const std::int64_t ticks_since_frame = static_cast<std::int64_t>(s.tick) - s.frames.tick;
    // One tick may be on its way while the others still work on the one before.
    comm::wait_until([&] { return comm::all_done(s.tick > 0 ? s.tick - 1 : 0); });
    comm::wait_for_returning(s.tick);
    open_recorder();
    tick.events.swap(came_early);
    for (;;) {
        pump_window_system();
        comm::pump();
        comm::readmit(s.tick);
        collect_input(tick.events);
        tick.input = standard_input::arrived();
        const bool work = work_pending(with_idle) || tick.input != standard_input::released();
        if (s.replayer)
            for (const Event &event :
                 s.replayer->due(s.complete_frames(), ticks_since_frame, wait && !work && s.timers.empty()))
                tick.events.push_back(event);
        recording::finish_replay();
        tick.interrupted = interrupted();
        tick.drawn_beside = drawn_beside();
        const bool idles = wait && !work && tick.events.empty() && !tick.interrupted;
        tick.shows_late = idles && s.sharing.late;
        if (!idles || tick.shows_late)
            break;
        const std::int64_t before = clock::real_monotonic_ns();
        comm::all_done(s.tick); // differences are told even if no further tick comes
        comm::idle([] { return false; }, window_system().descriptor(), microseconds_to_timer());
        s.times.idle_ns += clock::real_monotonic_ns() - before;
    }
    tick.dead = comm::dead();
    if (tick.dead == s.dead)
        tick.cuts = next_cuts();
    tick.stamp = clock::next_stamp();
    if (comm::size() > 1)
        comm::send_tick(tick.number, pack(tick));
    if (s.recorder)
        for (const Event &event : tick.events)
            if (!is_of_program(event.kind))
                s.recorder->write({s.complete_frames(), ticks_since_frame, event});
    recording::tell(tick.events, s.complete_frames(), ticks_since_frame);
    return tick;
}

Tick next_tick_as_follower() {
    State &s = state();
    comm::Bytes bytes;
    for (;;) {
        pump_window_system();
        appear_if_caught_up();
        if (!s.outbox.empty()) {
            comm::send_input(pack(s.outbox));
            s.outbox.clear();
        }
        bool arrived = comm::next_tick(bytes);
        if (!arrived) {
            const std::int64_t before = clock::real_monotonic_ns();
            comm::idle([&] { return arrived = arrived || comm::next_tick(bytes); }, window_system().descriptor(),
                       longest_sleep_us);
            s.times.idle_ns += clock::real_monotonic_ns() - before;
        }
        if (!arrived)
            continue;
        appear_if_caught_up(); // the news may have come with the tick
        std::optional<Tick> tick = unpack_tick(bytes);
        if (!tick)
            fail("rank 0 sent a tick that cannot be read; do all ranks run the same version of mpiglut?");
        return *tick;
    }
}

// Those that were there when the tick began: one that is set from now on waits for the next, even without a delay.
void run_timers(const Tick &tick) {
    State &s = state();
    const std::int64_t now_ms = s.elapsed_ms(tick.stamp.monotonic_ns);
    for (;;) {
        const auto next = std::find_if(s.timers.begin(), s.timers.end(), [&](const Timer &timer) {
            return timer.due_ms <= now_ms && timer.tick < tick.number;
        });
        if (next == s.timers.end())
            return;
        const Timer timer = std::move(*next);
        s.timers.erase(next); // before its turn: there the program may change the list, or turn the main loop itself
        note(Did::timers, timer.due_ms, timer.value);
        timer.call();
    }
}

void go_on_without(const std::vector<std::int32_t> &dead) {
    State &s = state();
    s.dead = dead;
    s.crossings.forget(dead);
    share_among_the_living();
}

// The program has no part in it.
void show_late_in_own_tick() {
    show_late_frame();
    ++state().frames.tick; // recordings count the ticks since a frame, and a replay may have none of these
}

void execute(const Tick &tick, bool with_idle) {
    State &s = state();
    const std::int64_t frames_before = s.frames.complete;
    s.tick = tick.number;
    s.digest = {};
    s.in_tick = true;
    comm::begin_tick(tick.number);
    if (tick.shows_late)
        return show_late_in_own_tick();
    clock::set_stamp(tick.stamp);
    standard_input::release(tick.input);
    s.drawn_beside = tick.drawn_beside;
    if (tick.interrupted)
        std::exit(EXIT_FAILURE);
    if (tick.dead != s.dead)
        go_on_without(tick.dead);
    share_out(tick.cuts);
    dispatch(tick.events);
    run_timers(tick);
    process_windows();
    destroy_marked_windows();
    s.frames.open = false;
    finish_frames();
    draw_behind_if_asked();
    draw_evenly_if_needed();
    gl::return_loan();
    if (with_idle && s.idle && !s.leave && !s.windows.empty()) {
        note(Did::callbacks, 0x1d1e);
        const Callback<> idle = s.idle;
        idle();
    }
    if (s.frames.complete == frames_before)
        show_late_frame();
}

void end_tick() {
    State &s = state();
    note(Did::clock, clock::reads());
    content::finish_tick(s.tick, s.digest);
    s.in_tick = false;
    comm::send_done(s.tick, s.frames.complete, s.digest, s.frames.swap_times);
    s.frames.swap_times.clear();
    console::write_times();
}

enum class Verdict : std::uint8_t { wait_on, come, others_ready, too_late };

/// Rank 0, in a main loop of the program: does it find something on its connection to the X server? Then it calls
/// glutMainLoopEvent, and what has come to other tiles counts as well.
bool something_has_come() {
    const State &s = state();
    pollfd connection{window_system().descriptor(), POLLIN, 0};
    const bool here = REAL(poll)(&connection, 1, 0) > 0;
    pump_window_system();
    comm::pump();
    collect_input(came_early);
    return here || !came_early.empty() || windows_pending() || s.crossings.waiting() || s.replayer || interrupted();
}

void pass_input_on() {
    State &s = state();
    pump_window_system();
    if (!s.outbox.empty())
        comm::send_input(pack(s.outbox));
    s.outbox.clear();
}

/// Short waits of all ranks; after each, rank 0 decides for all.
bool wait_together(std::int64_t ns, const std::function<bool()> &others_ready) {
    constexpr std::int64_t longest_us = 4000;
    const std::int64_t begin = clock::real_monotonic_ns();
    for (;;) {
        Verdict verdict = Verdict::wait_on;
        const std::int64_t gone = clock::real_monotonic_ns() - begin;
        if (comm::rank() != 0)
            pass_input_on();
        else if (something_has_come())
            verdict = Verdict::come;
        else if (others_ready())
            verdict = Verdict::others_ready;
        else if (ns >= 0 && gone >= ns)
            verdict = Verdict::too_late;
        if (comm::size() > 1 && !comm::broadcast_value(comm::Collective::agree, verdict))
            return true; // rank 0 has gone another way: the program may, too
        if (verdict != Verdict::wait_on)
            return verdict == Verdict::come;
        const std::int64_t left_us = ns < 0 ? longest_us : (ns - gone) / 1000 + 1;
        comm::idle([] { return false; }, window_system().descriptor(),
                   std::clamp<std::int64_t>(left_us, 1, longest_us));
    }
}

} // namespace

void pass_input(Replayed which, std::int64_t after, const std::function<bool(const Event &)> &handle) {
    const State &s = state();
    if (comm::rank() != 0)
        return pass_input_on();
    pump_window_system();
    if (!s.plan.from_window) // such a wall has a size, also before the program has a window
        open_recorder();
    collect_input(came_early);
    if (s.replayer && which != Replayed::none)
        for (const Event &event : s.replayer->due(s.complete_frames(), after, which == Replayed::next))
            came_early.push_back(event);
    std::erase_if(came_early, [&](const Event &event) {
        const bool done = handle(event);
        if (done && s.recorder)
            s.recorder->write({s.complete_frames(), std::max<std::int64_t>(after, 0), event});
        return done;
    });
}

void share_waits() {
    static constexpr clock::Connection own{
        [] { return state().running && role() == Role::ticks ? window_system().descriptor() : -1; }, wait_together};
    clock::connect_waits(&own);
}

namespace {

std::atomic<int> turns{0}; ///< of the main loop, one within the other

struct Turn {
    Turn() { ++turns; }
    ~Turn() { --turns; }
};

} // namespace

std::int64_t program_clock_now() {
    const bool by_ticks = clock::is_virtual() && state().options.clock == ClockMode::step;
    return (by_ticks ? clock::stamp() : clock::next_stamp()).monotonic_ns;
}

bool may_turn(const char *call) {
    if (role() == Role::other && turns == 0)
        clock::run_ticks_here();
    glut_active(call);
    return role() == Role::ticks;
}

void run_tick(bool wait, bool with_idle) {
    State &s = state();
    const Turn turn;
    // From within a callback: the tick that called it ends here, and the rest of the callback is part of the new one.
    const bool within_callback = s.in_tick;
    if (within_callback)
        end_tick();
    standard_input::pause();
    gl::return_loan();
    const std::int64_t before = clock::real_monotonic_ns(), idle_before = s.times.idle_ns;
    const Tick tick = [&] {
        const Doing doing(Activity::between, clock::real_monotonic_ns);
        return comm::rank() == 0 ? next_tick_as_leader(wait, with_idle) : next_tick_as_follower();
    }();
    s.times.tick_ns += clock::real_monotonic_ns() - before - (s.times.idle_ns - idle_before);
    ++s.times.ticks;
    execute(tick, with_idle);
    if (!within_callback)
        end_tick();
}

void run_main_loop() {
    State &s = state();
    const Turn turn;
    s.leave = false;
    while (!s.leave && !s.windows.empty())
        run_tick(true, true);
}

} // namespace mpiglut
