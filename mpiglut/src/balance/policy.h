// Rank 0 decides where the cuts of a shared wall are, by the times that the ranks take to render.
//
// At the tiles' own borders ("home") nothing is shipped, so that is where the wall is unless moving gains something.
// The cuts go where the map of the work says that all ranks take as long. They stay while ranks differ by little, and
// leave home for a gain that several frames in a row promise. The cuts follow work that jumps at once, while times that
// vary are smoothed: the map tells these apart. A gain has to show. If ranks have as much to do as at home,
// shipping included, or if frames are not faster, the cuts return to the tile borders, for longer each time. So the
// policy leaves three kinds of scenes alone: those limited by geometry (the time does not fall with the area), those
// with pixels that take longer to ship than to render, and those that wait for something else.
#pragma once

#include "wall/load.h"
#include "wall/partition.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace mpiglut::balance {

/// Of one frame.
struct Measured {
    std::vector<double> render_ms; ///< by rank: time of rendering
    std::vector<double> busy_ms;   ///< by rank: that, and all other work for the frame, without waiting
    double now_ms = 0;             ///< when the frame was over, on any clock
};

class Policy {
  public:
    Policy(pixmpi::Partition partition, const pixmpi::Wall &wall);

    /// A frame was rendered with the cuts that `cuts` named; says where they are in the next one.
    void observe(const Measured &frame);
    /// Empty: home.
    const std::vector<int> &cuts() const { return cuts_; }
    /// The wall went home for its own reason.
    void sent_home();

  private:
    void consider_leaving(const Measured &frame);
    void consider_moving(const Measured &frame);
    void go_home(double now_ms);
    double busiest(const std::vector<pixmpi::Rect> &rects) const;
    void move_to(std::vector<int> cuts, std::vector<pixmpi::Rect> rects);

    pixmpi::Partition partition_;
    std::vector<pixmpi::Rect> tiles_, rects_;
    pixmpi::Load load_;
    std::vector<int> cuts_;

    /// Of the last frames, since the cuts left or came home.
    struct Recent {
        std::deque<double> busy_ms;    ///< of the busiest rank
        std::deque<double> between_ms; ///< from the end of one frame to the end of the next one
        void add(double busy, double between);
        void clear();
    };
    Recent recent_;
    double last_ms_ = 0;
    double home_busy_ms_ = 0, home_between_ms_ = 0; ///< medians when the cuts left
    double home_other_ms_ = 0;                      ///< of that: what was not rendering
    int promising_ = 0;                             ///< frames in a row
    int since_move_ = 0, since_left_ = 0;
    double not_before_ms_ = 0, pause_ms_ = 0;
};

/// The fewest rows or columns that a rank renders.
inline constexpr int least_pixels = 8;

} // namespace mpiglut::balance
