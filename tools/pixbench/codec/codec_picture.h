// The pictures of the mode codec: what a program's window has in a frame, and the depth buffer behind it. A floor of
// tiles to the horizon, balls of plastic and metal that mirror each other and cast shadows, a sky; four samples for
// each pixel. In front of it lines of small letters, without smoothing, as a console has. Every rank computes the same.
#pragma once

#include "pixmpi.h"

#include <cstddef>
#include <vector>

/// RGBA8: the colours; DEPTH32F: the depths at the pixels' middles. The first row is the highest.
std::vector<std::byte> render_picture(pixMPI_Format format, int width, int height);
