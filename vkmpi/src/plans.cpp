#include "plans.h"

#include "region/worklist.h"

#include <algorithm>

namespace vkmpi {

using namespace pixmpi;

namespace {

void link(BandPlan &plan, std::uint64_t surface, std::uint64_t packed, std::uint64_t bytes) {
    if (!plan.links.empty()) {
        Link &last = plan.links.back();
        if (last.surface + last.bytes == surface && last.packed + last.bytes == packed) {
            last.bytes += bytes;
            return;
        }
    }
    plan.links.push_back({surface, packed, bytes});
}

/// Rows of a rectangle, in memory with rows of `row_bytes` that begins at pixel (x, y).
void link_rows(BandPlan &plan, const Piece &piece, std::uint64_t size, std::uint64_t row_bytes, int x, int y) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(piece.rect.width) * size;
    std::uint64_t packed = piece.at * size;
    std::uint64_t surface =
        static_cast<std::uint64_t>(piece.rect.y - y) * row_bytes + static_cast<std::uint64_t>(piece.rect.x - x) * size;
    for (int row = 0; row < piece.rect.height; ++row, packed += bytes, surface += row_bytes)
        link(plan, surface, packed, bytes);
}

struct Box {
    int left = 0, bottom = 0, right = 0, top = 0;
    std::uint64_t pixels() const {
        return static_cast<std::uint64_t>(right - left) * static_cast<std::uint64_t>(top - bottom);
    }
};

Box box_around(const std::vector<Piece> &pieces, const PlanInput &input) {
    Box box{1 << 30, 1 << 30, 0, 0};
    for (const Piece &piece : pieces) {
        box.left = std::min(box.left, piece.rect.x);
        box.bottom = std::min(box.bottom, piece.rect.y);
        box.right = std::max(box.right, piece.rect.x + piece.rect.width);
        box.top = std::max(box.top, piece.rect.y + piece.rect.height);
    }
    const auto widen = [](int &low, int &high, unsigned grain, int most) {
        const int g = grain ? static_cast<int>(grain) : most;
        low = low / g * g;
        high = std::min(most, (high + g - 1) / g * g);
    };
    widen(box.left, box.right, input.grain_x, input.extent.width);
    widen(box.bottom, box.top, input.grain_y, input.extent.height);
    return box;
}

// As a GPU has it: a copy command's piece costs as much as moving this many bytes.
bool box_is_better(const Box &box, std::size_t pieces, std::uint64_t pixels, const PlanInput &input) {
    constexpr std::uint64_t bytes_a_piece = 64 << 10, most_bytes = 12 << 20;
    constexpr std::size_t few = 32;
    const auto size = static_cast<std::uint64_t>(input.pixel_bytes);
    const std::uint64_t moved = box.pixels() * size * (input.direction == Direction::pack ? 1 : 2);
    return pieces > few && box.pixels() * size <= most_bytes && moved < pixels * size + pieces * bytes_a_piece;
}

/// Shaders join depths and stencils by groups of four.
std::uint64_t in_groups(std::uint64_t pixels) { return (pixels + 3) / 4 * 4; }

} // namespace

BandPlan plan_image(const Region &region, std::uint64_t first, std::uint64_t count, const PlanInput &input) {
    BandPlan plan;
    std::vector<Piece> pieces;
    for_each_piece(region, first, count, [&](const Piece &piece) { pieces.push_back(piece); });
    const auto size = static_cast<std::uint64_t>(input.pixel_bytes);
    const bool coarse = input.grain_x != 1 || input.grain_y != 1;
    const Box box = box_around(pieces, input);
    if (coarse || (input.shaders && box_is_better(box, pieces.size(), count, input))) {
        plan.pieces.push_back({{box.left, box.bottom, box.right - box.left, box.top - box.bottom}, 0});
        plan.scratch_pixels = in_groups(box.pixels());
        plan.keeps = input.direction == Direction::unpack;
        const auto row = static_cast<std::uint64_t>(box.right - box.left) * size;
        for (const Piece &piece : pieces)
            link_rows(plan, piece, size, row, box.left, box.bottom);
        return plan;
    }
    const bool direct = input.direct && std::all_of(pieces.begin(), pieces.end(),
                                                    [&](const Piece &piece) { return piece.at % input.pad == 0; });
    std::uint64_t at = 0;
    for (const Piece &piece : pieces) {
        const std::uint64_t pixels =
            static_cast<std::uint64_t>(piece.rect.width) * static_cast<std::uint64_t>(piece.rect.height);
        plan.pieces.push_back({piece.rect, direct ? piece.at : at});
        if (direct)
            continue;
        link(plan, at * size, piece.at * size, pixels * size);
        at = (at + pixels + input.pad - 1) / input.pad * input.pad;
    }
    plan.scratch_pixels = in_groups(at);
    return plan;
}

