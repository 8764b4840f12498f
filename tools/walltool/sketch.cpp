#include "sketch.h"

#include <algorithm>
#include <cmath>

namespace walltool {

using pixmpi::Tile;
using pixmpi::Wall;

namespace {

constexpr double cell_aspect = 2; // a character is about twice as high as it is wide
constexpr int tallest = 32;

struct Box {
    int left, top, right, bottom; ///< of the frame, inclusive
};

class Sheet {
  public:
    Sheet(int columns, int rows) : lines_(rows, std::string(columns, ' ')) {}

    void frame(const Box &box) {
        for (int x = box.left; x <= box.right; ++x)
            for (int y : {box.top, box.bottom})
                put(x, y, x == box.left || x == box.right ? '+' : '-');
        for (int y = box.top + 1; y < box.bottom; ++y)
            for (int x : {box.left, box.right})
                put(x, y, '|');
    }

    /// Centred in the box in the given row of it, if it fits.
    void text(const Box &box, int row, const std::string &text) {
        const int room = box.right - box.left - 1, length = static_cast<int>(text.size());
        if (length > room || box.top + 1 + row >= box.bottom)
            return;
        const int x = box.left + 1 + (room - length) / 2;
        lines_[box.top + 1 + row].replace(x, length, text);
    }

    std::vector<std::string> lines() const {
        std::vector<std::string> result = lines_;
        for (std::string &line : result)
            line.erase(line.find_last_not_of(' ') + 1);
        return result;
    }

  private:
    void put(int x, int y, char c) {
        char &cell = lines_[y][x];
        // Corners stay corners where frames share a line.
        if (cell == ' ' || cell == c || c == '+')
            cell = c;
        else if (cell != '+')
            cell = '+';
    }
    std::vector<std::string> lines_;
};

/// Which way the monitor's top points, for turned tiles.
std::string turned(const Tile &tile) {
    switch (tile.rotation) {
    case 90:
        return " >";
    case 180:
        return " v";
    case 270:
        return " <";
    default:
        return "";
    }
}

} // namespace

std::vector<std::string> sketch(const Wall &wall, int width) {
    if (wall.width <= 0 || wall.height <= 0)
        return {};
    const double scale = std::min((width - 1) / double(wall.width), (tallest - 1) * cell_aspect / wall.height);
    const auto across = [&](int x) { return static_cast<int>(std::lround(x * scale)); };
    const auto down = [&](int y) { return static_cast<int>(std::lround(y * scale / cell_aspect)); };
    std::vector<Box> boxes;
    for (const Tile &tile : wall.tiles) {
        const Box box{across(tile.rect.x), down(tile.rect.y), across(tile.rect.right()), down(tile.rect.bottom())};
        const int digits = static_cast<int>(std::to_string(tile.rank).size());
        if (box.right - box.left - 1 < digits || box.bottom - box.top < 2)
            return {};
        boxes.push_back(box);
    }
    Sheet sheet(across(wall.width) + 1, down(wall.height) + 1);
    for (const Box &box : boxes)
        sheet.frame(box);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const Tile &tile = wall.tiles[i];
        const int rows = boxes[i].bottom - boxes[i].top - 1, first = std::max(0, (rows - 2) / 2);
        sheet.text(boxes[i], first, std::to_string(tile.rank) + turned(tile));
        sheet.text(boxes[i], first + 1, tile.host.empty() ? tile.name : tile.host);
    }
    return sheet.lines();
}

} // namespace walltool
