#include "plan/plans.h"
#include "region/worklist.h"

#include <algorithm>

namespace vkmpi {

using namespace pixmpi;

namespace {

/// Puts rectangles into a scratch image: in a stack, and side by side where they are so in the buffer, as columns are.
class Stacker {
  public:
    Stacker(Stacking &plan, const PlanInput &input)
        : plan_(plan), input_(input), unit_(input.stacking.unit), most_side_(input.stacking.most_side) {}

    bool accepts(const Piece &piece) const {
        constexpr int few = 4; // so many copies of a row cost as much as two of a rectangle
        return unit_ && piece.rect.height >= few && width_of(piece) <= most_side_;
    }

    void add(const Piece &piece) {
        const auto size = static_cast<std::uint64_t>(input_.pixel_bytes);
        const auto row_bytes = static_cast<std::uint64_t>(input_.row_bytes);
        std::uint64_t packed = piece.at * size;
        std::uint64_t surface =
            static_cast<std::uint64_t>(piece.rect.y) * row_bytes + static_cast<std::uint64_t>(piece.rect.x) * size;
        const std::uint32_t width = width_of(piece);
        if (goes_on(surface, width, piece.rect.height)) {
            Block &last = plan_.blocks.back();
            plan_.stacks.push_back({packed, width, last.rows, last.width, last.y, last.layer});
            last.width += width;
            plan_.size.width = std::max(plan_.size.width, last.width);
            return;
        }
        for (auto left = static_cast<std::uint32_t>(piece.rect.height); left > 0;) {
            const std::uint32_t rows = std::min(left, most_side_);
            if (y_ + rows > most_side_) {
                ++layer_;
                y_ = 0;
            }
            plan_.blocks.push_back({surface, width, rows, y_, layer_});
            stack(packed, width, rows);
            packed += std::uint64_t{width} * rows * unit_;
            surface += rows * row_bytes;
            y_ += rows;
            plan_.size.width = std::max(plan_.size.width, width);
            plan_.size.height = std::max(plan_.size.height, y_);
            plan_.size.layers = layer_ + 1;
            left -= rows;
        }
    }

    /// Rectangles of different widths leave much of an image empty.
    bool is_dense(std::uint64_t band_bytes) const {
        constexpr std::uint64_t most_times = 4, small = 1 << 20;
        const ScratchImage::Size &size = plan_.size;
        return std::uint64_t{size.width} * size.height * size.layers * unit_ <= band_bytes * most_times + small;
    }

  private:
    std::uint32_t width_of(const Piece &piece) const {
        return static_cast<std::uint32_t>(static_cast<std::uint64_t>(piece.rect.width) *
                                          static_cast<unsigned>(input_.pixel_bytes) / unit_);
    }

    /// Whether the rectangle lies to the right of the last block, and is as high.
    bool goes_on(std::uint64_t surface, std::uint32_t width, int rows) const {
        if (plan_.blocks.empty())
            return false;
        const Block &last = plan_.blocks.back();
        const std::uint64_t both = std::uint64_t{last.width} + width;
        return last.rows == static_cast<std::uint32_t>(rows) && both <= most_side_ &&
               both * unit_ <= static_cast<std::uint64_t>(input_.row_bytes) &&
               last.surface + std::uint64_t{last.width} * unit_ == surface;
    }

    void stack(std::uint64_t packed, std::uint32_t width, std::uint32_t rows) {
        if (!plan_.stacks.empty()) {
            Stack &last = plan_.stacks.back();
            if (last.x == 0 && last.layer == layer_ && last.width == width && last.y + last.rows == y_ &&
                last.packed + std::uint64_t{last.width} * last.rows * unit_ == packed) {
                last.rows += rows;
                return;
            }
        }
        plan_.stacks.push_back({packed, width, rows, 0, y_, layer_});
    }

    Stacking &plan_;
    const PlanInput &input_;
    const unsigned unit_;
    const std::uint32_t most_side_;
    std::uint32_t y_ = 0, layer_ = 0;
};

} // namespace

BandPlan plan_stacked(const Region &region, std::uint64_t first, std::uint64_t count, const PlanInput &input) {
    const auto size = static_cast<std::uint64_t>(input.pixel_bytes), row = static_cast<std::uint64_t>(input.row_bytes);
    BandPlan plan;
    Stacker stacker(plan.stacking, input);
    for_each_piece(region, first, count, [&](const Piece &piece) {
        const bool in_one = static_cast<std::uint64_t>(piece.rect.width) * size == row;
        if (!in_one && stacker.accepts(piece))
            stacker.add(piece);
        else
            link_rows(plan, piece, size, row, 0, 0);
    });
    if (plan.stacking.blocks.empty() || stacker.is_dense(count * size))
        return plan;
    return plan_buffer(region, first, count, input);
}

} // namespace vkmpi
