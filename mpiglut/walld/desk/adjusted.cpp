#include "desk/adjusted.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace mpiglut::walld {

namespace {

std::string read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool same_wall(const pixmpi::Wall &a, const pixmpi::Wall &b) {
    return std::ranges::equal(a.tiles, b.tiles, [](const pixmpi::Tile &one, const pixmpi::Tile &other) {
        return one.rect == other.rect && one.rotation == other.rotation && one.correction == other.correction;
    });
}

/// The text that is nearest to the written one, of those that describe the wall that runs.
std::string text_of(const launcher::Run &facts, bool &is_file) {
    const pixmpi::Wall runs = pixmpi::WallEditor(facts.wall).wall();
    if (std::string text = facts.wall_file.empty() ? std::string() : read_file(facts.wall_file); !text.empty())
        if (same_wall(pixmpi::WallEditor(text).wall(), runs)) {
            is_file = true;
            return text;
        }
    if (std::string text = pixmpi::file_of_spec(facts.wall_name); !text.empty())
        if (same_wall(pixmpi::WallEditor(text).wall(), runs))
            return text;
    return facts.wall;
}

} // namespace

Adjusted::Adjusted(const launcher::Run &facts) : editor_({}) {
    bool is_file = false;
    kept_ = text_of(facts, is_file);
    file_ = is_file ? facts.wall_file : std::string();
    reset();
}

std::string Adjusted::apply(const std::string &error) {
    shown_ = editor_.wall();
    for (pixmpi::Tile &tile : shown_.tiles)
        tile.correction.brightness = std::min(tile.correction.brightness * brightness_, pixmpi::most_brightness);
    return error;
}

void Adjusted::reset() {
    editor_ = pixmpi::WallEditor(kept_);
    apply({});
}

void Adjusted::dim(double brightness) {
    brightness_ = brightness;
    apply({});
}

std::string Adjusted::nudge(const Nudge &nudge) {
    return apply(nudge.rank < 0 ? editor_.widen_bezels(nudge.x, nudge.y) : editor_.nudge(nudge.rank, nudge.x, nudge.y));
}

std::string Adjusted::recolour(const Recolouring &wish) {
    const auto rank = static_cast<std::size_t>(wish.rank);
    pixmpi::Correction to =
        rank < editor_.wall().tiles.size() ? editor_.wall().tiles[rank].correction : pixmpi::Correction{};
    to.brightness = wish.brightness.value_or(to.brightness);
    to.gamma = wish.gamma.value_or(to.gamma);
    if (wish.colour)
        to.red = (*wish.colour)[0], to.green = (*wish.colour)[1], to.blue = (*wish.colour)[2];
    return apply(editor_.correct(wish.rank, to));
}

std::string Adjusted::save(Captures &captures, std::string &file) {
    if (!file_.empty() && read_file(file_) != kept_)
        return "'" + file_ + "' has changed since the program started";
    std::string error;
    if (!file_.empty()) {
        file = file_;
        error = replace_file(file_, editor_.text());
    } else if (OwnFile made = captures.create(".toml", file, error); made && !made.append(editor_.text())) {
        error = "cannot write '" + captures.path(file) + "': " + std::strerror(errno);
    }
    if (error.empty())
        kept_ = editor_.text();
    return error;
}

nlohmann::json Adjusted::to_json() const {
    const auto [across, down] = editor_.bezels();
    nlohmann::json tiles = nlohmann::json::array();
    for (const pixmpi::Tile &tile : editor_.wall().tiles) {
        const auto [x, y] = editor_.nudge_of(tile.rank);
        const pixmpi::Correction &own = tile.correction;
        tiles.push_back({{"rank", tile.rank},
                         {"name", tile.name},
                         {"rect", {tile.rect.x, tile.rect.y, tile.rect.width, tile.rect.height}},
                         {"nudge", {x, y}},
                         {"brightness", own.brightness},
                         {"gamma", own.gamma},
                         {"colour", {own.red, own.green, own.blue}}});
    }
    return {{"file", file_.empty() ? nlohmann::json(nullptr) : nlohmann::json(file_)},
            {"unit", editor_.in_mm() ? "mm" : "px"},
            {"width", wall().width},
            {"height", wall().height},
            {"bezels", {across, down}},
            {"changed", changed()},
            {"tiles", std::move(tiles)}};
}

} // namespace mpiglut::walld
