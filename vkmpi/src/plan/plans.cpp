#include "plan/plans.h"

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

/// Widens a range to multiples of `grain`, up to `most`; to all of it when that is 0.
void widen(int &first, int &size, unsigned grain, int most) {
    const int g = grain ? static_cast<int>(grain) : most, end = std::min(most, (first + size + g - 1) / g * g);
    first = first / g * g;
    size = end - first;
}

/// What an image has to be copied as, so that its queue can.
pixMPI_Rect box_around(const std::vector<Piece> &pieces, const PlanInput &input) {
    pixMPI_Rect box{};
    for (const Piece &piece : pieces)
        box = around(box, piece.rect);
    widen(box.x, box.width, input.grain_x, input.extent.width);
    widen(box.y, box.height, input.grain_y, input.extent.height);
    return box;
}

// As a GPU has it: a copy command's piece costs as much as moving this many bytes.
bool box_is_better(std::uint64_t box_pixels, std::size_t pieces, std::uint64_t pixels, const PlanInput &input) {
    constexpr std::uint64_t bytes_a_piece = 64 << 10, most_bytes = 12 << 20;
    constexpr std::size_t few = 32;
    const auto size = static_cast<std::uint64_t>(input.pixel_bytes);
    const std::uint64_t moved = box_pixels * size * (input.direction == Direction::pack ? 1 : 2);
    return pieces > few && box_pixels * size <= most_bytes && moved < pixels * size + pieces * bytes_a_piece;
}

/// Shaders join depths and stencils by groups of four.
std::uint64_t in_groups(std::uint64_t pixels) { return (pixels + 3) / 4 * 4; }

} // namespace

void link_rows(BandPlan &plan, const Piece &piece, std::uint64_t size, std::uint64_t row_bytes, int x, int y) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(piece.rect.width) * size;
    std::uint64_t packed = piece.at * size;
    std::uint64_t surface =
        static_cast<std::uint64_t>(piece.rect.y - y) * row_bytes + static_cast<std::uint64_t>(piece.rect.x - x) * size;
    for (int row = 0; row < piece.rect.height; ++row, packed += bytes, surface += row_bytes)
        link(plan, surface, packed, bytes);
}

BandPlan plan_image(const Region &region, std::uint64_t first, std::uint64_t count, const PlanInput &input) {
    BandPlan plan;
    std::vector<Piece> pieces;
    for_each_piece(region, first, count, [&](const Piece &piece) { pieces.push_back(piece); });
    const auto size = static_cast<std::uint64_t>(input.pixel_bytes);
    const bool coarse = input.grain_x != 1 || input.grain_y != 1;
    const pixMPI_Rect box = box_around(pieces, input);
    if (coarse || (input.shaders && box_is_better(pixels_of(box), pieces.size(), count, input))) {
        plan.pieces.push_back({box, 0});
        plan.scratch_pixels = in_groups(pixels_of(box));
        plan.keeps = input.direction == Direction::unpack;
        const auto row = static_cast<std::uint64_t>(box.width) * size;
        for (const Piece &piece : pieces)
            link_rows(plan, piece, size, row, box.x, box.y);
        return plan;
    }
    const bool direct = input.direct && std::all_of(pieces.begin(), pieces.end(),
                                                    [&](const Piece &piece) { return piece.at % input.pad == 0; });
    std::uint64_t at = 0;
    for (const Piece &piece : pieces) {
        const std::uint64_t pixels = pixels_of(piece.rect);
        plan.pieces.push_back({piece.rect, direct ? piece.at : at});
        if (direct)
            continue;
        link(plan, at * size, piece.at * size, pixels * size);
        at = (at + pixels + input.pad - 1) / input.pad * input.pad;
    }
    plan.scratch_pixels = in_groups(at);
    return plan;
}

BandPlan plan_buffer(const Region &region, std::uint64_t first, std::uint64_t count, const PlanInput &input) {
    const auto size = static_cast<std::uint64_t>(input.pixel_bytes), row = static_cast<std::uint64_t>(input.row_bytes);
    BandPlan plan;
    for_each_piece(region, first, count, [&](const Piece &piece) { link_rows(plan, piece, size, row, 0, 0); });
    return plan;
}

const BandPlan &PlanCache::get(const std::shared_ptr<const Region> &region, std::uint64_t first, std::uint64_t count,
                               const PlanInput &input, Make make) {
    if (region->rects.size() == 1) { // quickly made, and PIXMPI_WHOLE is another region each time
        single_ = make(*region, first, count, input);
        return single_;
    }
    const Key key{input, make};
    if (const BandPlan *found = plans_.find(region, key, first, count))
        return *found;
    BandPlan made = make(*region, first, count, input);
    const std::size_t cost = made.cost();
    return plans_.add(region, key, first, count, std::move(made), cost);
}

} // namespace vkmpi
