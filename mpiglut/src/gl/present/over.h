// What the operator wants to be shown instead of the program's picture, drawn over it by the library's own context.
#pragma once

#include "wall/wall.h"

#include <functional>

namespace mpiglut {
struct Window;
}

namespace mpiglut::gl {

/// The same on every rank, in a tick; see Event::Kind::show.
enum class Over { picture, black, pattern, identify, frozen, count };

Over over();
void set_over(Over what);
/// Something is to be drawn over the program's picture.
bool draws_over();

/// Draws it into the back buffer of the window, which is current and upright, calls `drawn` with that context, and
/// makes the program's context current again.
void draw_over(Window &window, const std::function<void()> &drawn);
/// The same with a context that draws to the real window already, turned with its tile.
void draw_over_here(const Window &window);
/// Calls draw() with a context of the library that draws to the window's back buffer, upright, and makes the
/// program's context current again. False, without the call, where there can be none.
bool in_own_context(Window &window, const std::function<void()> &draw);
/// Before the window goes.
void drop_over(const Window &window);

/// What letters are drawn with, with lines: of this height, at the origin, which moves on by the width.
struct Font {
    float height = 0;
    float (*width)(unsigned char letter) = nullptr;
    void (*draw)(unsigned char letter) = nullptr;
};
/// From the window system, which has one; without it there is no text.
void set_font(const Font &font);

} // namespace mpiglut::gl
