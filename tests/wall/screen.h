// What an X display shows, and what of it stands for a wall.
#pragma once

#include "run/capture.h"
#include "wall/wall.h"

#include <string>

struct _XDisplay;

namespace wall_test {

/// The wall as a viewer of its monitors sees it, when all tiles' windows are on this one display; gaps black. Empty
/// without a display.
mpiglut::Picture wall_on_screen(const std::string &display, const pixmpi::Wall &wall);

/// Somebody moves a window of this size, and makes it smaller; false without one.
bool pull_at_window(const std::string &display, int width, int height);

/// A window over everything else, as long as this lives.
class Cover {
  public:
    explicit Cover(const std::string &display);
    ~Cover();
    Cover(const Cover &) = delete;
    Cover &operator=(const Cover &) = delete;

  private:
    _XDisplay *display_;
};

} // namespace wall_test
