// The wall: tiles, where they are, what lies between them, and which rank shows which.
//
// Wall coordinates are pixels, x to the right and y down, (0,0) at the top left corner of the bounding box of all
// tiles, as a viewer sees them: a rotated tile's rectangle is what the viewer sees, its framebuffer may be turned.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pixmpi {

struct Rect {
    int x = 0, y = 0, width = 0, height = 0;
    bool empty() const { return width <= 0 || height <= 0; }
    int right() const { return x + width; }
    int bottom() const { return y + height; }
    bool operator==(const Rect &) const = default;
};

/// The common part of two rectangles; width and height are 0 when there is none.
Rect intersect(const Rect &a, const Rect &b);
/// The smallest rectangle around both; an empty one counts for nothing.
Rect unite(const Rect &a, const Rect &b);

enum class Mode { automatic, window, fullscreen };

/// What makes a tile look like its neighbours. A colour c from 0 to 1 is shown as brightness * own * c^(1/gamma), where
/// `own` is red, green or blue.
struct Correction {
    double brightness = 1, gamma = 1, red = 1, green = 1, blue = 1;
    bool operator==(const Correction &) const = default;
};
inline constexpr double most_brightness = 4, least_gamma = 0.1, most_gamma = 10;

struct Tile {
    int rank = 0;              ///< the process that shows it; ranks are 0..n-1, each once
    int column = -1, row = -1; ///< place in the grid, -1 when the tile stands outside one
    std::string name;          ///< what messages call it: "(column,row)" or the file's `name`
    std::string host;          ///< empty: wherever the launcher puts the rank
    std::string display;       ///< X display or Wayland session; empty: the process's own
    Rect rect;                 ///< wall coordinates, nudge included
    /// What of the wall's box the tile stands for when nothing is to be missing: the rectangle, and of the gaps around
    /// it what is next to it, half a bezel for instance. Shares do not overlap, even where tiles do; see share_out.
    Rect share;
    int rotation = 0; ///< degrees clockwise that the monitor is turned: 0, 90, 180, 270
    Mode mode = Mode::automatic;
    std::optional<int> screen_x, screen_y; ///< where on the display the tile's window goes, if the file says so
    double mm_x = 0, mm_y = 0, mm_width = 0, mm_height = 0; ///< the same rectangle in millimetres (0 if unknown)
    Correction correction;
    int line = 0; ///< of the wall file's entry about this tile alone, 0 without one

    /// Framebuffer size: the rectangle's, with the sides exchanged at 90 and 270 degrees.
    int framebuffer_width() const { return rotation % 180 ? rect.height : rect.width; }
    int framebuffer_height() const { return rotation % 180 ? rect.width : rect.height; }
};

struct Wall {
    int width = 0, height = 0;          ///< pixels, bounding box of all tiles
    double mm_width = 0, mm_height = 0; ///< 0 if unknown
    /// `2x2` and so on: the wall has no own size and cuts the program's first window;
    /// rectangles of the tiles are empty until `cut` has been called.
    bool from_window = false;
    int columns = 0, rows = 0; ///< of the grid, 0 without one
    std::vector<Tile> tiles;   ///< in order of rank

    /// The same wall over a window of this size (from_window walls only; others return themselves).
    /// Columns share the width as evenly as even numbers allow: tile i begins at i*W/n, rounded down to an even pixel,
    /// because GPUs take derivatives in blocks of 2x2 pixels. In windows with fewer than two pixels for each tile it
    /// begins at i*W/n.
    Wall cut(int window_width, int window_height) const;
};

struct WallResult {
    std::optional<Wall> wall;
    std::vector<std::string> errors;   ///< each "file:line: key: what was expected"; empty when there is a wall
    std::vector<std::string> warnings; ///< of a wall file: what can be meant so, and rarely is
};

/// A name or address that may go to ssh and into lists of hosts: no option, no list, no number of ranks behind it.
bool is_host_name(std::string_view text);

/// What `--wall` takes: `CxR`, `CxR@WxH[+BX[+BY]]`, or the path of a .toml file.
WallResult read_wall(std::string_view spec);
/// A wall file's text; `file` is its name in messages.
WallResult parse_wall(std::string_view toml, std::string_view file);
/// The wall as a wall file that parse_wall reads back to the same wall (from_window included).
std::string format_wall(const Wall &wall);

/// Whether a display is a Wayland session: "wayland", "wayland-1", or one of these with "/" and a monitor's name.
bool is_wayland(const std::string &display);

/// Deals the wall's box out to the tiles: fills in every tile's `share`. Shares are rectangles, so between tiles that
/// stand in no grid a corner may be left without a tile.
void share_out(Wall &wall);

/// How the tile's framebuffer lies in the wall: wall point (relative to the tile's rectangle) -> framebuffer point and
/// back, both y down, for integer pixel positions.
void to_framebuffer(const Tile &tile, int x, int y, int &fx, int &fy);
void from_framebuffer(const Tile &tile, int fx, int fy, int &x, int &y);

/// Places on one screen for the framebuffers of `tiles` so that none overlaps, for a wall simulated on one display:
/// keeps the wall's own arrangement when no framebuffers overlap there, else packs shelf by shelf.
/// `size` receives the screen needed.
std::vector<Rect> arrange_on_screen(const std::vector<Tile> &tiles, Rect &size);

} // namespace pixmpi
