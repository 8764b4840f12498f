#include "model/frame/sharing.h"

#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "gl/context/context.h"
#include "gl/draw/gpu_time.h"
#include "gl/draw/habits.h"
#include "gl/present/present.h"
#include "model/frame/late.h"
#include "model/window/behind.h"
#include "model/window/window_system.h"
#include "run/report.h"
#include "sync/comm.h"
#include "sync/ship.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <string_view>
#include <utility>

namespace mpiglut {
namespace {

using pixmpi::Rect;

/// For tests: MPIGLUT_BALANCE=force moves all cuts in each tick, anywhere; `sweep` moves them by one row or column.
enum class Forced { no, anywhere, sweep };

Forced forced() {
    static const Forced mode = [] {
        const char *text = std::getenv("MPIGLUT_BALANCE");
        const std::string_view word = text ? text : "";
        return word == "force" ? Forced::anywhere : word == "sweep" ? Forced::sweep : Forced::no;
    }();
    return mode;
}

/// Of the frame at work.
struct Timing {
    std::int64_t began = 0, drawn = 0; ///< on the clock of work
    std::int64_t rendered = 0;         ///< how long it took who renders
    std::int64_t waited_before = 0;    ///< for strips, in all frames until this one was drawn
    gl::Kept kept = gl::Kept::nothing; ///< in this rank's part
};
Timing timing;

/// What travels to rank 0.
struct Times {
    std::int64_t render_ns = 0, busy_ns = 0, broken = 0, kept = 0;
};

void tell(const std::string &text) {
    if (comm::rank() == 0)
        report_once(Report::note, "--balance: " + text);
}

/// From now on the cuts stay where the tiles' borders are.
void freeze(const std::string &why) {
    if (std::exchange(state().sharing.frozen, true))
        return;
    tell("each tile renders what it shows, because " + why);
}

/// The driver computes with the processor. For tests, MPIGLUT_GPU_TIME=yes denies that.
bool in_software() {
    static const bool software = [] {
        if (const char *denied = std::getenv("MPIGLUT_GPU_TIME"); denied && std::string_view(denied) == "yes")
            return false;
        const auto *renderer = reinterpret_cast<const char *>(glGetString(GL_RENDERER));
        const std::string_view name = renderer ? renderer : "";
        return name.find("llvmpipe") != name.npos || name.find("softpipe") != name.npos ||
               name.find("Software") != name.npos;
    }();
    return software;
}

std::int64_t processor_time_ns() {
    timespec time{};
    REAL(clock_gettime)(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000ll + time.tv_nsec;
}

/// A clock of this rank's work: real time, or the processor's where that does the GPU's work and also other work.
std::int64_t work_ns() { return in_software() ? processor_time_ns() : clock::real_monotonic_ns(); }

/// The one window that can be shared out, or null.
Window *shareable() {
    State &s = state();
    if (s.windows.size() != 1 || s.drawn_beside || gl::is_handed_over())
        return nullptr;
    Window &window = *s.windows.begin()->second;
    return window.double_buffered && window.visible ? &window : nullptr;
}

const pixmpi::Partition *partition() {
    State &s = state();
    if (!s.sharing.partition)
        s.sharing.partition = pixmpi::Partition::of(s.wall, s.dead);
    return s.sharing.partition ? &*s.sharing.partition : nullptr;
}

/// Numbers that look random, the same in every run.
std::uint32_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
    return static_cast<std::uint32_t>(value >> 32);
}

std::vector<int> forced_cuts(const pixmpi::Partition &partition) {
    const State &s = state();
    const int side = std::max({s.wall.width, s.wall.height, 1});
    std::vector<int> cuts;
    for (std::size_t i = 0; i < partition.cuts(); ++i)
        cuts.push_back(static_cast<int>(forced() == Forced::sweep ? s.tick % side : mixed(s.tick * 64 + i + 1) % side));
    return cuts;
}

void unshare(Window &window) {
    window.shared = false;
    if (window.behind || window.even || tile_of(window).rotation != 0)
        return place(window);
    gl::remove_presenter(window);
    place(window);
}

} // namespace

void prepare_sharing() {
    State &s = state();
    if (!s.options.balance || comm::size() == 1)
        return;
    std::string error;
    s.sharing.wanted = ship::start(s.options.ship, error);
    if (s.sharing.wanted) {
        gl::watch_habits();
        gl::on_hand_over([] {
            stop_sharing();
            freeze("the program draws in another thread, or is about to");
        });
    } else {
        tell("each tile renders what it shows, because a rank cannot load libglmpi" +
             (error.empty() ? std::string() : ": " + error));
    }
}

std::vector<std::int32_t> next_cuts() {
    State &s = state();
    Sharing &sharing = s.sharing;
    if (!sharing.wanted || sharing.frozen || !shareable() || !partition())
        return {};
    if (forced() != Forced::no)
        return forced_cuts(*partition());
    return sharing.policy ? sharing.policy->cuts() : std::vector<std::int32_t>{};
}

void share_out(const std::vector<std::int32_t> &cuts) {
    State &s = state();
    Window *window = shareable();
    if (cuts.empty() || s.sharing.frozen || !window || !partition() || partition()->cuts() != cuts.size())
        return stop_sharing();
    std::vector<Rect> rects = partition()->rects(cuts, balance::least_pixels);
    if (rects == s.sharing.rects)
        return;
    with_current(*window, [&s, &rects, &shared = *window] {
        if (s.sharing.rects.empty() && !all_can_present())
            return freeze("the window's pixel format cannot be drawn off screen");
        s.sharing.rects = std::move(rects);
        if (shared.shared)
            return place(shared);
        if (all_go_off_screen(shared, &Window::shared))
            return;
        s.sharing.rects.clear();
        freeze("the window cannot be drawn off screen in its size");
    });
}

void stop_sharing() {
    State &s = state();
    if (s.sharing.rects.empty())
        return;
    show_late_frame();
    for (auto &[id, window] : s.windows)
        if (window->shared)
            with_current(*window, [&] { unshare(*window); });
    s.sharing.rects.clear();
    s.sharing.partition.reset(); // the wall may be about to change
    if (s.sharing.policy)
        s.sharing.policy->sent_home();
}

void share_among_the_living() {
    stop_sharing();
    Sharing &sharing = state().sharing;
    sharing.partition.reset();
    sharing.policy.reset();
}

void has_accumulation_buffer() {
    if (state().sharing.wanted)
        freeze("the program's window has an accumulation buffer");
}

void begin_rendering() {
    if (!state().sharing.wanted)
        return;
    if (!in_software())
        gl::begin_gpu_time();
    timing.began = work_ns();
}

void end_rendering() {
    State &s = state();
    if (!s.sharing.wanted)
        return;
    const std::optional<std::int64_t> on_gpu = gl::end_gpu_time();
    REAL(glFinish)();
    timing.drawn = work_ns();
    timing.rendered = on_gpu.value_or(timing.drawn - timing.began);
    timing.waited_before = s.times.ship_wait_ns;
    s.times.render_ns += timing.rendered;
    timing.kept = gl::kept_pixels();
    if (!partition() && s.dead.empty())
        tell("each tile renders what it shows, because no straight lines part the wall's tiles");
    else if (partition() && !shareable())
        tell(s.windows.size() > 1 ? "each tile renders what it shows while there are several windows"
                                  : "each tile renders what it shows of a window without a back buffer");
}

bool meet_with_times() {
    State &s = state();
    std::vector<comm::Bytes> all;
    const std::int64_t waited = in_software() ? 0 : s.times.ship_wait_ns - timing.waited_before;
    const Times mine{timing.rendered, std::max<std::int64_t>(work_ns() - timing.began - waited, 0), s.sharing.broken,
                     static_cast<std::int64_t>(timing.kept)};
    const bool together = comm::gather(comm::Collective::swap, std::as_bytes(std::span(&mine, 1)), all);
    if (comm::rank() != 0 || !together)
        return together;
    if (!s.sharing.rects.empty() && s.stats)
        s.stats->add_rects(s.wall, s.sharing.rects);
    if (s.sharing.frozen || !partition())
        return together;
    if (!s.sharing.policy)
        s.sharing.policy = std::make_unique<balance::Policy>(*partition(), s.wall);
    balance::Measured frame;
    for (const comm::Bytes &bytes : all) {
        Times theirs;
        if (bytes.size() == sizeof theirs)
            std::memcpy(&theirs, bytes.data(), sizeof theirs);
        if (theirs.broken)
            freeze("pixels of other ranks did not come");
        if (theirs.kept)
            freeze(std::string("the program goes on with pixels of an earlier frame: ") +
                   gl::text(static_cast<gl::Kept>(theirs.kept)));
        frame.render_ms.push_back(static_cast<double>(theirs.render_ns) / 1e6);
        frame.busy_ms.push_back(static_cast<double>(theirs.busy_ns) / 1e6);
    }
    frame.now_ms = static_cast<double>(clock::real_monotonic_ns()) / 1e6;
    s.sharing.policy->observe(frame);
    return together;
}

} // namespace mpiglut
