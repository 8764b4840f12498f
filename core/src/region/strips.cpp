#include "region/strips.h"

#include "region/row_boxes.h"

#include <algorithm>

namespace pixmpi {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t value) { // one round of a 64-bit finaliser
    h = (h ^ value) * 0xff51afd7ed558ccd;
    h = (h ^ (h >> 32)) * 0xc4ceb9fe1a85ec53;
    return h ^ (h >> 29);
}

std::uint64_t likeness_of(const Region &region, int pixel_bytes) {
    std::uint64_t h = mix(static_cast<std::uint64_t>(pixel_bytes), region.rects.size());
    for (const pixMPI_Rect &r : region.rects) {
        const auto x = static_cast<std::uint32_t>(r.x - region.bounds.x);
        const auto y = static_cast<std::uint32_t>(r.y - region.bounds.y);
        h = mix(h, std::uint64_t{x} << 32 | y);
        h = mix(h, static_cast<std::uint64_t>(r.width) << 32 | static_cast<std::uint32_t>(r.height));
    }
    return h ? h : 1;
}

class Cutter {
  public:
    Strips make(const Region &region, int pixel_bytes) {
        constexpr int least_strips = 8; // so that both ends have something to do
        std::vector<Piece> pieces;
        for_each_piece(region, 0, region.pixels, [&](const Piece &piece) { pieces.push_back(piece); });
        const RowBoxes boxes(pieces, region.bounds, pixel_bytes, least_strips);
        made_.likeness = likeness_of(region, pixel_bytes);
        made_.parts = boxes.parts();
        for (const RowBox &box : boxes.boxes())
            if (box.count > 0)
                add(box);
        return std::move(made_);
    }

  private:
    void add(const RowBox &box) {
        const std::uint64_t all = box.area();
        const bool whole = all <= box.pixels + box.pixels / 8;
        made_.strips.push_back({box.rect, whole, whole ? all : box.pixels, box.first, box.count, {}});
        made_.largest = std::max(made_.largest, made_.strips.back().pixels);
        made_.largest_box = std::max(made_.largest_box, all);
        std::uint64_t at = 0;
        for (Piece &part : parts_of(made_.strips.back())) {
            part.at = at;
            at += pixels_of(part.rect);
        }
        find_holes(made_.strips.back());
    }

    std::span<Piece> parts_of(const Strip &strip) { return std::span(made_.parts).subspan(strip.first, strip.count); }

    /// Runs of pixels that no part covers.
    void find_holes(Strip &strip) {
        const auto width = static_cast<std::size_t>(strip.box.width);
        find_covered(strip.box, parts_of(strip), covered_);
        strip.first_hole = made_.holes.size();
        const char *row = covered_.data();
        for (int y = 0; y < strip.box.height; ++y, row += width)
            for (const char *from = std::find(row, row + width, 0); from != row + width;) {
                const char *const to = std::find(from, row + width, 1);
                const pixMPI_Rect hole{strip.box.x + static_cast<int>(from - row), strip.box.y + y,
                                       static_cast<int>(to - from), 1};
                strip.around_holes = around(strip.around_holes, hole);
                if (strip.whole)
                    made_.holes.push_back(hole);
                from = std::find(to, row + width, 0);
            }
        strip.hole_count = made_.holes.size() - strip.first_hole;
    }

    Strips made_;
    std::vector<char> covered_;
};

} // namespace

Strips cut_into_strips(const Region &region, int pixel_bytes) { return Cutter().make(region, pixel_bytes); }

std::shared_ptr<const Strips> strips_of(const Region &region, int pixel_bytes) {
    if (!region.strips || region.strips_pixel_bytes != pixel_bytes) {
        region.strips = std::make_shared<const Strips>(cut_into_strips(region, pixel_bytes));
        region.strips_pixel_bytes = pixel_bytes;
    }
    return region.strips;
}

} // namespace pixmpi
