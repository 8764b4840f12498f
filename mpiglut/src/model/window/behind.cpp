#include "model/window/behind.h"

#include "base/state.h"
#include "gl/present/present.h"
#include "model/window/window_system.h"
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

bool all_go_off_screen(Window &window, bool Window::*reason) {
    const bool went_before = gl::is_presented(window);
    window.*reason = true;
    place(window);
    gl::add_presenter(window);
    if (comm::all_agree(gl::is_presented(window)))
        return true;
    window.*reason = false;
    if (!went_before)
        gl::remove_presenter(window);
    place(window);
    return false;
}

bool draws_behind() {
    const State &s = state();
    const bool wanted =
        s.options.behind == Behind::draw || (s.options.behind == Behind::automatic && s.behind_answered);
    return wanted && has_gaps(s.plan);
}

void draw_behind(Window &window) {
    with_current(window, [&window] {
        if (all_can_present() && all_go_off_screen(window, &Window::behind))
            window.redisplay = true;
        else
            tell("the window cannot be drawn off screen in its pixel format and size: what lies behind bezels stays "
                 "black for the program");
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
