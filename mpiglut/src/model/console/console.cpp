#include "model/console/console.h"

#include "base/state.h"
#include "clock/clock.h"
#include "gl/present/correction.h"
#include "gl/present/over.h"
#include "model/console/adjust.h"
#include "run/dashboard.h"
#include "sync/comm.h"

#include <algorithm>
#include <cstdlib>

namespace mpiglut::console {
namespace {

void display_again() {
    for (auto &[id, window] : state().windows)
        window->redisplay = true;
}

} // namespace

void begin() {
    Dashboard *const mapped = map_dashboard(state().options.dashboard_fd);
    if (mapped)
        mapped->now(Activity::program, clock::real_monotonic_ns());
    set_dashboard(mapped);
    gl::set_correction(state().plan.tiles[comm::rank()].correction);
}

void write_times() {
    Dashboard *const b = dashboard();
    if (!b)
        return;
    const State &s = state();
    {
        const auto lock = lock_geometry();
        b->tell(s.times);
    }
    b->tick.store(static_cast<std::int64_t>(s.tick), std::memory_order_relaxed);
    b->frames.store(s.complete_frames(), std::memory_order_relaxed);
}

void write_swaps(std::span<const std::int64_t> times) {
    Dashboard *const b = dashboard();
    if (!b || times.empty())
        return;
    const auto [first, last] = std::minmax_element(times.begin(), times.end());
    const std::uint32_t at = b->skews.load(std::memory_order_relaxed);
    b->skew_us[at % most_skews].store(static_cast<float>(*last - *first) / 1000, std::memory_order_relaxed);
    b->skews.store(at + 1, std::memory_order_release);
    for (std::size_t rank = 0; rank < std::min(times.size(), most_lags); ++rank) {
        const float before = b->lag_us[rank].load(std::memory_order_relaxed);
        const float now = static_cast<float>(times[rank] - *first) / 1000;
        b->lag_us[rank].store(before + (now - before) / 16, std::memory_order_relaxed);
    }
}

void report_divergence() {
    if (Dashboard *const b = dashboard())
        b->divergences.fetch_add(1, std::memory_order_relaxed);
}

bool dispatch(const Event &event) {
    switch (event.kind) {
    case Event::Kind::show:
        gl::set_over(
            static_cast<gl::Over>(std::clamp(ShownOver::of(event).what, 0, static_cast<int>(gl::Over::count) - 1)));
        display_again();
        return true;
    case Event::Kind::still: {
        const auto [request, frame] = WantedStill::of(event);
        if (dashboard() && !comm::catching_up())
            want_still(request, frame);
        if (frame == 0)
            display_again();
        return true;
    }
    case Event::Kind::quit:
        std::exit(EXIT_SUCCESS);
    case Event::Kind::place:
        place_tile(MovedTile::of(event));
        return true;
    case Event::Kind::correct:
        correct_tile(CorrectedTile::of(event));
        return true;
    default:
        return is_of_operator(event.kind);
    }
}

} // namespace mpiglut::console
