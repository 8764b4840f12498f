// --capture: the tiles' pixels put together as one PNG of the whole wall, gaps black.
#pragma once

#include "wall/wall.h"

#include <span>
#include <string>
#include <vector>

namespace mpiglut {

/// RGB rows from the top, as the viewer sees the tile (rotation undone).
struct Picture {
    int width = 0, height = 0;
    std::vector<unsigned char> rgb;
    Picture() = default;
    Picture(int w, int h) : width(w), height(h), rgb(static_cast<std::size_t>(w) * h * 3) {}
};

/// What one rank has of a picture of the whole wall.
struct TilePicture {
    pixmpi::Wall wall;
    Picture picture;
};

/// Rows from the bottom, as GL has them, become rows from the top.
void turn_upside_down(Picture &picture);

/// Copies `from` into `to` with its top left corner at (x, y), clipped.
void paste(Picture &to, const Picture &from, int x, int y);

/// The whole wall from the tiles' pictures, one for each tile in order of rank. Where tiles overlap, the lower rank
/// wins.
Picture assemble(const pixmpi::Wall &wall, std::span<const Picture> tiles);

/// The file's name with that at the end of its stem: "F.png" and ".tile3" are "F.tile3.png".
std::string beside(const std::string &path, const std::string &what);

/// The file of the `number`th picture, from 1: "F.png", "F.2.png", ...
std::string numbered(const std::string &path, std::size_t number);

/// 8-bit RGB PNG, written to a temporary name and renamed, so that no process reads half a file.
bool write_png(const std::string &path, const Picture &picture, std::string &error);

} // namespace mpiglut
