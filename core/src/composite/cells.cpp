#include "composite/cells.h"

#include <algorithm>
#include <bit>

namespace pixmpi {
namespace {

/// Columns from `first` to before `end`, as far as they are in a word.
std::uint64_t bits_of(int first, int end) {
    const int begin = std::clamp(first, 0, 64), count = std::clamp(end, 0, 64) - begin;
    return count <= 0 ? 0 : ~std::uint64_t{0} >> (64 - count) << begin;
}

} // namespace

void Cells::activate(const pixMPI_Rect &rect) {
    if (rect.width == 0 || rect.height == 0)
        return;
    const int first = rect.x / width_, end = (rect.x + rect.width - 1) / width_ + 1;
    const std::uint64_t low = bits_of(first, end), high = bits_of(first - 64, end - 64);
    for (int row = rect.y / height_; row <= (rect.y + rect.height - 1) / height_; ++row) {
        word(0, row) |= low;
        word(64, row) |= high;
    }
}

void Cells::add(const Cells &other) {
    for (std::size_t i = 0; i < bits_.size(); ++i)
        bits_[i] |= other.bits_[i];
}

void Cells::remove(const Cells &other) {
    for (std::size_t i = 0; i < bits_.size(); ++i)
        bits_[i] &= ~other.bits_[i];
}

void Cells::keep(const Cells &other) {
    for (std::size_t i = 0; i < bits_.size(); ++i)
        bits_[i] &= other.bits_[i];
}

Cells Cells::inactive() const {
    Cells all(extent_);
    all.activate({0, 0, extent_.width, extent_.height});
    all.remove(*this);
    return all;
}

int Cells::active_in_row(int row) const { return std::popcount(word(0, row)) + std::popcount(word(64, row)); }

std::uint64_t Cells::pixels() const {
    std::uint64_t all = 0;
    const int last = columns() - 1, beyond = width_ - (extent_.width - left(last)); // of the last column
    for (int row = 0; row < rows(); ++row) {
        const std::int64_t across =
            std::int64_t{active_in_row(row)} * width_ - (last >= 0 && active(last, row) ? beyond : 0);
        all += static_cast<std::uint64_t>(across) * static_cast<std::uint64_t>(top(row + 1) - top(row));
    }
    return all;
}

bool Cells::same_rows(int row, int other) const {
    return word(0, row) == word(0, other) && word(64, row) == word(64, other);
}

/// From `column` on the first one that is active, or that is not; `most` or more where there is none.
int Cells::next_column(int column, int row, bool is_active) const {
    while (column < most) {
        const std::uint64_t all = word(column, row), wanted = (is_active ? all : ~all) >> column % 64;
        if (wanted)
            return column + std::countr_zero(wanted);
        column = (column / 64 + 1) * 64;
    }
    return most;
}

// Rows of cells that are alike become one row of taller rectangles.
std::shared_ptr<const Region> Cells::region(const pixMPI_Rect &within, int x, int y) const {
    auto region = std::make_shared<Region>();
    const int bottom = within.y + within.height, rightmost = within.x + within.width;
    for (int row = std::max(0, within.y / height_); row < rows() && top(row) < bottom;) {
        int next = row + 1;
        while (next < rows() && top(next) < bottom && same_rows(row, next))
            ++next;
        const int from = std::max(within.y, top(row)), to = std::min(bottom, top(next));
        for (int first = next_column(0, row, true), last = 0; first < columns(); first = next_column(last, row, true)) {
            last = next_column(first, row, false);
            const int begin = std::max(within.x, left(first)), end = std::min(rightmost, left(last));
            if (begin < end)
                region->add({begin - x, from - y, end - begin, to - from});
        }
        row = next;
    }
    region->commit();
    return region;
}

} // namespace pixmpi
