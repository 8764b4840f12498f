// walltool check: the wall as text.
#include "commands.h"
#include "neighbours.h"
#include "sketch.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace walltool {

using pixmpi::Mode;
using pixmpi::Rect;
using pixmpi::Tile;
using pixmpi::Wall;

namespace {

constexpr int sketch_width = 80;
constexpr std::size_t most_listed = 10;

using Row = std::vector<std::string>;

std::string pair(int a, const char *between, int b) { return std::to_string(a) + between + std::to_string(b); }

std::string millimetres(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

const char *mode_name(Mode mode) {
    return mode == Mode::window ? "window" : mode == Mode::fullscreen ? "fullscreen" : "auto";
}

std::string or_dash(const std::string &text) { return text.empty() ? "-" : text; }

Row cells(const Tile &tile, const Wall &wall) {
    Row row{std::to_string(tile.rank), tile.name, or_dash(tile.host), or_dash(tile.display)};
    if (!wall.from_window) {
        row.push_back(pair(tile.rect.width, " x ", tile.rect.height));
        row.push_back(pair(tile.rect.x, ", ", tile.rect.y));
    }
    if (wall.mm_width > 0) {
        row.push_back(millimetres(tile.mm_width) + " x " + millimetres(tile.mm_height));
        row.push_back(millimetres(tile.mm_x) + ", " + millimetres(tile.mm_y));
    }
    row.push_back(std::to_string(tile.rotation));
    row.push_back(mode_name(tile.mode));
    row.push_back(tile.screen_x && tile.screen_y ? pair(*tile.screen_x, ", ", *tile.screen_y) : "-");
    return row;
}

void print_table(const Wall &wall) {
    Row header{"rank", "name", "host", "display"};
    if (!wall.from_window)
        header.insert(header.end(), {"pixels", "at"});
    if (wall.mm_width > 0)
        header.insert(header.end(), {"mm", "at mm"});
    header.insert(header.end(), {"rotation", "mode", "screen"});
    std::vector<Row> rows{header};
    for (const Tile &tile : wall.tiles)
        rows.push_back(cells(tile, wall));
    std::vector<std::size_t> widths(header.size());
    for (const Row &row : rows)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    for (const Row &row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += row[i] + std::string(i + 1 < row.size() ? widths[i] - row[i].size() + 2 : 0, ' ');
        std::puts(line.c_str());
    }
}

void print_size(const Wall &wall) {
    if (wall.from_window)
        return void(std::printf("size: the program's first window, cut into %d by %d\n", wall.columns, wall.rows));
    std::printf("size: %d x %d pixels", wall.width, wall.height);
    if (wall.mm_width > 0)
        std::printf(", %s x %s mm", millimetres(wall.mm_width).c_str(), millimetres(wall.mm_height).c_str());
    std::puts(wall.mm_width > 0 ? "" : "; millimetres unknown");
}

/// "label: a, b, c and 7 more"
void print_list(const char *label, const std::vector<std::string> &items) {
    if (items.empty())
        return;
    std::string line = std::string(label) + ": ";
    for (std::size_t i = 0; i < std::min(items.size(), most_listed); ++i)
        line += (i ? ", " : "") + items[i];
    if (items.size() > most_listed)
        line += " and " + std::to_string(items.size() - most_listed) + " more";
    std::puts(line.c_str());
}

std::vector<std::string> texts(const std::set<int> &distances) {
    std::vector<std::string> result;
    for (int distance : distances)
        result.push_back(std::to_string(distance) + " px");
    return result;
}

void print_neighbours(const Wall &wall) {
    std::vector<std::string> places, pairs;
    for (const Hole &hole : holes(wall))
        places.push_back("(" + pair(hole.column, ",", hole.row) + ")");
    for (const Overlap &overlap : overlaps(wall))
        pairs.push_back(wall.tiles[overlap.first].name + " and " + wall.tiles[overlap.second].name + " by " +
                        pair(overlap.area.width, " x ", overlap.area.height) + " px");
    const Gaps between = gaps(wall);
    print_list("holes", places);
    print_list("gaps side by side", texts(between.across));
    print_list("gaps one above the other", texts(between.down));
    print_list("overlaps", pairs);
}

} // namespace

int check(const std::string &spec) {
    const std::optional<Wall> wall = load(spec);
    if (!wall)
        return EXIT_FAILURE;
    std::printf("%s: %zu tile%s", spec.c_str(), wall->tiles.size(), wall->tiles.size() == 1 ? "" : "s");
    if (wall->columns > 0)
        std::printf(", grid of %d by %d", wall->columns, wall->rows);
    std::puts("");
    print_size(*wall);
    print_neighbours(*wall);
    std::puts("");
    const auto lines = sketch(*wall, sketch_width);
    for (const std::string &line : lines)
        std::puts(line.c_str());
    if (!lines.empty())
        std::puts("");
    print_table(*wall);
    return std::fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace walltool
