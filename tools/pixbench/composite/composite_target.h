// What one rank draws into in the mode composite, and rank 0's picture: colours, and depth where pixels are merged by
// it.
#pragma once

#include "composite/composite_by_hand.h"
#include "composite/composite_pictures.h"

#include <pixmpi_compositor.h>

struct CompositeCase {
    std::string name; ///< without the strategy
    Merge merge = Merge::nearest;
    Cover cover = Cover::dense;
    int width = 0, height = 0;

    pixMPI_Format format() const { return merge == Merge::over_floats ? PIXMPI_RGBA32F : PIXMPI_RGBA8; }
    /// What is merged, and what of it reaches the picture.
    int pixel_bytes() const { return picture_bytes() + (merge == Merge::nearest ? 4 : 0); }
    int picture_bytes() const { return pixMPI_Format_bytes(format()); }
    CompositePicture drawn_by(int rank, int ranks) const { return {cover, width, height, rank, ranks}; }
};

class CompositeTarget {
  public:
    /// With this rank's picture in it. Collective over the team.
    CompositeTarget(const CompositeCase &what, const std::string &kind, const Team &team);
    ~CompositeTarget() { pixMPI_Region_free(&active_); }
    CompositeTarget(const CompositeTarget &) = delete;
    CompositeTarget &operator=(const CompositeTarget &) = delete;

    Object &color() { return *color_; }
    pixMPI_Surface drawn();
    pixMPI_Region active() const { return active_; }
    /// Of rank 0; no surface elsewhere.
    pixMPI_Surface picture();

    void compose_by_hand(CompositeByHand &by_hand);
    /// On rank 0, until the picture can be used.
    void await_picture();
    /// Rank 0's as bytes; nothing elsewhere.
    std::vector<std::byte> picture_pixels();
    void forget_picture();

  private:
    void draw(const CompositePicture &mine);

    const CompositeCase what_;
    std::unique_ptr<Object> color_, depth_, picture_;
    std::unique_ptr<Naive> from_, depth_from_, to_;
    pixMPI_Surface colors_{}, depths_{}; ///< drawn() points to them
    pixMPI_Region active_ = PIXMPI_REGION_NULL;
};

/// Made with the operation that merges so, with the picture on rank 0.
pixMPI_Compositor make_compositor(Merge merge, pixMPI_Strategy strategy, const Team &team);

/// Collective: ends the run unless rank 0 has the same picture twice, except for rounding.
void check_same_picture(const CompositeCase &what, const std::vector<std::byte> &ours,
                        const std::vector<std::byte> &theirs, const std::string &strategy, const Team &team);
