// How the pixels of one band are moved: the copy commands, the scratch memory between them, and where each byte then
// lies. Knows no objects of Vulkan, so that it can be kept for a region.
#pragma once

#include "device/device.h"
#include "plan/stacking.h"
#include "region/region_cache.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace vkmpi {

using pixmpi::Direction;

/// A rectangle of an image, and the index of its first pixel in the memory that it is copied to or from, where its
/// pixels lie without gaps.
struct ImagePiece {
    pixMPI_Rect rect;
    std::uint64_t at;
};

/// Bytes that lie in one piece on both sides.
struct Link {
    std::uint64_t surface; ///< in the scratch memory, or from pixel (0, 0) of a buffer on
    std::uint64_t packed;  ///< in the band
    std::uint64_t bytes;
};

struct BandPlan {
    std::vector<ImagePiece> pieces;   ///< between image and scratch memory; without links: and the band itself
    std::vector<Link> links;          ///< between scratch memory, or a buffer, and the band
    std::uint64_t scratch_pixels = 0; ///< whole groups of four
    bool keeps = false;               ///< unpack: scratch memory has to have the pieces' old pixels first
    Stacking stacking;                ///< of software drivers: between a buffer and the band
    std::size_t cost() const { return pieces.size() + links.size() + stacking.cost() + 1; }
};

struct PlanInput {
    Direction direction = Direction::pack;
    int pixel_bytes = 0;
    // Images:
    bool direct = false;               ///< pieces may go to the band itself
    unsigned pad = 1;                  ///< pieces begin at multiples of so many pixels
    bool shaders = false;              ///< links are cheap, pieces are not
    pixmpi::Extent extent;             ///< of the image
    unsigned grain_x = 1, grain_y = 1; ///< pieces have to be multiples of that; 0: the whole image
    // Buffers:
    std::int64_t row_bytes = 0;
    StackingInput stacking{};

    bool operator==(const PlanInput &other) const = default;
};

BandPlan plan_image(const pixmpi::Region &region, std::uint64_t first, std::uint64_t count, const PlanInput &input);
BandPlan plan_buffer(const pixmpi::Region &region, std::uint64_t first, std::uint64_t count, const PlanInput &input);
/// As plan_buffer(), by a scratch image where that is better.
BandPlan plan_stacked(const pixmpi::Region &region, std::uint64_t first, std::uint64_t count, const PlanInput &input);
/// Links all rows of a rectangle, in memory with rows of `row_bytes` that begins at pixel (x, y).
void link_rows(BandPlan &plan, const pixmpi::Piece &piece, std::uint64_t size, std::uint64_t row_bytes, int x, int y);

/// Plans, kept for the regions that were used last.
class PlanCache {
  public:
    using Make = BandPlan (*)(const pixmpi::Region &, std::uint64_t, std::uint64_t, const PlanInput &);
    /// Valid until the next call.
    const BandPlan &get(const std::shared_ptr<const pixmpi::Region> &region, std::uint64_t first, std::uint64_t count,
                        const PlanInput &input, Make make);

  private:
    struct Key {
        PlanInput input;
        Make make;
        bool operator==(const Key &) const = default;
    };
    pixmpi::RegionCache<Key, BandPlan> plans_{1 << 20}; ///< by BandPlan::cost()
    BandPlan single_;
};

} // namespace vkmpi
