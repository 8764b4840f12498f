// The dashboard: memory that a rank's program and its agent share while the wall has an operator. Neither ever waits
// for the other: the program writes what it does and what it shows, the agent reads that when it has time, and the
// other way round goes what the operator wants. A rank that hangs shows, because what it says stays the same.
#pragma once

#include "run/stats.h"
#include "sync/tick.h"

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace mpiglut {

enum class Activity : std::uint32_t {
    starting, ///< before glutInit
    between,  ///< waits for a tick: there is nothing to do
    program,  ///< executes a tick
    others    ///< waits for other ranks
};

/// What a picture on the dashboard shows. Lengths in pixels, places in wall coordinates.
struct PictureFacts {
    std::int32_t window = 0, top = 0;                 ///< which, and the top-level one that it is in
    std::int32_t layer = 0;                           ///< place in the stack of windows, from the bottom
    std::int32_t x = 0, y = 0, width = 0, height = 0; ///< of the wall: what it shows
    std::int32_t wall_width = 0, wall_height = 0;
    std::int32_t columns = 0, rows = 0; ///< of the picture itself
    std::int32_t request = 0;           ///< 0: live, else the number of the screenshot
    std::int64_t frame = 0;
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) {
        visit(m.window, m.top, m.layer, m.x, m.y, m.width, m.height, m.wall_width, m.wall_height, m.columns, m.rows,
              m.request, m.frame);
    }
};

/// As packing.h and the dashboard have them.
template <class Self, class Visit>
requires std::same_as<std::remove_const_t<Self>, TileTimes>
void each_member(Self &m, Visit &&visit) {
    visit(m.frames, m.first_frame_ns, m.last_frame_ns, m.draw_ns, m.swap_wait_ns, m.tick_ns, m.idle_ns, m.cpu_ns,
          m.ticks, m.render_ns, m.ship_wait_ns, m.ship_ns, m.late_frames);
}
inline constexpr std::size_t tile_times = 13;
static_assert(sizeof(TileTimes) == tile_times * sizeof(std::int64_t), "a number that each_member leaves out");

/// One picture: RGB rows from the top.
struct PictureSlot {
    enum State : std::uint32_t { free, writing, filled, reading };
    std::atomic<std::uint32_t> state;
    PictureFacts facts;
};

inline constexpr int longest_live_side = 1280; ///< of the whole wall's live picture
inline constexpr std::size_t live_slots = 16, most_lags = 1024, most_skews = 256;

/// Things from one process to another, in order. One process puts, the second pops.
template <class T, std::size_t N> struct Ring {
    std::array<T, N> things;
    std::atomic<std::uint32_t> put_so_far, popped_so_far;

    /// False when the ring is full.
    bool put(const T &thing) {
        const std::uint32_t at = put_so_far.load(std::memory_order_relaxed);
        if (at - popped_so_far.load(std::memory_order_acquire) >= N)
            return false;
        things[at % N] = thing;
        put_so_far.store(at + 1, std::memory_order_release);
        return true;
    }
    /// False when there is nothing.
    bool pop(T &thing) {
        const std::uint32_t at = popped_so_far.load(std::memory_order_relaxed);
        if (at == put_so_far.load(std::memory_order_acquire))
            return false;
        thing = things[at % N];
        popped_so_far.store(at + 1, std::memory_order_release);
        return true;
    }
};

struct Dashboard {
    static constexpr std::uint64_t right_magic = 0x3164726162676c6d; ///< "mlgbard1"
    std::uint64_t magic;
    std::uint64_t still_bytes; ///< room for a screenshot's pixels

