// Rectangles of a buffer by way of a scratch image, for drivers that draw with the CPU: to these a copy of a few bytes
// costs as much as one of a rectangle, and a buffer's rectangles are copied whole only from and to an image.
#pragma once

#include "object/scratch_image.h"

#include <cstdint>
#include <vector>

namespace vkmpi {

/// What is one piece in a buffer and in a scratch image: a rectangle, or several side by side. Sizes in units.
struct Block {
    std::uint64_t surface; ///< as of a link
    std::uint32_t width, rows, y, layer;
};
/// What is one piece in the band and in the scratch image: a rectangle, or several one above the other.
struct Stack {
    std::uint64_t packed; ///< as of a link
    std::uint32_t width, rows, x, y, layer;
};

struct Stacking {
    std::vector<Block> blocks; ///< between a buffer and a scratch image of `size`; none: it is not used
    std::vector<Stack> stacks; ///< between the image and the band
    ScratchImage::Size size;
    std::size_t cost() const { return blocks.size() + stacks.size(); }
};

struct StackingInput {
    unsigned unit = 0;           ///< bytes of the scratch image's pixels; all offsets are multiples; 0: without
    std::uint32_t most_side = 0; ///< of such an image

    bool operator==(const StackingInput &other) const = default;
};

} // namespace vkmpi
