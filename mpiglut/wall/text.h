// A wall as it was written down, before anything is computed: what a wall file and `CxR@WxH` have in common.
#pragma once

#include "errors.h"
#include "wall.h"

#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pixmpi {

/// The maximum of a wall; anything beyond is a mistake of typing, or an attack on memory.
inline constexpr int most_tiles = 4096;
inline constexpr int most_pixels = 1 << 20;
inline constexpr double most_mm = 1e7;

/// A value and the line it stands in.
template <class T> struct Given {
    T value{};
    int line = 0;
};
template <class T> using Maybe = std::optional<Given<T>>;

struct Vec {
    double x = 0, y = 0;
};
struct Edges {
    double left = 0, right = 0, top = 0, bottom = 0;
};

/// Keys of a table with values that could not be read, those that a misspelt key meant included. If they are missing
/// then, that is no second mistake.
using Unreadable = std::set<std::string, std::less<>>;

/// All lengths in the file's unit and as the viewer sees them, rotated tiles included.
struct GridText {
    int line = 0;
    Unreadable unreadable;
    Maybe<int> columns, rows;
    Maybe<Vec> tile;    ///< size
    Maybe<Vec> other;   ///< the same size in the other unit
    Maybe<Edges> bezel; ///< between two tiles lie the right edge of one and the left edge of the next
    Maybe<std::vector<std::string>> hosts, displays; ///< by grid place, row by row, starting over at the end
    Maybe<int> rotation;
    Maybe<Mode> mode;
};

struct TileText {
    int line = 0;
    Unreadable unreadable;
    Maybe<int> column, row, rank, rotation;
    Maybe<std::string> name, host, display;
    Maybe<Vec> position, size, nudge, screen;
    Maybe<Vec> other;                ///< size in the other unit
    Maybe<std::array<double, 4>> mm; ///< x, y, width, height next to pixels, instead of `other`
    Maybe<double> brightness, gamma;
    Maybe<std::array<double, 3>> colour;
    Maybe<Mode> mode;
    Maybe<bool> enabled;
};

struct WallText {
    bool usable = true; ///< else it is not clear at all what was meant
    bool in_mm = false;
    Unreadable unreadable;
    Maybe<Vec> density; ///< pixels per millimetre
    std::optional<GridText> grid;
    std::vector<TileText> tiles;
};

/// What a tile without a name is called.
std::string default_name(const Tile &tile);

/// Works out the wall. Nothing when `errors` got any.
std::optional<Wall> build_wall(const WallText &text, Errors &errors);
/// What can be meant so, and rarely is.
void warn(const WallText &text, const Wall &wall, Errors &warnings);

/// Reads a wall file's text (wall_toml.cpp) or a `CxR[@WxH[+BX[+BY]]]` (wall_spec.cpp).
WallText read_toml(std::string_view toml, Errors &errors);
WallText read_spec(std::string_view spec, Errors &errors);

} // namespace pixmpi
