#include "edit.h"
#include "text.h"
#include "toml_library.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace pixmpi {

namespace {

/// Lengths in millimetres are written as thousandths: less than any pixel.
std::string length(double value) { return number(std::round(value * 1000) / 1000); }

std::string pair_text(double x, double y) { return "[" + length(x) + ", " + length(y) + "]"; }

double real(const toml::node *node) { return node ? node->value<double>().value_or(0) : 0; }

double element(const toml::node *node, std::size_t index) {
    const toml::array *array = node ? node->as_array() : nullptr;
    return array ? real(array->get(index)) : real(node);
}

/// Where a line begins, 1 being the first; the end of the text for one behind the last.
std::size_t line_begin(std::string_view text, std::size_t line) {
    std::size_t at = 0;
    for (; line > 1 && at < text.size(); --line)
        at = std::min(text.size(), text.find('\n', at) == text.npos ? text.size() : text.find('\n', at) + 1);
    return at;
}

/// Columns count characters, of one to four bytes.
std::size_t offset(std::string_view text, toml::source_position place) {
    std::size_t at = line_begin(text, place.line);
    const auto continues = [&] { return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
    for (std::size_t column = 1; column < place.column && at < text.size(); ++column) {
        ++at;
        while (continues())
            ++at;
    }
    return at;
}

/// The blanks in front of a line's first word, where the line gives a key a value.
std::string indentation(std::string_view text, std::size_t begin) {
    const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
    const std::size_t word = line.find_first_not_of(" \t");
    return line.find('=') == line.npos || word == line.npos ? std::string() : std::string(line.substr(0, word));
}

/// Gives a key of this table a value: instead of the one it has, or in its own line below the table's head.
void set(std::string &text, const toml::table &table, std::string_view key, const std::string &value) {
    if (const toml::node *node = table.get(key)) {
        const std::size_t begin = offset(text, node->source().begin), end = offset(text, node->source().end);
        text.replace(begin, end - begin, value);
        return;
    }
    std::size_t at = line_begin(text, table.source().begin.line + 1);
    if (at > 0 && text[at - 1] != '\n')
        text.insert(at++, "\n");
    text.insert(at, indentation(text, at) + std::string(key) + " = " + value + "\n");
}

/// The entry about this tile alone, null without one.
const toml::table *entry_of(const toml::table &file, const Tile &tile) {
    const toml::array *entries = file["tile"].as_array();
    for (std::size_t i = 0; tile.line && entries && i < entries->size(); ++i)
        if (const toml::table *entry = entries->get(i)->as_table();
            entry && static_cast<int>(entry->source().begin.line) == tile.line)
            return entry;
    return nullptr;
}

using Keys = std::vector<std::pair<std::string_view, std::string>>;

/// The text with these values in the tile's own entry. Each is its own change, since the former moves the latter.
std::string with_keys(std::string text, const Tile &tile, const Keys &keys) {
    if (!tile.line) {
        if (!text.empty() && text.back() != '\n')
            text += '\n';
        text += "\n[[tile]]\ncolumn = " + number(tile.column) + "\nrow = " + number(tile.row) + "\n";
        for (const auto &[key, value] : keys)
            text += std::string(key) + " = " + value + "\n";
        return text;
    }
    for (const auto &[key, value] : keys) {
        const toml::parse_result file = toml::parse(text);
        const toml::table *entry = file ? entry_of(file.table(), tile) : nullptr;
        if (!entry || entry->is_inline())
            return {};
        set(text, *entry, key, value);
    }
    return text;
}

bool same_places(const Wall &a, const Wall &b) {
    return std::equal(a.tiles.begin(), a.tiles.end(), b.tiles.begin(), b.tiles.end(),
                      [](const Tile &one, const Tile &other) { return one.rect == other.rect; });
}

} // namespace

WallEditor::WallEditor(std::string toml) : text_(std::move(toml)) {
    if (auto result = parse_wall(text_, "wall"); result.wall)
        wall_ = std::move(*result.wall);
    if (const toml::parse_result file = toml::parse(text_); !wall_.tiles.empty() && file)
        in_mm_ = file.table()["unit"].value_or(std::string_view()) == "mm";
}

double WallEditor::unit_across() const { return in_mm_ && wall_.width ? wall_.mm_width / wall_.width : 1; }
double WallEditor::unit_down() const { return in_mm_ && wall_.height ? wall_.mm_height / wall_.height : 1; }

std::pair<double, double> WallEditor::bezels() const {
    const toml::parse_result file = toml::parse(text_);
    const toml::node_view<const toml::node> bezel =
        file ? file.table()["grid"]["bezel"] : toml::node_view<const toml::node>();
    if (const toml::table *edges = bezel.as_table())
        return {real(edges->get("left")) + real(edges->get("right")),
                real(edges->get("top")) + real(edges->get("bottom"))};
    return {element(bezel.node(), 0), element(bezel.node(), 1)};
}

std::pair<double, double> WallEditor::nudge_of(int rank) const {
    const toml::parse_result file = toml::parse(text_);
    const toml::table *entry = file && rank >= 0 && static_cast<std::size_t>(rank) < wall_.tiles.size()
                                   ? entry_of(file.table(), wall_.tiles[static_cast<std::size_t>(rank)])
                                   : nullptr;
    const toml::node *nudge = entry ? entry->get("nudge") : nullptr;
    return {element(nudge, 0), element(nudge, 1)};
}

/// Nothing is taken that the reader of wall files does not understand, or that changes which tiles there are.
std::string WallEditor::accept(std::string text, std::string_view what) {
    if (text.empty())
        return std::string(what) + ": expected [grid] and [[tile]] on separate lines of the wall file";
    auto result = parse_wall(text, "wall");
    if (!result.wall)
        return std::string(what) + ": " + (result.errors.empty() ? "refused" : result.errors.front());
    if (result.wall->tiles.size() != wall_.tiles.size())
        return std::string(what) + ": the wall file cannot be changed by itself";
    text_ = std::move(text);
    wall_ = std::move(*result.wall);
    return {};
}

std::string WallEditor::widen_bezels(int across, int down) {
    if (wall_.tiles.empty() || wall_.from_window)
        return "bezels: the wall cuts the program's window, and has none";
    const toml::parse_result file = toml::parse(text_);
    const toml::table *grid = file.table()["grid"].as_table();
    if (!grid || !grid->contains("tile"))
        return "bezels: each tile has its own position";
    const double x = across * unit_across(), y = down * unit_down();
    const toml::node *old = grid->get("bezel");
    std::string value;
    if (const toml::table *edges = old ? old->as_table() : nullptr)
        value = "{left = " + length(real(edges->get("left"))) + ", right = " + length(real(edges->get("right")) + x) +
                ", top = " + length(real(edges->get("top"))) + ", bottom = " + length(real(edges->get("bottom")) + y) +
                "}";
    else
        value = pair_text(element(old, 0) + x, element(old, 1) + y);
    std::string text = grid->is_inline() ? std::string() : text_;
    if (!text.empty())
        set(text, *grid, "bezel", value);
    const Wall before = wall_;
    const std::string before_text = text_;
    if (std::string error = accept(std::move(text), "bezels"); !error.empty())
        return error;
    if (!same_places(before, wall_) || (across == 0 && down == 0))
        return {};
    text_ = before_text;
    wall_ = before;
    return "bezels: no tile goes by the grid's bezel this way";
}

std::string WallEditor::nudge(int rank, int x, int y) {
    if (wall_.tiles.empty() || wall_.from_window)
        return "tile: the wall cuts the program's window, and its parts have their places";
    if (rank < 0 || static_cast<std::size_t>(rank) >= wall_.tiles.size())
        return "tile: expected a rank from 0 to " + number(static_cast<double>(wall_.tiles.size()) - 1);
    const Tile &tile = wall_.tiles[static_cast<std::size_t>(rank)];
    const toml::parse_result file = toml::parse(text_);
    const toml::table *entry = entry_of(file.table(), tile);
    const toml::node *old = entry ? entry->get("nudge") : nullptr;
    const std::string value = pair_text(element(old, 0) + x * unit_across(), element(old, 1) + y * unit_down());
    return accept(with_keys(text_, tile, {{"nudge", value}}), "tile");
}

std::string WallEditor::correct(int rank, const Correction &to) {
    if (rank < 0 || static_cast<std::size_t>(rank) >= wall_.tiles.size())
        return "tile: expected a rank from 0 to " + number(static_cast<double>(wall_.tiles.size()) - 1);
    const Tile &tile = wall_.tiles[static_cast<std::size_t>(rank)];
    const Correction &now = tile.correction;
    Keys keys;
    if (to.brightness != now.brightness)
        keys.emplace_back("brightness", length(to.brightness));
    if (to.gamma != now.gamma)
        keys.emplace_back("gamma", length(to.gamma));
    if (to.red != now.red || to.green != now.green || to.blue != now.blue)
        keys.emplace_back("colour", "[" + length(to.red) + ", " + length(to.green) + ", " + length(to.blue) + "]");
    return keys.empty() ? std::string() : accept(with_keys(text_, tile, keys), "tile");
}

std::string file_of_spec(std::string_view spec) {
    Errors errors(spec);
    const WallText read = read_spec(spec, errors);
    if (errors.any() || !read.grid)
        return {};
    const GridText &grid = *read.grid;
    std::string text =
        "[grid]\ncolumns = " + number(grid.columns->value) + "\nrows = " + number(grid.rows->value) + "\n";
    if (grid.tile)
        text += "tile = " + pair_text(grid.tile->value.x, grid.tile->value.y) + "\n";
    if (grid.bezel)
        text += "bezel = " + pair_text(grid.bezel->value.left, grid.bezel->value.top) + "\n";
    return text;
}

} // namespace pixmpi
