// Random regions of random surfaces.
#include "suite.h"

using namespace device_suite;

namespace {

using Rects = std::vector<pixMPI_Rect>;

/// What of a rectangle lies within the surface, as pixMPI_Region_clipped does it.
pixMPI_Rect clipped(pixMPI_Rect r, Extent extent) {
    const int left = std::max(r.x, 0), bottom = std::max(r.y, 0);
    return {left, bottom, std::min(r.x + r.width, extent.width) - left,
            std::min(r.y + r.height, extent.height) - bottom};
}

/// May overlap, stick out before they are clipped, or be empty.
Rects anywhere(Extent extent, Random &random) {
    Rects rects;
    for (std::uint64_t i = random.below(40); i > 0; --i) {
        const int x = random.between(-5, extent.width), y = random.between(-5, extent.height);
        const bool small = random.below(2) == 0;
        rects.push_back(clipped(
            {x, y, random.between(0, small ? 4 : extent.width), random.between(0, small ? 4 : extent.height)}, extent));
    }
    return rects;
}

/// Cuts the surface into pieces along random lines, and takes some of them in any order: they do not overlap.
Rects pieces(Extent extent, Random &random) {
    Rects rects{{0, 0, extent.width, extent.height}};
    for (std::uint64_t cuts = random.below(60); cuts > 0; --cuts) {
        const std::size_t i = random.below(rects.size());
        const pixMPI_Rect r = rects[i];
        if (random.below(2) == 0 && r.width > 1) {
            const int left = random.between(1, r.width - 1);
            rects[i].width = left;
            rects.push_back({r.x + left, r.y, r.width - left, r.height});
        } else if (r.height > 1) {
            const int lower = random.between(1, r.height - 1);
            rects[i].height = lower;
            rects.push_back({r.x, r.y + lower, r.width, r.height - lower});
        }
    }
    if (random.below(2) == 0)
        random.shuffle(rects);
    rects.resize(1 + random.below(rects.size()));
    return rects;
}

/// Equal narrow rectangles side by side, at random distances: what a device may take for columns.
Rects nearly_columns(Extent extent, Random &random) {
    Rects rects;
    const int width = random.between(1, 3), height = random.between(1, extent.height);
    const int y = random.between(0, extent.height - height);
    for (int x = random.between(0, 2); x + width <= extent.width; x += width + (random.below(6) == 0 ? 1 : 0))
        rects.push_back({x, random.below(9) == 0 ? extent.height - height : y, width, height});
    return rects;
}

Extent any_extent(const DeviceRig &rig, Random &random) {
    const int large = rig.largest();
    return {random.between(1, random.below(3) == 0 ? large : 40), random.between(1, random.below(3) == 0 ? large : 40)};
}

class RandomRegions : public OnEachRig {
  protected:
    template <class Test> void rounds(int count, Test test) {
        for (const std::uint64_t seed : seeds(count)) {
            SCOPED_TRACE(how_to_repeat(seed));
            Random random(seed);
            test(random);
            if (HasFailure())
                return;
        }
    }
};

} // namespace

TEST_P(RandomRegions, packed) {
    const auto formats = rig->formats(Direction::pack);
    rounds(60, [&](Random &random) {
        const Extent extent = any_extent(*rig, random);
        check_pack(*rig, random.one_of(formats), extent, anywhere(extent, random), random);
    });
}

TEST_P(RandomRegions, unpacked) {
    const auto formats = rig->formats(Direction::unpack);
    rounds(formats.empty() ? 0 : 60, [&](Random &random) {
        const Extent extent = any_extent(*rig, random);
        check_unpack(*rig, random.one_of(formats), extent, pieces(extent, random), random);
    });
}

TEST_P(RandomRegions, columns) {
    const auto formats = all_formats(*rig);
    rounds(40, [&](Random &random) {
        const Extent extent = any_extent(*rig, random);
        check_both(*rig, random.one_of(formats), extent, nearly_columns(extent, random), random);
    });
}

ON_EACH_RIG(RandomRegions);
