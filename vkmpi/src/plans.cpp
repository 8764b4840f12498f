#include "plans.h"

#include "worklist.h"

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
        plan.scratch_pixels = box.pixels();
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
    plan.scratch_pixels = at;
    return plan;
}

BandPlan plan_buffer(const Region &region, std::uint64_t first, std::uint64_t count, const PlanInput &input) {
    BandPlan plan;
    for_each_piece(region, first, count, [&](const Piece &piece) {
        link_rows(plan, piece, static_cast<std::uint64_t>(input.pixel_bytes),
                  static_cast<std::uint64_t>(input.row_bytes), 0, 0);
    });
    return plan;
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
