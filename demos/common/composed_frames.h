// Frames of which each rank draws a part: one is composed while the next one is drawn.
#pragma once

#include "team.h"

#include <functional>
#include <optional>
#include <pixmpi_compositor.h>

namespace demo {

/// What a rank draws to: colours, and depths where there are some.
class Target {
  public:
    Target(int width, int height, GLenum color_format, bool with_depth);
    ~Target();
    Target(const Target &) = delete;
    Target &operator=(const Target &) = delete;

    const Texture &color() const { return color_; }
    pixMPI_Surface surface() const;
    /// Background everywhere: no colour, the farthest depth. Drawing goes here from now on.
    void clear() const;

  private:
    Texture color_;
    GLuint depth_ = 0;
};

class ComposedFrames {
  public:
    /// Draws this rank's part of a frame, and returns the pixels that it may have drawn. It calls poll() now and then.
    using Draw = std::function<pixMPI_Rect(int frame, const Target &target)>;
    /// A frame's picture, on rank 0.
    using Done = std::function<void(int frame, const Texture &picture)>;

    /// Collective, as is run().
    ComposedFrames(World &world, pixMPI_Op op, GLenum color_format, bool with_depth);
    ~ComposedFrames();
    ComposedFrames(const ComposedFrames &) = delete;
    ComposedFrames &operator=(const ComposedFrames &) = delete;

    void run(const Draw &draw, const Done &done);
    /// Moves the frame before along.
    void poll();
    pixMPI_Compositor compositor() const { return compositor_; }
    const Times &times() const { return times_; }

  private:
    struct Set {
        Set(const World &world, GLenum color_format, bool with_depth);
        Target drawn;
        std::optional<Texture> picture; ///< on rank 0
    };
    void compose(const Set &set, const pixMPI_Rect &active);
    void finish(const Done &done);

    World &world_;
    std::optional<Set> sets_[2]; ///< one is drawn to, one is composed
    pixMPI_Compositor compositor_ = PIXMPI_COMPOSITOR_NULL;
    pixMPI_Request request_ = PIXMPI_REQUEST_NULL;
    int under_way_ = -1; ///< the frame; -1: none
    Times times_;
};

} // namespace demo
