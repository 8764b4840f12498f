// Who draws what lies behind a bezel: every tile's share of the wall's box.
//
// Shares begin as the tiles' own rectangles, are cut where these overlap, and grow into the gaps in two rounds; a tile
// that overlaps another gives way to the rest of it, all others to the whole. In the first each tile takes half of the
// way to its nearest neighbour on each side, or all of it to the wall's edge: so a bezel is halved. In the second each
// takes what the others have left. Both rounds go across first and then down, with the rectangles that going across has
// made, which is how the crossings of bezels are dealt out.
#include "wall.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace pixmpi {

namespace {

using Rects = std::vector<Rect>;

/// By rank. Everything below goes across; `transpose` exchanges across and down.
struct Dealt {
    Rects tiles, shares;
    int width, height; ///< of the wall

    void transpose() {
        std::swap(width, height);
        for (Rects *rects : {&tiles, &shares})
            for (Rect &r : *rects) {
                std::swap(r.x, r.y);
                std::swap(r.width, r.height);
            }
    }
};

bool contains(const Rect &outer, const Rect &inner) { return intersect(outer, inner) == inner; }

/// Moves the border between two rectangles that overlap to the middle of the overlap, across its shorter side. One that
/// contains the other (two projectors on the same spot) keeps it.
void separate(Rect &a, Rect &b) {
    const Rect both = intersect(a, b);
    if (both.empty() || contains(a, b) || contains(b, a))
        return;
    if (both.width <= both.height) {
        Rect &left = a.x < b.x ? a : b, &right = a.x < b.x ? b : a;
        const int border = both.x + both.width / 2, end = right.right();
        left.width = border - left.x;
        right = {border, right.y, end - border, right.height};
    } else {
        Rect &upper = a.y < b.y ? a : b, &lower = a.y < b.y ? b : a;
        const int border = both.y + both.height / 2, end = lower.bottom();
        upper.height = border - upper.y;
        lower = {lower.x, border, lower.width, end - border};
    }
}

/// Pixels between a share's left and right edge and what is there.
struct Room {
    int left, right;
    bool edge_left = true, edge_right = true; ///< it is the wall's edge

    void end_at(const Rect &other, const Rect &share) {
        if (other.y >= share.bottom() || other.bottom() <= share.y)
            return;
        if (other.x < share.x && share.x - other.right() < left) {
            left = std::max(0, share.x - other.right());
            edge_left = false;
        }
        if (other.right() > share.right() && other.x - share.right() < right) {
            right = std::max(0, other.x - share.right());
            edge_right = false;
        }
    }
};

Room room(const Dealt &dealt, std::size_t i) {
    const Rect &share = dealt.shares[i];
    Room found{share.x, dealt.width - share.right()};
    for (std::size_t j = 0; j < dealt.shares.size(); ++j) {
        if (i == j)
            continue;
        found.end_at(dealt.shares[j], share);
        if (intersect(dealt.tiles[i], dealt.tiles[j]).empty())
            found.end_at(dealt.tiles[j], share);
    }
    return found;
}

void widen(Rect &r, int left, int right) { r = {r.x - left, r.y, r.width + left + right, r.height}; }

/// All at once, so that no tile gets less for coming later.
void add_half(Dealt &dealt) {
    Rects wider = dealt.shares;
    for (std::size_t i = 0; i < wider.size(); ++i) {
        const Room free = room(dealt, i);
        widen(wider[i], free.edge_left ? free.left : (free.left + 1) / 2,
              free.edge_right ? free.right : free.right / 2);
    }
    dealt.shares = std::move(wider);
}

void add_rest(Dealt &dealt) {
    for (std::size_t i = 0; i < dealt.shares.size(); ++i) {
        const Room free = room(dealt, i);
        widen(dealt.shares[i], free.left, free.right);
    }
}

} // namespace

void share_out(Wall &wall) {
    Dealt dealt{{}, {}, wall.width, wall.height};
    for (const Tile &tile : wall.tiles)
        dealt.tiles.push_back(tile.rect);
    Rects &shares = dealt.shares = dealt.tiles;
    for (std::size_t i = 0; i < shares.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            separate(shares[j], shares[i]);
    for (const auto add : {add_half, add_rest}) {
        add(dealt);
        dealt.transpose();
        add(dealt);
        dealt.transpose();
    }
    for (std::size_t i = 0; i < shares.size(); ++i)
        wall.tiles[i].share = shares[i];
}

} // namespace pixmpi
