#include "model/adjust.h"

#include "base/state.h"
#include "gl/correction.h"
#include "model/sharing.h"
#include "sync/comm.h"

#include <optional>
#include <utility>

namespace mpiglut {
namespace {

/// The wall whose tiles are on their way to their places.
std::optional<pixmpi::Wall> &coming() {
    static std::optional<pixmpi::Wall> wall;
    return wall;
}

bool is_tile(const Event &event) {
    return event.rank >= 0 && static_cast<std::size_t>(event.rank) < state().plan.tiles.size();
}

/// The program sees a wall of another size as a window that somebody has pulled at.
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

void place_tile(const Event &event) {
    const State &s = state();
    if (s.plan.from_window || !is_tile(event) || event.a <= 0 || event.b <= 0)
        return;
    std::optional<pixmpi::Wall> &wall = coming();
    if (!wall)
        wall = s.plan;
    pixmpi::Rect &rect = wall->tiles[event.rank].rect;
    rect.x = event.x;
    rect.y = event.y;
    wall->width = event.a;
    wall->height = event.b;
    if (event.z)
        go_over_to(*std::exchange(wall, std::nullopt));
}

void correct_tile(const Event &event) {
    State &s = state();
    if (!is_tile(event))
        return;
    const auto value = [](std::int32_t thousandths) { return thousandths / 1000.0; };
    const pixmpi::Correction correction{value(event.a), std::max(value(event.b), pixmpi::least_gamma), value(event.x),
                                        value(event.y), value(event.z)};
    s.plan.tiles[event.rank].correction = s.wall.tiles[event.rank].correction = correction;
    if (event.rank == comm::rank())
        gl::set_correction(correction);
    for (auto &[id, window] : s.windows)
        window->redisplay = true;
}

} // namespace mpiglut
