// Many rectangles by few calls of the API: strips of rows, as wide as what is wanted of them, of which loops of the
// processor take the pixels that are wanted, or put them there. And the loops alone, between the packed pixels and an
// image in host memory. For limits.
#pragma once

#include "object.h"
#include "shapes.h"

class Strips {
  public:
    Strips(const RegionCase &what, Object &source, Object &dest);

    void read();
    void write();
    /// The loops by themselves: an image in host memory, and packed pixels that stay in the cache.
    void pack();
    void unpack();

  private:
    /// What of a rectangle lies in one strip.
    struct Part {
        pixMPI_Rect rect;
        std::size_t packed; ///< bytes before it
    };
    struct Strip {
        pixMPI_Rect box{};
        std::int64_t pixels = 0; ///< of the parts; fewer than the box has: the others are read before, to be kept
        std::vector<Part> parts;
    };
    std::size_t bytes_of(int pixels) const { return static_cast<std::size_t>(pixels) * pixel_bytes_; }
    template <class Copy> void for_each_row(const Strip &strip, Copy copy);
    template <class Copy> void for_each_row_of_image(Copy copy);

    const RegionCase &what_;
    Object &source_, &dest_;
    const std::size_t pixel_bytes_, row_bytes_;
    std::vector<Strip> strips_;
    HostMemory strip_, packed_, image_;
};
