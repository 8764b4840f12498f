// The wall cut into one rectangle for each rank, by straight cuts that can be moved: what each rank renders on a wall
// that shares out its work. No rank's rectangle overlaps with another's.
//
// The cuts form a tree. Each cut parts a rectangle in two, and the ranks in two groups; the groups' own cuts lie within
// their halves. So wherever the cuts are moved, each rank has one rectangle, and a group can take work of any other.
#pragma once

#include "wall/wall.h"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace pixmpi {

/// Its own tile for each of `count` more ranks, which show nothing. Also of a wall without a size.
void add_helpers(Wall &wall, int count);
/// The tile of a rank that shows nothing.
bool is_helper(const Tile &tile);

class Partition {
  public:
    /// Of a wall that has its size. Nothing when no straight line parts some of its tiles, which overlap or interlock,
    /// or when there is one rank. Ranks that are `dead` get nothing.
    static std::optional<Partition> of(const Wall &wall, std::span<const int> dead = {});

    /// How many cuts there are.
    std::size_t cuts() const { return nodes_.size(); }
    /// Where the cuts part the tiles; between a tile and its helpers at the tile's end, so that helpers have nothing.
    std::vector<int> home() const;
    /// The ranks' rectangles, by rank, with the cuts at these places: x or y in the wall, in the order of `home`. A cut
    /// outside of its rectangle goes to its end; each rank has at least `least` rows or columns, if there are so many.
    std::vector<Rect> rects(std::span<const int> at, int least = 1) const;

    /// The work in a rectangle, in any unit.
    using Work = std::function<double(const Rect &)>;
    /// Cuts that give each rank the same work, as far as pixels go. Away from home they lie between even pixels: GPUs
    /// take derivatives in blocks of 2x2 pixels, and so a texture's level stays the same while cuts move.
    std::vector<int> even(const Work &work, int least = 1) const;

  private:
    struct Node {
        bool upright = true; ///< the cut is a line x = const
        int home = 0;
        std::array<int, 2> child{}; ///< left or upper, right or lower: another node, or ~rank
        std::array<int, 2> ranks{}; ///< on either side
    };
    using Place = std::function<int(int node, const Rect &within)>;

    std::optional<int> split(const std::vector<Tile> &tiles);
    int split_with_helpers(const Tile &tile);
    int add(const Node &node);
    int ranks_of(int child) const;
    void lay_out(int child, const Rect &within, int least, const Place &place, std::vector<int> &at,
                 std::vector<Rect> &rects) const;

    Rect whole_;
    std::size_t ranks_ = 0;
    std::vector<std::vector<int>> helpers_; ///< of each rank
    std::vector<Node> nodes_;               ///< the first one is the root
};

} // namespace pixmpi
