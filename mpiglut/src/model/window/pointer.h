// The pointer lies over the wall, not over its tiles: it comes and goes once, and it may be warped to where no tile is.
#pragma once

#include "sync/tick.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mpiglut {

struct Window;

/// Rank 0: what a program learns of a pointer that comes to the tiles of a window and leaves them. One tile's LEFT and
/// the next one's ENTERED come in any order, so that a LEFT waits for the ENTERED that may belong to it.
class Crossings {
  public:
    /// Adds to `input` what of this event is to be told now; events of other kinds always are.
    void handle(const Event &event, std::vector<Event> &input);
    /// Adds what has waited for long enough. That is a matter of ticks: none may be left out while something waits.
    void release(std::vector<Event> &input);
    bool waiting() const;
    /// Of these ranks nothing more is heard.
    void forget(const std::vector<std::int32_t> &ranks);

  private:
    struct Left {
        Event event;
        std::uint64_t tick; ///< after which it came
    };
    struct Over {
        bool entered = false;             ///< the program was notified that the pointer is in the window
        std::map<std::string, int> on; ///< by display: the rank of the tile that the pointer is on
        std::optional<Left> left;
    };
    void report_left(Over &over, std::vector<Event> &input);
    std::map<int, Over> windows_;
};

/// Where the pointer would be if it had followed the program's warps, from where it is; whole-window coordinates.
void follow_warps(int &x, int &y);
/// The program warps the pointer to a point of the whole window. True if this rank's pointer is to be moved for that;
/// sets the point of the real window.
bool warp_here(const Window &window, int &x, int &y);
/// Whether the pointer's leaving of a part is for rank 0 to know.
bool leaves(const Window &window);

} // namespace mpiglut
