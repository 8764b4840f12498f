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

/// Depths as they lie in memory, and numbers in the order of depths: also for kernels of GPUs, as choose_loop.h.
namespace depths {

struct Unorm16 {
    using Stored = std::uint16_t;
    static constexpr std::int32_t key(Stored s) { return s; }
};
struct Unorm24 {
    using Stored = std::uint32_t;
    static constexpr std::int32_t key(Stored s) { return static_cast<std::int32_t>(s >> 8); }
};
struct Float {
    using Stored = std::uint32_t;
    static constexpr std::int32_t key(Stored s) {
        const std::uint32_t plain = s & 0x7fffffffu, negative = 0u - (s >> 31), none = 0u - (plain > 0x7f800000u);
        return static_cast<std::int32_t>(((plain ^ negative) & ~none) | (none & 0x7fffffffu));
    }
};
struct FloatStencil { // the float comes first
    using Stored = std::uint64_t;
    static constexpr std::int32_t key(Stored s) { return Float::key(static_cast<std::uint32_t>(s)); }
};

template <class Depth, Order order>
constexpr bool wins(typename Depth::Stored incoming, typename Depth::Stored present) {
    return order == Order::present_first ? Depth::key(incoming) < Depth::key(present)
                                         : Depth::key(incoming) <= Depth::key(present);
}

} // namespace depths

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
