#include "model/console/adjust.h"

#include "base/state.h"
#include "gl/present/correction.h"
#include "model/frame/sharing.h"
#include "sync/comm.h"

#include <optional>
#include <utility>

namespace mpiglut {
namespace {

/// The wall with tiles that are on their way to their places.
std::optional<pixmpi::Wall> &coming() {
    static std::optional<pixmpi::Wall> wall;
    return wall;
}

bool is_tile(int rank) {
    return rank >= 0 && static_cast<std::size_t>(rank) < state().plan.tiles.size();
}

/// The program sees a wall of another size as a window that was resized.
void lay_over_windows(const pixmpi::Wall &wall) {
    State &s = state();
    for (const int id : s.top_level) {
        Window &window = *s.window(id);
        window.wall = wall;
        window.redisplay = true;
        if (id != s.first && !window.full_screen)
            continue;
        window.reshaped |= window.place.width != wall.width || window.place.height != wall.height;
        window.place.width = wall.width;
        window.place.height = wall.height;
    }
    for (auto &[id, window] : s.windows)
        window->redisplay = true;
    if (!s.top_level.empty())
        place_with_others(*s.window(s.top_level.front()));
}

void go_over_to(pixmpi::Wall wall) {
    State &s = state();
    stop_sharing();
    s.sharing.partition.reset();
    s.sharing.policy.reset();
    stay_on_screen(wall);
    pixmpi::share_out(wall);
    {
        const auto lock = lock_geometry();
        s.plan = s.wall = std::move(wall);
    }
    s.screen_width = s.wall.width;
    s.screen_height = s.wall.height;
    lay_over_windows(s.wall);
    note(Did::windows, s.wall.width, s.wall.height);
}

} // namespace

void place_tile(const MovedTile &moved) {
    const State &s = state();
    if (s.plan.from_window || !is_tile(moved.rank) || moved.wall_width <= 0 || moved.wall_height <= 0)
        return;
    std::optional<pixmpi::Wall> &wall = coming();
    if (!wall)
        wall = s.plan;
    pixmpi::Rect &rect = wall->tiles[moved.rank].rect;
    rect.x = moved.x;
    rect.y = moved.y;
    wall->width = moved.wall_width;
    wall->height = moved.wall_height;
    if (moved.last)
        go_over_to(*std::exchange(wall, std::nullopt));
}

void correct_tile(const CorrectedTile &corrected) {
    State &s = state();
    const auto &[rank, correction] = corrected;
    if (!is_tile(rank))
        return;
    s.plan.tiles[rank].correction = s.wall.tiles[rank].correction = correction;
    if (rank == comm::rank())
        gl::set_correction(correction);
    for (auto &[id, window] : s.windows)
        window->redisplay = true;
}

} // namespace mpiglut
