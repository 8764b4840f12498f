// What a wall file says, key by key.
#include "toml_reader.h"

namespace pixmpi {

namespace {

/// The TOML library's destructors recurse along dotted keys (a.b.c...), so a line must not have too many.
constexpr std::ptrdiff_t most_dots = 200;

/// The limits of lengths in the file's unit and of sizes in the other one.
struct Units {
    explicit Units(bool mm)
        : in_mm(mm), size(mm ? mm_size : Limits{1, most_pixels, true}),
          position(mm ? mm_position : Limits{-most_pixels, most_pixels, true}),
          other(mm ? Limits{1, most_pixels, true} : mm_size) {}
    inline static const Limits mm_size{0.01, most_mm, false}, mm_position{-most_mm, most_mm, false};
    bool in_mm;
    Limits size, position, other;
    const char *other_key() const { return in_mm ? "pixels" : "mm"; }
};

const std::vector<std::pair<std::string_view, int>> rotations{{"0", 0}, {"90", 90}, {"180", 180}, {"270", 270}};
const std::vector<std::pair<std::string_view, Mode>> modes{
    {"auto", Mode::automatic}, {"window", Mode::window}, {"fullscreen", Mode::fullscreen}};

GridText read_grid(const toml::table &table, const Units &units, Errors &errors) {
    Reader reader(table, "grid.", errors);
    GridText grid;
    grid.line = line_of(table);
    grid.columns = reader.integer("columns", 1, most_tiles);
    grid.rows = reader.integer("rows", 1, most_tiles);
    for (const char *key : {"columns", "rows"})
        if (!table.contains(key))
            errors.add(grid.line, "grid." + std::string(key),
                       "expected a whole number from 1 to " + number(most_tiles));
    grid.tile = reader.pair("tile", units.size);
    grid.other = reader.pair(units.other_key(), units.other);
    grid.bezel = reader.edges("bezel", units.position); // negative where projectors overlap
    grid.hosts = reader.hosts("host");
    grid.displays = reader.texts("display");
    grid.rotation = reader.choice("rotation", rotations);
    grid.mode = reader.choice("mode", modes);
    grid.unreadable = reader.finish();
    return grid;
}

TileText read_tile(const toml::table &table, const Units &units, Errors &errors) {
    Reader reader(table, "tile.", errors);
    TileText tile;
    tile.line = line_of(table);
    tile.column = reader.integer("column", 0, most_tiles - 1);
    tile.row = reader.integer("row", 0, most_tiles - 1);
    tile.rank = reader.integer("rank", 0, most_tiles - 1);
    tile.name = reader.text("name");
    tile.host = reader.host("host");
    tile.display = reader.text("display");
    tile.position = reader.pair("position", units.position);
    tile.size = reader.pair("size", units.size);
    tile.nudge = reader.pair("nudge", units.position);
    tile.screen = reader.pair("screen", Limits{-32768, 32767, true});
    const toml::array *other = table[units.other_key()].as_array();
    if (!units.in_mm && other && other->size() == 4)
        tile.mm = reader.rectangle("mm", Units::mm_position, Units::mm_size);
    else
        tile.other = reader.pair(units.other_key(), units.other);
    tile.rotation = reader.choice("rotation", rotations);
    tile.mode = reader.choice("mode", modes);
    tile.enabled = reader.boolean("enabled");
    tile.brightness = reader.real("brightness", {0, most_brightness, false});
    tile.gamma = reader.real("gamma", {least_gamma, most_gamma, false});
    tile.colour = reader.colour("colour", {0, most_brightness, false});
    tile.unreadable = reader.finish();
    return tile;
}

bool too_many_dots(std::string_view toml, Errors &errors) {
    for (int line = 1; !toml.empty(); ++line) {
        const std::string_view text = toml.substr(0, toml.find('\n'));
        if (std::count(text.begin(), text.end(), '.') > most_dots) {
            errors.add(line, "", "expected at most " + std::to_string(most_dots) + " dots in a line");
            return true;
        }
        toml.remove_prefix(std::min(toml.size(), text.size() + 1));
    }
    return false;
}

} // namespace

WallText read_toml(std::string_view toml, Errors &errors) {
    WallText text;
    text.usable = false;
    if (too_many_dots(toml, errors))
        return text;
    const toml::parse_result parsed = toml::parse(toml);
    if (!parsed) {
        errors.add(static_cast<int>(parsed.error().source().begin.line), "",
                   "expected TOML: " + printable(parsed.error().description()));
        return text;
    }
    text.usable = true;
    const toml::table &table = parsed.table();
    Reader reader(table, "", errors);
    const auto in_mm = reader.choice<bool>("unit", {{"px", false}, {"mm", true}});
    text.in_mm = in_mm && in_mm->value;
    text.density = reader.pair("pixels_per_mm", Limits{0.001, 1000, false}, true);
    const Units units(text.in_mm);
    if (const toml::node *grid = reader.find("grid")) {
        if (const auto *grid_table = grid->as_table())
            text.grid = read_grid(*grid_table, units, errors);
        else
            reader.refuse(*grid, "grid", "a table, [grid]");
    }
    if (const toml::node *tiles = reader.find("tile")) {
        if (const auto *list = tiles->as_array(); list && list->is_array_of_tables()) {
            for (const toml::node &tile : *list)
                text.tiles.push_back(read_tile(*tile.as_table(), units, errors));
        } else
            reader.refuse(*tiles, "tile", "tables, each under [[tile]]");
    }
    text.unreadable = reader.finish();
    return text;
}

} // namespace pixmpi
