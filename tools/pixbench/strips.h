// Many rectangles by few calls of OpenGL: strips of rows, as wide as what is wanted of them, of which loops of the
// processor take the pixels that are wanted, or put them there. Without a driver the loops alone, between the packed
// pixels and an image in host memory. For limits: nothing is kept of what a strip holds besides.
#pragma once

#include "naive.h"
#include "shapes.h"

class Strips {
  public:
    Strips(const RegionCase &what, Naive &source, Naive &dest);

    void read();
    void write();
    /// The loops by themselves: an image in host memory, and packed pixels that stay in the cache.
    void pack();
    void unpack();

  private:
    struct Part {
        std::size_t at, column; ///< bytes into the image, into its row
        int row;
        std::size_t packed, bytes; ///< among the packed pixels
    };
    using Parts = std::vector<Part>;
    /// What of a strip is read or written.
    struct Box {
        pixMPI_Rect rect;
        std::size_t left, row_bytes;
        std::size_t place(const Part &part) const {
            return static_cast<std::size_t>(part.row - rect.y) * row_bytes + (part.column - left);
        }
    };
    Box box_of(Parts::const_iterator part, Parts::const_iterator last, int y, int rows) const;
    template <class Visit> void for_each_strip(Visit visit);

    const RegionCase &what_;
    Naive &source_, &dest_;
    Parts by_place_; ///< from the lowest address on
    Parts in_order_; ///< as they are packed, into memory that is used again and again
    std::size_t row_bytes_;
    int strip_rows_;
    std::vector<std::byte> strip_, packed_, image_;
};