namespace {

/// Puts blocks one above the other into a scratch image.
class Stacking {
  public:
    Stacking(BandPlan &plan, const PlanInput &input) : plan_(plan), input_(input) {}

    bool takes(const Piece &piece) const {
        constexpr int few = 4; // so many copies of a row cost as much as two of a rectangle
        return input_.unit && piece.rect.height >= few && width_of(piece) <= input_.most_side;
    }

    void add(const Piece &piece) {
        const auto size = static_cast<std::uint64_t>(input_.pixel_bytes);
        const auto row_bytes = static_cast<std::uint64_t>(input_.row_bytes);
        std::uint64_t packed = piece.at * size;
        std::uint64_t surface =
            static_cast<std::uint64_t>(piece.rect.y) * row_bytes + static_cast<std::uint64_t>(piece.rect.x) * size;
        const std::uint32_t width = width_of(piece);
        for (auto left = static_cast<std::uint32_t>(piece.rect.height); left > 0;) {
            const std::uint32_t rows = std::min(left, input_.most_side);
            if (y_ + rows > input_.most_side) {
                ++layer_;
                y_ = 0;
            }
            plan_.blocks.push_back({surface, width, rows, y_, layer_});
            stack(packed, width, rows);
            packed += std::uint64_t{width} * rows * input_.unit;
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
        return std::uint64_t{size.width} * size.height * size.layers * input_.unit <= band_bytes * most_times + small;
    }

  private:
    std::uint32_t width_of(const Piece &piece) const {
        return static_cast<std::uint32_t>(static_cast<std::uint64_t>(piece.rect.width) *
                                          static_cast<unsigned>(input_.pixel_bytes) / input_.unit);
    }

    void stack(std::uint64_t packed, std::uint32_t width, std::uint32_t rows) {
        if (!plan_.stacks.empty()) {
            Stack &last = plan_.stacks.back();
            if (last.layer == layer_ && last.width == width && last.y + last.rows == y_ &&
                last.packed + std::uint64_t{last.width} * last.rows * input_.unit == packed) {
                last.rows += rows;
                return;
            }
        }
        plan_.stacks.push_back({packed, width, rows, y_, layer_});
    }

    BandPlan &plan_;
    const PlanInput &input_;
    std::uint32_t y_ = 0, layer_ = 0;
};

} // namespace

BandPlan plan_buffer(const Region &region, std::uint64_t first, std::uint64_t count, const PlanInput &input) {
    const auto size = static_cast<std::uint64_t>(input.pixel_bytes), row = static_cast<std::uint64_t>(input.row_bytes);
    BandPlan plan;
    Stacking stacking(plan, input);
    for_each_piece(region, first, count, [&](const Piece &piece) {
        const bool in_one = static_cast<std::uint64_t>(piece.rect.width) * size == row;
        if (!in_one && stacking.takes(piece))
            stacking.add(piece);
        else
            link_rows(plan, piece, size, row, 0, 0);
    });
    if (plan.blocks.empty() || stacking.is_dense(count * size))
        return plan;
    PlanInput without = input;
    without.unit = 0;
    return plan_buffer(region, first, count, without);
}

const BandPlan &PlanCache::get(const std::shared_ptr<const Region> &region, std::uint64_t first, std::uint64_t count,
                               const PlanInput &input, Make make) {
    if (region->rects.size() == 1) { // quickly made, and PIXMPI_WHOLE is another region each time
        single_ = make(*region, first, count, input);
        return single_;
    }
    // Owners are compared, so that a new region at an old one's address is a new one.
    const auto matches = [&](const Entry &e) {
        return e.first == first && e.count == count && e.make == make && e.input == input &&
               !e.region.owner_before(region) && !region.owner_before(e.region);
    };
    if (next_ < entries_.size() && matches(entries_[next_]))
        return entries_[next_++].plan;
    const auto found = std::find_if(entries_.begin(), entries_.end(), matches);
    if (found != entries_.end()) {
        next_ = static_cast<std::size_t>(found - entries_.begin()) + 1;
        return found->plan;
    }
    std::size_t cost = 0;
    for (const Entry &e : entries_)
        cost += e.plan.cost();
    if (cost > most_cost || entries_.size() >= most_entries)
        entries_.clear();
    entries_.push_back({region, first, count, input, make, make(*region, first, count, input)});
    next_ = entries_.size();
    return entries_.back().plan;
}

} // namespace vkmpi