    // Written by the program.
    std::atomic<Activity> activity;
    std::atomic<std::int64_t> since_ns;  ///< CLOCK_MONOTONIC of the last change of that
    std::atomic<std::int64_t> looked_ns; ///< of a rank that waits for others: when it last looked for them
    std::array<std::atomic<std::int64_t>, tile_times> times; ///< TileTimes
    std::atomic<std::int64_t> tick, frames, divergences;
    std::array<std::atomic<float>, most_skews> skew_us; ///< rank 0: of the last frames
    std::atomic<std::uint32_t> skews;                   ///< how many there have been
    std::array<std::atomic<float>, most_lags> lag_us;   ///< rank 0, by rank: behind the first tile, a moving mean
    std::array<PictureSlot, live_slots> live;
    PictureSlot still;
    Ring<Recorded, 1024> recorded;      ///< rank 0: what the operator records
    std::atomic<std::int32_t> replayed; ///< rank 0: the number of the operator's replay that is over
    static constexpr std::size_t most_menu_bytes = 32u << 10;
    std::atomic<std::uint32_t> menu_state; ///< rank 0: as a slot's; the open menu, in JSON, or nothing
    std::uint32_t menu_bytes;
    std::array<char, most_menu_bytes> menu;

    // Written by the agent.
    std::atomic<std::int64_t> live_interval_ns; ///< 0: no operator looks
    Ring<Event, 1024> input;                    ///< rank 0

    std::byte *live_pixels(std::size_t slot);
    std::byte *still_pixels();

    void now(Activity what, std::int64_t ns) {
        looked_ns.store(ns, std::memory_order_relaxed);
        since_ns.store(ns, std::memory_order_relaxed);
        activity.store(what, std::memory_order_release);
    }
    /// What the program does at the time `ns`, and since when. A rank that waits looks for the others many times a
    /// second; one that no longer looks is stopped, and the others wait for it: it counts as at work.
    std::pair<Activity, std::int64_t> doing(std::int64_t ns) const {
        constexpr std::int64_t stopped_after_ns = 1'000'000'000;
        const Activity what = activity.load(std::memory_order_acquire);
        const std::int64_t looked = looked_ns.load(std::memory_order_relaxed);
        const bool stopped = what == Activity::others && looked < ns - stopped_after_ns;
        return {stopped ? Activity::program : what, stopped ? looked : since_ns.load(std::memory_order_relaxed)};
    }
    /// False: the agent is reading the last one, so once more later.
    bool write_menu(const std::string &text);
    /// True when there is news.
    bool read_menu(std::string &text);
    void tell(const TileTimes &own);
    TileTimes own_times() const;
};
inline constexpr std::size_t live_bytes = std::size_t{longest_live_side} * longest_live_side * 3;

/// A new dashboard in memory that has no name: its descriptor, closed on exec, and where it is mapped. Null when that
/// fails.
Dashboard *make_dashboard(std::size_t still_bytes, int &fd);
/// The one behind this descriptor, null when there is none.
Dashboard *map_dashboard(int fd);
void unmap(Dashboard *dashboard, std::size_t still_bytes);
/// Gives the memory of a screenshot back. Like unmap, it takes the size from the caller: the program may have written
/// anything into the dashboard, `still_bytes` included.
void forget_still(Dashboard &dashboard, std::size_t still_bytes);

/// This process's dashboard; null without an operator.
Dashboard *dashboard();
void set_dashboard(Dashboard *dashboard);

/// While it lives this rank does that.
class Doing {
  public:
    Doing(Activity what, std::int64_t (*now)()) : now_(now) {
        if (Dashboard *b = dashboard()) {
            before_ = b->activity;
            b->now(what, now());
        }
    }
    ~Doing() {
        if (Dashboard *b = dashboard())
            b->now(before_, now_());
    }
    /// It waits, and looks whether there is something to do.
    void look() const {
        if (Dashboard *b = dashboard())
            b->looked_ns.store(now_(), std::memory_order_relaxed);
    }
    Doing(const Doing &) = delete;
    Doing &operator=(const Doing &) = delete;

  private:
    std::int64_t (*now_)();
    Activity before_{};
};

} // namespace mpiglut
