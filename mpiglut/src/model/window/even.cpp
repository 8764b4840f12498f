#include "model/window/behind.h"

#include "base/state.h"
#include "gl/present/present.h"
#include "model/window/window_system.h"

#include <algorithm>

namespace mpiglut {
namespace {

using pixmpi::Rect;

/// The same on every rank.
bool begins_oddly(const Window &window) {
    const Rect whole = wall_rect(window);
    return std::any_of(window.rendered_by.begin(), window.rendered_by.end(),
                       [&](const Rect &rect) { return begun_evenly(rect, whole) != rect; });
}

/// What is rendered off screen keeps neither a second eye's picture nor what is drawn to the front buffer on every
/// driver. Losing that would be worse than a few pixels.
bool loses_nothing_off_screen(const Window &window) { return window.double_buffered && !window.stereo; }

bool may_change(const Window &window) {
    return !window.even && !window.even_refused && !window.shared && window.shows.times <= 1;
}

void draw_evenly(Window &window) {
    with_current(window, [&window] {
        window.even_refused =
            !all_can_present(loses_nothing_off_screen(window)) || !all_go_off_screen(window, &Window::even);
        window.redisplay = window.redisplay || window.even;
    });
}

void draw_as_it_is(Window &window) {
    window.even = false;
    place(window);
    window.redisplay = true;
}

} // namespace

Rect begun_evenly(const Rect &rect, const Rect &whole) {
    if (rect.empty())
        return rect;
    const int left = (rect.x - whole.x) % 2, top = (rect.y - whole.y) % 2,
              bottom = (whole.bottom() - rect.bottom()) % 2;
    return {rect.x - left, rect.y - top, rect.width + left, rect.height + top + bottom};
}

void draw_evenly_if_needed() {
    const State &s = state();
    if (!s.uses_derivatives || s.drawn_beside || gl::is_handed_over())
        return;
    for (auto &[id, window] : s.windows) {
        if (window->even && s.counts_samples)
            draw_as_it_is(*window);
        else if (!s.counts_samples && may_change(*window) && begins_oddly(*window))
            draw_evenly(*window);
    }
}

} // namespace mpiglut
