#include "model/behind.h"

#include "base/state.h"
#include "gl/present/present.h"
#include "model/window_system.h"
#include "run/report.h"
#include "sync/comm.h"

#include <algorithm>

namespace mpiglut {
namespace {

bool has_gaps(const pixmpi::Wall &wall) {
    return std::any_of(wall.tiles.begin(), wall.tiles.end(),
                       [](const pixmpi::Tile &tile) { return pixmpi::unite(tile.rect, tile.share) != tile.rect; });
}

void tell(const std::string &text) {
    if (comm::rank() == 0)
        report_once(Report::note, text);
}

} // namespace

bool all_can_present(bool willing) { return comm::all_agree(willing && gl::can_present()); }

bool draws_behind() {
    const State &s = state();
    const bool wanted =
        s.options.behind == Behind::draw || (s.options.behind == Behind::automatic && s.behind_answered);
    return wanted && has_gaps(s.plan);
}

void draw_behind(Window &window) {
    with_current(window, [&window] {
        if (all_can_present()) {
            window.behind = true;
            place(window);
            gl::add_presenter(window);
            window.redisplay = true;
        } else {
            tell("the window's pixel format cannot be drawn off screen: what lies behind bezels stays black for the "
                 "program");
        }
    });
}

void draw_behind_if_asked() {
    State &s = state();
    if (!s.behind_asked || s.behind_answered)
        return;
    s.behind_answered = true;
    if (s.options.behind == Behind::black)
        tell("the program reads or counts pixels behind bezels, and finds them black (--behind black)");
    if (s.options.behind != Behind::automatic)
        return;
    tell("the program reads or counts pixels behind bezels, which were black so far: from the next frame on tiles draw "
         "them off screen (--behind draw: from the start; --behind black: never)");
    for (auto &[id, window] : s.windows)
        draw_behind(*window);
}

} // namespace mpiglut
