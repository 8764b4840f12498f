// What a multisampled window shows: some drivers' glReadPixels hands out single samples instead.
#pragma once

#include "gl/coordinates/mirror.h"
#include "gl/pixel/target.h"

#include <optional>
#include <vector>

namespace mpiglut::gl {

/// While it lives no scissor box cuts, whichever viewports have one: blits go by it.
class NoScissor {
  public:
    explicit NoScissor(int viewports);
    ~NoScissor();
    NoScissor(const NoScissor &) = delete;
    NoScissor &operator=(const NoScissor &) = delete;

  private:
    std::vector<bool> on_;
};

/// While it lives, and if the window is multisampled, reads find its part's colours resolved. The window is bound for
/// reading before and after, with its read buffer chosen.
class Resolved {
  public:
    Resolved(const Context *context, int width, int height);
    ~Resolved();
    Resolved(const Resolved &) = delete;
    Resolved &operator=(const Resolved &) = delete;

  private:
    void blit(int width, int height);

    std::optional<Target> target_;
};

} // namespace mpiglut::gl
