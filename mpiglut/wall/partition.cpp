#include "wall/partition.h"

#include <algorithm>
#include <utility>

namespace pixmpi {

namespace {

int begin(const Rect &rect, bool upright) { return upright ? rect.x : rect.y; }
int end(const Rect &rect, bool upright) { return upright ? rect.right() : rect.bottom(); }

Rect box(const std::vector<Tile> &tiles) {
    Rect all;
    for (const Tile &tile : tiles)
        all = unite(all, tile.rect);
    return all;
}

/// The two parts of a rectangle; a cut that lies outside leaves one of them empty.
std::array<Rect, 2> halves(const Rect &rect, bool upright, int at) {
    at = std::clamp(at, begin(rect, upright), end(rect, upright));
    Rect first = rect, second = rect;
    (upright ? first.width : first.height) = at - begin(rect, upright);
    (upright ? second.x : second.y) = at;
    (upright ? second.width : second.height) = end(rect, upright) - at;
    return {first, second};
}

/// Where a line can part the tiles, and how evenly it does: the middle of each gap that no tile reaches into.
struct Line {
    bool upright = true;
    int at = 0;
    std::size_t before = 0; ///< how many tiles lie before it
};

std::vector<Line> lines_between(std::vector<Tile> tiles, bool upright) {
    std::sort(tiles.begin(), tiles.end(),
              [&](const Tile &a, const Tile &b) { return begin(a.rect, upright) < begin(b.rect, upright); });
    std::vector<Line> lines;
    int reached = end(tiles.front().rect, upright);
    for (std::size_t i = 1; i < tiles.size(); ++i) {
        const int next = begin(tiles[i].rect, upright);
        if (next >= reached)
            lines.push_back({upright, (reached + next) / 2, i});
        reached = std::max(reached, end(tiles[i].rect, upright));
    }
    return lines;
}

} // namespace

void add_helpers(Wall &wall, int count) {
    for (int i = 1; i <= count; ++i) {
        Tile &tile = wall.tiles.emplace_back();
        tile.rank = static_cast<int>(wall.tiles.size()) - 1;
        tile.name = "helper " + std::to_string(i);
    }
}

bool is_helper(const Tile &tile) { return tile.name.starts_with("helper ") && tile.rect.empty(); }

std::optional<Partition> Partition::of(const Wall &wall, std::span<const int> dead) {
    Partition made;
    std::vector<Tile> tiles;
    std::vector<int> helpers;
    for (const Tile &tile : wall.tiles)
        if (std::find(dead.begin(), dead.end(), tile.rank) == dead.end())
            tile.rect.empty() ? helpers.push_back(tile.rank) : tiles.push_back(tile);
    if (tiles.empty() || tiles.size() + helpers.size() < 2)
        return std::nullopt;
    made.whole_ = {0, 0, wall.width, wall.height};
    made.ranks_ = wall.tiles.size();
    made.helpers_.resize(wall.tiles.size());
    for (std::size_t i = 0; i < helpers.size(); ++i)
        made.helpers_[tiles[i % tiles.size()].rank].push_back(helpers[i]);
    if (!made.split(tiles))
        return std::nullopt;
    return made;
}

int Partition::add(const Node &node) {
    nodes_.push_back(node);
    return static_cast<int>(nodes_.size()) - 1;
}

int Partition::ranks_of(int child) const { return child < 0 ? 1 : nodes_[child].ranks[0] + nodes_[child].ranks[1]; }

// The line that parts the tiles most evenly; of several the one across the longer side.
std::optional<int> Partition::split(const std::vector<Tile> &tiles) {
    if (tiles.size() == 1)
        return split_with_helpers(tiles.front());
    const Rect all = box(tiles);
    const bool wide = all.width >= all.height;
    std::vector<Line> lines = lines_between(tiles, wide), others = lines_between(tiles, !wide);
    lines.insert(lines.end(), others.begin(), others.end());
    if (lines.empty())
        return std::nullopt;
    const auto unevenness = [&](const Line &line) {
        return line.before > tiles.size() - line.before ? 2 * line.before - tiles.size()
                                                        : tiles.size() - 2 * line.before;
    };
    const Line line = *std::min_element(lines.begin(), lines.end(),
                                        [&](const Line &a, const Line &b) { return unevenness(a) < unevenness(b); });
    std::array<std::vector<Tile>, 2> sides;
    for (const Tile &tile : tiles)
        sides[begin(tile.rect, line.upright) >= line.at].push_back(tile);
    const int node = add({line.upright, line.at, {}, {}});
    for (int side = 0; side < 2; ++side) {
        const auto child = split(sides[side]);
        if (!child)
            return std::nullopt;
        nodes_[node].child[side] = *child;
        nodes_[node].ranks[side] = ranks_of(*child);
    }
    return node;
}

// Strips, one for each helper, next to the owner's.
int Partition::split_with_helpers(const Tile &tile) {
    const bool upright = tile.rect.width >= tile.rect.height;
    int last = -1;
    const std::vector<int> &helpers = helpers_[tile.rank];
    for (std::size_t i = 0; i < helpers.size(); ++i) {
        const int more = static_cast<int>(helpers.size() - 1 - i);
        const int node = add({upright, end(tile.rect, upright), {~tile.rank, ~helpers[i]}, {1, 1 + more}});
        if (i == 0) {
            last = node;
            continue;
        }
        // The strip so far goes to the helper before, and the rest to this one.
        nodes_[last].child[1] = node;
        nodes_[node].child[0] = ~helpers[i - 1];
        last = node;
    }
    return helpers.empty() ? ~tile.rank : last - static_cast<int>(helpers.size()) + 1;
}

std::vector<int> Partition::home() const {
    std::vector<int> at;
    for (const Node &node : nodes_)
        at.push_back(node.home);
    return at;
}

void Partition::lay_out(int child, const Rect &within, int least, const Place &place, std::vector<int> &at,
                        std::vector<Rect> &rects) const {
    if (child < 0) {
        rects[~child] = within;
        return;
    }
    const Node &node = nodes_[child];
    const int from = begin(within, node.upright), to = end(within, node.upright), all = node.ranks[0] + node.ranks[1];
    const int each = std::min(least, (to - from) / all);
    at[child] = std::clamp(place(child, within), from + each * node.ranks[0], to - each * node.ranks[1]);
    const auto parts = halves(within, node.upright, at[child]);
    for (int side = 0; side < 2; ++side)
        lay_out(node.child[side], parts[side], least, place, at, rects);
}

std::vector<Rect> Partition::rects(std::span<const int> at, int least) const {
    std::vector<Rect> made(ranks_);
    std::vector<int> used(cuts());
    lay_out(
        0, whole_, least, [&](int node, const Rect &) { return at[node]; }, used, made);
    return made;
}

std::vector<int> Partition::even(const Work &work, int least) const {
    std::vector<Rect> made(ranks_);
    std::vector<int> at(cuts());
    const auto place = [&](int number, const Rect &within) {
        const Node &node = nodes_[number];
        const double goal = work(within) * node.ranks[0] / (node.ranks[0] + node.ranks[1]);
        int low = begin(within, node.upright), high = end(within, node.upright);
        while (low < high) {
            const int middle = low + (high - low) / 2;
            work(halves(within, node.upright, middle)[0]) < goal ? low = middle + 1 : high = middle;
        }
        return low == node.home ? low : low & ~1;
    };
    lay_out(0, whole_, least, place, at, made);
    return at;
}

} // namespace pixmpi
