// Frames that all ranks draw a part of: one is composed while the next one is drawn.
#pragma once

#include "team.h"

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
    /// Lives as long as this.
    pixMPI_Surface surface() const { return depth_ ? pixMPI_With_depth(&colors_, &depths_) : colors_; }
    /// Background everywhere: no colour, the farthest depth. Drawing goes here from now on.
    void clear() const;

  private:
    Texture color_;
    GLuint depth_ = 0;
    pixMPI_Surface colors_, depths_;
};

/// What a demo draws.
class Scene {
  public:
    virtual ~Scene() = default;
    /// This rank's part of a frame; returns the pixels that it may have drawn. Calls ComposedFrames::poll now and then.
    virtual pixMPI_Rect draw_part(int frame, const Target &target) = 0;
    /// Everything, on ranks that show something, for --alone and --compare.
    virtual void draw_whole(int frame, const Target &target) = 0;
    /// Makes what is shown of a composed picture, or of the part of it with the lower left corner at (x, y).
    virtual void finish(int frame, const Texture &picture, int x, int y, const Texture &shown) = 0;
};

class ComposedFrames {
  public:
    struct How {
        pixMPI_Op op;
        GLenum color_format; ///< of what is composed
        bool with_depth;
        Tolerance tolerance = {};
    };
    /// Collective, as is run().
    ComposedFrames(GlWorld &world, const TeamOptions &options, const View &view, const How &how);
    ~ComposedFrames();
    ComposedFrames(const ComposedFrames &) = delete;
    ComposedFrames &operator=(const ComposedFrames &) = delete;

    /// All frames, and what is to be said about them.
    void run(Scene &scene);
    /// Moves the frame before along.
    void poll();
    pixMPI_Compositor compositor() const { return compositor_; }

  private:
    struct Set {
        Set(const World &world, const View &view, const How &how);
        Target drawn;
        std::optional<Texture> picture; ///< where something is shown
    };
    void compose(const Set &set, const pixMPI_Rect &active);
    void complete(Scene &scene);

    GlWorld &world_;
    const TeamOptions &options_;
    const View &view_;
    std::optional<Set> sets_[2]; ///< one is drawn to, one is composed
    std::optional<Target> whole_;
    std::optional<Texture> shown_;
    pixMPI_Compositor compositor_ = PIXMPI_COMPOSITOR_NULL;
    pixMPI_Request request_ = PIXMPI_REQUEST_NULL;
    int under_way_ = -1; ///< the frame; -1: none
    Times times_;
    Comparison comparison_;
};

} // namespace demo
