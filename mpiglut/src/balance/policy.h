// Rank 0 decides where the cuts of a wall are whose work is shared out, by how long the ranks take to render.
//
// At the tiles' own borders ("home") nothing is shipped, so that is where the wall is unless moving gains something.
// The cuts go where the map of the work says that all ranks take as long. They stay while ranks differ by little. The
// cuts follow work that jumps at once, while times that vary are smoothed: the map tells one from the other. A gain has
// to show: ranks that are as busy as they would be at home, shipping counted in, send the cuts home, for longer each
// time. So a scene that is limited by geometry, whose time does not fall with the area, is left alone, and so is one
// whose pixels take longer to ship than to render.
#pragma once

#include "wall/load.h"
#include "wall/partition.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace mpiglut::balance {

/// Of one frame.
struct Measured {
    std::vector<double> render_ms, ship_ms; ///< by rank; shipping: all that is done to show the picture, but waiting
    double now_ms = 0;                      ///< on any clock
};

class Policy {
  public:
    Policy(pixmpi::Partition partition, const pixmpi::Wall &wall);

    /// A frame was rendered with the cuts that `cuts` named; says where they are in the next one.
    void take(const Measured &frame);
    /// Empty: home.
    const std::vector<int> &cuts() const { return cuts_; }
    /// The wall went home for a reason of its own.
    void sent_home();

  private:
    void consider_leaving(const Measured &frame);
    void consider_moving(const Measured &frame);
    void go_home(double now_ms);
    double busiest(const std::vector<pixmpi::Rect> &rects) const;

    pixmpi::Partition partition_;
    std::vector<pixmpi::Rect> tiles_, rects_;
    pixmpi::Load load_;
    std::vector<int> cuts_;
    std::deque<double> frames_; ///< how busy the busiest rank was in the last ones, since the cuts left
    double left_at_ms_ = 0;     ///< how busy it was when they did
    int since_move_ = 0, since_left_ = 0;
    double not_before_ms_ = 0, pause_ms_ = 0;
};

/// The fewest rows or columns that a rank renders.
inline constexpr int least_pixels = 8;

} // namespace mpiglut::balance
