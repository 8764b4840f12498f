// How pixels lie in client memory, and how an image is put together there from the tiles' pieces. No GL calls.
#pragma once

#include "wall/wall.h"

#include <GL/gl.h>

#include <cstddef>
#include <span>

namespace mpiglut::gl {

/// The glPixelStore state that says where glReadPixels writes (image height and skipped images do not matter to it).
struct PackState {
    bool swap_bytes = false, lsb_first = false;
    int alignment = 4, row_length = 0, skip_rows = 0, skip_pixels = 0;
    int inverted = 0; ///< GL_PACK_INVERT_MESA: how many rows the image has; the last comes first
    bool operator==(const PackState &) const = default;
};

/// One pixel in client memory: 1 for GL_BITMAP, 0 for what GL does not know.
int pixel_bits(GLenum format, GLenum type);

class PixelLayout {
  public:
    PixelLayout(int bits, int width, const PackState &pack);
    /// Bytes from one row to the next.
    std::size_t stride() const { return stride_; }
    /// Bytes from the pointer given to glReadPixels to one past the last pixel of an image of this height.
    std::size_t extent(int height) const;
    /// Bytes of one row of a piece of this width: packed with alignment 1 and nothing else.
    std::size_t piece_row(int width) const { return (static_cast<std::size_t>(bits_) * width + 7) / 8; }

    void clear(std::byte *memory, const pixmpi::Rect &pixels) const;
    /// A piece's pixels from (piece_x, piece_y) on to the rectangle `pixels` of the image.
    void place(std::byte *memory, const pixmpi::Rect &pixels, const std::byte *piece, int piece_width, int piece_x,
               int piece_y) const;

  private:
    std::size_t first_bit(int x, int y) const;
    void copy_bits(std::byte *to, std::size_t to_bit, const std::byte *from, std::size_t from_bit, int count) const;

    std::size_t bits_, width_, stride_;
    PackState pack_;
};

struct Piece {
    pixmpi::Rect rect; ///< in the whole window, y up; empty when the rank has nothing
    std::span<const std::byte> pixels;
};

/// The rectangle `asked` from the pieces; where they overlap the first wins. What lies within `window` but in no piece
/// becomes 0, what lies outside the window stays as it is.
void compose(const PixelLayout &layout, std::byte *memory, const pixmpi::Rect &asked, const pixmpi::Rect &window,
             std::span<const Piece> pieces);

} // namespace mpiglut::gl
