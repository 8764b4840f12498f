// The window's pixels from all tiles.
#pragma once

#include "gl/coordinates/mirror.h"
#include "gl/pixel/pixel_layout.h"
#include "sync/comm.h"

#include <span>
#include <vector>

namespace mpiglut::gl {

/// The window that is read from, in its own coordinates.
pixmpi::Rect read_window(const Context &c);

/// Reading `asked` (whole-window coordinates, y up) needs other tiles.
bool is_collective(const Context &c, const pixmpi::Rect &asked);

/// The program wants to know of `asked` of the window: if a part of it lies where no tile draws, the wall is told
/// (State::behind_asked).
void ask_behind(const Surface &window, const pixmpi::Rect &asked);

struct Gathered {
    std::vector<comm::Bytes> bytes; ///< what the pieces' pixels are in
    std::vector<Piece> pieces;      ///< by rank; without pixels where a rank did not take part
};

/// What is bound for reading in the GL, and where its pixels are.
struct PixelSource {
    bool window = true;               ///< the default framebuffer, whatever the program has bound; else an object
    pixmpi::Rect whole;               ///< all pixels
    std::vector<pixmpi::Rect> pieces; ///< by rank: those that it has
};
PixelSource window_source(const Context &c);

/// Does something of `rect` lie in none of the pieces?
bool uncovered(const pixmpi::Rect &rect, std::span<const pixmpi::Rect> pieces);

/// Every rank's pixels of `asked`, on every rank, in bytes packed without padding; otherwise under the program's pixel
/// storage and transfer state. All ranks have to come here with the same arguments.
Gathered gather_pixels(Context &c, const PixelSource &source, const pixmpi::Rect &asked, GLenum format, GLenum type);

} // namespace mpiglut::gl
