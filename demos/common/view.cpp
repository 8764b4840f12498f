#include "view.h"

#include "wall/wall.h"

#include <filesystem>
#include <pixmpi.h>

namespace demo {

View::View(const Start &start, const std::string &wall) : start_(start), options_(start.options) {
    if (wall.empty()) {
        mine_ = start.rank == 0 ? pixMPI_Rect{0, 0, options_.width, options_.height} : pixMPI_Rect{};
        return;
    }
    const pixmpi::WallResult read = pixmpi::read_wall(wall);
    if (!read.wall)
        throw Error("--wall: " + (read.errors.empty() ? wall : read.errors.front()));
    const pixmpi::Wall cut = read.wall->cut(options_.width, options_.height);
    options_.width = cut.width;
    options_.height = cut.height;
    if (cut.tiles.size() > static_cast<std::size_t>(start.ranks))
        throw Error("--wall " + wall + ": " + std::to_string(cut.tiles.size()) +
                    " tiles, expected as many ranks, here " + std::to_string(start.ranks));
    for (const pixmpi::Tile &tile : cut.tiles) {
        if (tile.rotation != 0)
            throw Error("--wall " + wall + ": tile " + tile.name + " is turned, which these demos do not show");
        const pixmpi::Rect &at = tile.rect; // from the top
        tiles_.push_back({tile.rank, {at.x, cut.height - at.bottom(), at.width, at.height}});
        if (tile.rank == start.rank)
            mine_ = tiles_.back().rect;
    }
}

std::string View::file_of_rank(const std::string &name) const {
    if (name.empty())
        return name;
    std::filesystem::path path(name);
    path.replace_extension("." + std::to_string(start_.rank) + path.extension().string());
    return path.string();
}

} // namespace demo
