#include "copy_plan.h"

#include "region/worklist.h"

#include <algorithm>
#include <utility>

namespace glmpi {

using namespace pixmpi;

namespace {

// Of a CPU that copies short rows which lie in its cache; exact values hardly matter.
constexpr double part_seconds = 8e-9, row_seconds = 2e-9, gather_rate = 12e9;
// Of a driver that copies a row of a rectangle: it lies in another page than the one before.
constexpr double driver_row_seconds = 6e-9;

// Calls visit(slab, part of the piece) for each slab that a piece touches.
template <class Visit> void cut_piece(const Piece &piece, int bottom, int slab_rows, Visit visit) {
    cut(piece.rect, bottom, slab_rows, [&](std::size_t slab, const pixMPI_Rect &rect, std::uint64_t before) {
        visit(slab, SlabPart{rect, piece.at + before, static_cast<std::uint32_t>(rect.width)});
    });
}

class Planner {
  public:
    Planner(const Region &region, std::uint64_t first, std::uint64_t count, const PlanInput &input) : input_(input) {
        for_each_piece(region, first, count, [&](const Piece &piece) {
            pieces_.push_back(piece);
            bounds_.add(piece.rect);
        });
        plan_.first = first;
        plan_.count = count;
    }

    double estimate() {
        const double seconds = by_rectangles();
        if (pieces_.size() <= few_rectangles)
            return seconds;
        choose_slabs();
        const bool keep = unpack() && !covers_all();
        return keep && !input_.rewritable ? seconds : std::min(seconds, by_slabs(keep));
    }

    CopyPlan plan() {
        plan_.seconds = by_rectangles();
        if (pieces_.size() <= few_rectangles)
            return std::move(plan_);
        choose_slabs();
        double seconds = by_slabs(unpack() && !covers_all());
        if (seconds >= 0.9 * plan_.seconds)
            return std::move(plan_);
        fill();
        const bool full = std::all_of(plan_.slabs.begin(), plan_.slabs.end(), [](const Slab &s) { return s.full; });
        if (unpack() && !full) {
            seconds = by_slabs(true);
            if (!input_.rewritable || seconds >= 0.9 * plan_.seconds) {
                plan_.slabs.clear();
                plan_.parts.clear();
                plan_.marks.clear();
                return std::move(plan_);
            }
        }
        plan_.seconds = seconds;
        return std::move(plan_);
    }

    double by_rectangles() const {
        double rows = 0;
        for (const Piece &piece : pieces_)
            rows += piece.rect.height;
        return static_cast<double>(pieces_.size()) * rate().call_seconds + rows * driver_row_seconds +
               bytes(bounds_.pixels) / rate().bytes_per_second;
    }

  private:
    bool unpack() const { return input_.direction == Direction::unpack; }
    const TransferRate &rate() const { return unpack() ? input_.write : input_.read; }
    double bytes(std::uint64_t pixels) const { return static_cast<double>(pixels) * input_.pixel_bytes; }
    bool covers_all() const { return bounds_.pixels == bounds_.area(); }

    void choose_slabs() {
        slab_rows_ = strip_rows(bounds_.rect, pieces_[pieces_.size() / 2].rect, input_.pixel_bytes, 1);
        boxes_.resize(static_cast<std::size_t>((bounds_.rect.height - 1) / slab_rows_ + 1));
        rows_ = 0;
        for (const Piece &piece : pieces_)
            cut_piece(piece, bounds_.rect.y, slab_rows_, [&](std::size_t slab, const SlabPart &part) {
                boxes_[slab].add(part.rect);
                rows_ += static_cast<std::uint64_t>(part.rect.height);
            });
    }

    double by_slabs(bool keep) const {
        double seconds = 0;
        for (const PartsBox &box : boxes_) {
            if (box.parts == 0)
                continue;
            const double rows = box.rect.height * driver_row_seconds;
            seconds += rate().call_seconds + rows + bytes(box.area()) / rate().bytes_per_second;
            if (keep)
                seconds += input_.read.call_seconds + rows + bytes(box.area()) / input_.read.bytes_per_second;
            seconds += static_cast<double>(box.parts) * part_seconds;
        }
        return seconds + static_cast<double>(rows_) * row_seconds + bytes(bounds_.pixels) / gather_rate;
    }

    // Sorts the parts by slabs, keeping packed order within each.
    void fill() {
        std::vector<std::size_t> next(boxes_.size());
        std::size_t total = 0;
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            next[i] = total;
            const PartsBox &box = boxes_[i];
            if (box.parts == 0)
                continue;
            plan_.slabs.push_back({box.rect, total, box.parts, false, 0, 0});
            plan_.slab_pixels = std::max(plan_.slab_pixels, static_cast<std::size_t>(box.area()));
            total += box.parts;
        }
        plan_.parts.resize(total);
        for (const Piece &piece : pieces_)
            cut_piece(piece, bounds_.rect.y, slab_rows_,
                      [&](std::size_t slab, const SlabPart &part) { plan_.parts[next[slab]++] = part; });
        mark();
        if (!unpack())
            return;
        std::size_t slab = 0;
        for (const PartsBox &box : boxes_)
            if (box.parts) {
                plan_.slabs[slab].full = box.pixels == box.area() && covered(plan_.slabs[slab]);
                ++slab;
            }
    }

    // A part's pixels follow each other in packed order.
    void mark() {
        constexpr std::uint64_t each = Marks::pixels_each;
        std::vector<std::uint32_t> missing(Marks::count(plan_.count), each); // pixels until it is complete
        if (plan_.count % each)
            missing.back() = static_cast<std::uint32_t>(plan_.count % each);
        std::vector<std::uint32_t> last(unpack() ? missing.size() : 0, 0); // slab that has it already, counted from 1
        std::uint32_t number = 0;
        for (Slab &slab : plan_.slabs) {
            slab.first_mark = plan_.marks.size();
            ++number;
            for (std::size_t i = slab.first; i < slab.first + slab.count; ++i) {
                const SlabPart &part = plan_.parts[i];
                const std::uint64_t end = part.at + pixels_of(part.rect);
                for (std::uint64_t at = part.at; at < end; at = (at / each + 1) * each) {
                    const std::uint64_t mark = at / each, here = std::min(end, (mark + 1) * each) - at;
                    if (unpack() ? std::exchange(last[mark], number) != number : (missing[mark] -= here) == 0)
                        plan_.marks.push_back(static_cast<std::uint32_t>(mark));
                }
            }
            slab.mark_count = plan_.marks.size() - slab.first_mark;
        }
    }

    // As many pixels as the box has may still overlap and leave others out.
    bool covered(const Slab &slab) {
        seen_.assign(static_cast<std::size_t>(slab.box.width) * static_cast<std::size_t>(slab.box.height), false);
        for (std::size_t i = slab.first; i < slab.first + slab.count; ++i) {
            const pixMPI_Rect &r = plan_.parts[i].rect;
            for (int y = 0; y < r.height; ++y) {
                const auto begin = seen_.begin() + static_cast<std::ptrdiff_t>(r.y + y - slab.box.y) * slab.box.width +
                                   (r.x - slab.box.x);
                for (auto p = begin; p != begin + r.width; ++p) {
                    if (*p)
                        return false;
                    *p = true;
                }
            }
        }
        return true;
    }

    const PlanInput input_;
    CopyPlan plan_;
    std::vector<Piece> pieces_;
    PartsBox bounds_;
    int slab_rows_ = 1;
    std::vector<PartsBox> boxes_;
    std::uint64_t rows_ = 0;
    std::vector<char> seen_;
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
