// What the wall's X server shows, as rank 0 sees it by a connection of its own: which pixels have changed, and what of
// the windows with OpenGL other windows leave to be seen. The server draws no OpenGL: tiles do, in these places.
#pragma once

#include "system/x11/region.h"
#include "wall/wall.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace mpiglut::x11 {

/// Pixels of the screen, row by row, 0x00RRGGBB.
struct Piece {
    pixmpi::Rect place;
    std::vector<std::uint32_t> pixels;
};

/// What is seen of a window, on the screen.
struct Seen {
    int id = 0;         ///< the model's
    bool whole = false; ///< `region` does not count
    Region region;
    bool operator==(const Seen &) const = default;
};

class Screen {
  public:
    Screen(int width, int height);
    ~Screen();
    Screen(const Screen &) = delete;
    Screen &operator=(const Screen &) = delete;

    /// Something has changed. `surely`: all that the program has asked for by a reply that it has got counts; else what
    /// this process has heard of.
    bool look(bool surely);
    /// Windows with OpenGL, or what they lie in, may have other places than at the last time. From look().
    bool pop_moved();
    /// All of it counts as changed.
    void forget();
    /// What has changed since the last time.
    std::vector<Piece> pop_pieces();
    /// Of the windows that contexts draw to; true where that has changed.
    bool pop_seen(std::vector<Seen> &seen);

  private:
    struct Server;
    std::unique_ptr<Server> server_;
};

} // namespace mpiglut::x11
