// What a tile shows of the wall's X server: one window of the tile's size below those with OpenGL, which have the shape
// of what is seen of them. So menus, toolkits' widgets and whole programs of X requests are there, in their places.
#pragma once

#include "run/capture.h"
#include "system/x11/screen.h"

#include <vector>

namespace mpiglut::x11 {

/// This rank shows pixels of the wall's X server, as soon as some have come. Not on walls without a size.
bool shows_screen();

/// Puts them on the tile, in the thread of the ticks. The window is made with the first ones.
void paint(const std::vector<Piece> &pieces);
/// What is seen of windows with OpenGL from now on; others are whole.
void set_seen(const std::vector<Seen> &seen);
/// After windows have moved: they have the shapes again that belong to their places.
void fit_shapes();

/// Input, and what has to be painted again.
void receive_backdrop_events();
/// It can be read when something of that may have come; -1 for none.
int backdrop_descriptor();
/// Upright; empty where nothing was painted yet.
Picture picture_of_backdrop();
/// Something was painted, on whichever tile.
bool has_backdrop();

} // namespace mpiglut::x11
