#include "region/strips.h"

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
    Cutter(const Region &region, int pixel_bytes) : region_(region) {
        made_.likeness = likeness_of(region, pixel_bytes);
        constexpr int least_strips = 8; // so that both ends have something to do
        rows_ = strip_rows(region.bounds, region.rects[region.rects.size() / 2], pixel_bytes, least_strips);
        boxes_.resize(static_cast<std::size_t>((region.bounds.height - 1) / rows_ + 1));
    }

    Strips make() {
        for (const pixMPI_Rect &rect : region_.rects)
            cut(rect, region_.bounds.y, rows_,
                [&](std::size_t i, const pixMPI_Rect &part, std::uint64_t) { boxes_[i].add(part); });
        lay_out();
        for (const pixMPI_Rect &rect : region_.rects)
            cut(rect, region_.bounds.y, rows_, [&](std::size_t i, const pixMPI_Rect &part, std::uint64_t) {
                Box &box = boxes_[i];
                made_.parts[box.next++] = {part, box.at};
                box.at += pixels_of(part);
            });
        for (Strip &strip : made_.strips)
            find_holes(strip);
        return std::move(made_);
    }

  private:
    struct Box : PartsBox {
        std::size_t next = 0; ///< of the parts
        std::uint64_t at = 0; ///< of their pixels
    };

    void lay_out() {
        std::size_t parts = 0;
        for (Box &box : boxes_) {
            if (box.parts == 0)
                continue;
            box.next = parts;
            const std::uint64_t all = box.area();
            const bool whole = all <= box.pixels + box.pixels / 8;
            made_.strips.push_back({box.rect, whole, whole ? all : box.pixels, parts, box.parts, {}});
            made_.largest = std::max(made_.largest, made_.strips.back().pixels);
            made_.largest_box = std::max(made_.largest_box, all);
            parts += box.parts;
        }
        made_.parts.resize(parts);
    }

    /// Runs of pixels that no part covers.
    void find_holes(Strip &strip) {
        const auto width = static_cast<std::size_t>(strip.box.width);
        covered_.assign(pixels_of(strip.box), 0);
        for (std::size_t i = strip.first; i < strip.first + strip.count; ++i) {
            const pixMPI_Rect &r = made_.parts[i].rect;
            char *row = covered_.data() + static_cast<std::size_t>(r.y - strip.box.y) * width + (r.x - strip.box.x);
            for (int y = 0; y < r.height; ++y, row += width)
                std::fill_n(row, r.width, 1);
        }
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

    const Region &region_;
    Strips made_;
    int rows_;
    std::vector<Box> boxes_;
    std::vector<char> covered_;
};

} // namespace

Strips cut_into_strips(const Region &region, int pixel_bytes) { return Cutter(region, pixel_bytes).make(); }

std::shared_ptr<const Strips> strips_of(const Region &region, int pixel_bytes) {
    if (!region.strips || region.strips_pixel_bytes != pixel_bytes) {
        region.strips = std::make_shared<const Strips>(cut_into_strips(region, pixel_bytes));
        region.strips_pixel_bytes = pixel_bytes;
    }
    return region.strips;
}

} // namespace pixmpi
