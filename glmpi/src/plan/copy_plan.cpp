#include "plan/copy_plan.h"

#include "region/row_boxes.h"

#include <algorithm>
#include <span>

namespace glmpi {

using namespace pixmpi;

namespace {

// Of a CPU that copies short rows which lie in its cache; exact values hardly matter.
constexpr double part_seconds = 8e-9, row_seconds = 2e-9, gather_rate = 12e9;
// Of a driver that copies a row of a rectangle: it lies in another page than the one before.
constexpr double driver_row_seconds = 6e-9;

class Planner {
  public:
    Planner(const Region &region, std::uint64_t first, std::uint64_t count, const PlanInput &input)
        : input_(input), pixels_(count) {
        for_each_piece(region, first, count, [&](const Piece &piece) {
            pieces_.push_back(piece);
            bounds_ = around(bounds_, piece.rect);
        });
    }

    double estimate() const {
        const double seconds = by_rectangles();
        if (pieces_.size() <= few_rectangles)
            return seconds;
        const bool keep = unpack() && pixels_ != pixels_of(bounds_);
        return keep && !input_.rewritable ? seconds : std::min(seconds, by_slabs(boxes(), keep));
    }

    CopyPlan plan() const {
        const double most = 0.9 * by_rectangles();
        if (pieces_.size() <= few_rectangles)
            return {};
        const RowBoxes boxes = this->boxes();
        if (by_slabs(boxes, unpack() && pixels_ != pixels_of(bounds_)) >= most)
            return {};
        CopyPlan plan = make_slabs(boxes);
        const bool full = std::all_of(plan.slabs.begin(), plan.slabs.end(), [](const Slab &s) { return s.full; });
        if (unpack() && !full && (!input_.rewritable || by_slabs(boxes, true) >= most))
            return {};
        return plan;
    }

    double by_rectangles() const {
        double rows = 0;
        for (const Piece &piece : pieces_)
            rows += piece.rect.height;
        return static_cast<double>(pieces_.size()) * rate().call_seconds + rows * driver_row_seconds +
               bytes(pixels_) / rate().bytes_per_second;
    }

  private:
    bool unpack() const { return input_.direction == Direction::unpack; }
    const TransferRate &rate() const { return unpack() ? input_.write : input_.read; }
    double bytes(std::uint64_t pixels) const { return static_cast<double>(pixels) * input_.pixel_bytes; }
    RowBoxes boxes() const { return {pieces_, bounds_, input_.pixel_bytes, 1}; }

    double by_slabs(const RowBoxes &boxes, bool keep) const {
        double seconds = bytes(pixels_) / gather_rate;
        for (const RowBox &box : boxes.boxes()) {
            if (box.count == 0)
                continue;
            const double rows = box.rect.height * driver_row_seconds;
            seconds += rate().call_seconds + rows + bytes(box.area()) / rate().bytes_per_second;
            if (keep)
                seconds += input_.read.call_seconds + rows + bytes(box.area()) / input_.read.bytes_per_second;
            seconds += static_cast<double>(box.count) * part_seconds + static_cast<double>(box.rows) * row_seconds;
        }
        return seconds;
    }

    CopyPlan make_slabs(const RowBoxes &boxes) const {
        CopyPlan plan;
        plan.parts = boxes.parts();
        std::vector<char> covered;
        for (const RowBox &box : boxes.boxes()) {
            if (box.count == 0)
                continue;
            bool full = unpack() && box.pixels >= box.area();
            if (full) { // the same number of pixels may still overlap and leave others out
                find_covered(box.rect, std::span(plan.parts).subspan(box.first, box.count), covered);
                full = std::find(covered.begin(), covered.end(), 0) == covered.end();
            }
            plan.slabs.push_back({box.rect, box.first, box.count, full});
            plan.slab_pixels = std::max(plan.slab_pixels, static_cast<std::size_t>(box.area()));
        }
        return plan;
    }

    const PlanInput input_;
    const std::uint64_t pixels_;
    std::vector<Piece> pieces_;
    pixMPI_Rect bounds_{};
};

} // namespace

double estimate_plan(const Region &region, std::uint64_t first, std::uint64_t count, const PlanInput &input) {
    return Planner(region, first, count, input).estimate();
}

bool gains_by_strips(const Region &region, const Strips &strips, const PlanInput &input) {
    const bool unpack = input.direction == Direction::unpack;
    const auto seconds = [&](const TransferRate &rate, const pixMPI_Rect &rect) {
        const double pixels = static_cast<double>(rect.width) * rect.height;
        return rate.call_seconds + rect.height * driver_row_seconds +
               pixels * input.pixel_bytes / rate.bytes_per_second;
    };
    double by_strips = 0;
    for (const Strip &strip : strips.strips) {
        by_strips += seconds(unpack ? input.write : input.read, strip.box);
        if (unpack && strip.around_holes.width)
            by_strips += seconds(input.read, strip.around_holes);
        if (strip.whole)
            continue;
        by_strips += static_cast<double>(strip.pixels) * input.pixel_bytes / gather_rate;
        for (std::size_t i = strip.first; i < strip.first + strip.count; ++i)
            by_strips += part_seconds + strips.parts[i].rect.height * row_seconds;
    }
    return by_strips < 0.9 * Planner(region, 0, region.pixels, input).by_rectangles();
}

CopyPlan make_plan(const Region &region, std::uint64_t first, std::uint64_t count, const PlanInput &input) {
    return Planner(region, first, count, input).plan();
}

} // namespace glmpi
