// Colours by depth on the host (NEAREST in operation.h).
#pragma once

#include "base/format.h"
#include "combine/operation.h"

#include <cstddef>
#include <cstdint>

namespace pixmpi {

/// Both planes of pixels with depth.
template <class Byte> struct Planes { Byte *colors, *depths; };

/// Where the planes of a band begin. They follow each other; first comes the plane that needs the stricter alignment.
struct PlanesInBand {
    std::size_t colors = 0, depths = 0;
    PlanesInBand(pixMPI_Format color, pixMPI_Format depth, std::uint64_t pixels) {
        constexpr int evenest = 8; // OpenGL reads floats with stencils to multiples of that
        const int depth_bytes = format_info(depth).bytes, color_bytes = format_info(color).bytes;
        if (depth_bytes == evenest)
            colors = static_cast<std::size_t>(pixels) * static_cast<std::size_t>(depth_bytes);
        else
            depths = static_cast<std::size_t>(pixels) * static_cast<std::size_t>(color_bytes);
    }
};

class Nearest {
  public:
    using Loop = void (*)(Planes<std::byte> present, Planes<const std::byte> incoming, std::size_t pixels,
                          std::size_t words);
    /// `order`: which operand stands first. `color`: a format with pixels of whole words; `depth`: one with depth.
    Nearest(Order order, pixMPI_Format color, pixMPI_Format depth);
    /// In place, in `present`; at any addresses that do not overlap.
    void operator()(Planes<std::byte> present, Planes<const std::byte> incoming, std::size_t pixels) const {
        loop_(present, incoming, pixels, words_);
    }

  private:
    Loop loop_;
    std::size_t words_; ///< of a colour
};

} // namespace pixmpi
