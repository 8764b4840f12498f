#include "composite/cells.h"

#include <bit>

namespace pixmpi {

void Cells::activate(const pixMPI_Rect &rect) {
    if (rect.width == 0 || rect.height == 0)
        return;
    for (int row = rect.y / height_; row <= (rect.y + rect.height - 1) / height_; ++row)
        for (int column = rect.x / width_; column <= (rect.x + rect.width - 1) / width_; ++column)
            activate(column, row);
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

// Rows of cells that are alike become one row of taller rectangles.
std::shared_ptr<const Region> Cells::region(const pixMPI_Rect &within, int x, int y) const {
    auto region = std::make_shared<Region>();
    const int bottom = within.y + within.height, rightmost = within.x + within.width;
    for (int row = std::max(0, within.y / height_); row < rows() && top(row) < bottom;) {
        int next = row + 1;
        while (next < rows() && top(next) < bottom && same_rows(row, next))
            ++next;
        const int from = std::max(within.y, top(row)), to = std::min(bottom, top(next));
        for (int column = 0; column < columns();) {
            if (!active(column, row)) {
                ++column;
                continue;
            }
            const int first = column;
            while (column < columns() && active(column, row))
                ++column;
            const int begin = std::max(within.x, left(first)), end = std::min(rightmost, left(column));
            if (begin < end)
                region->add({begin - x, from - y, end - begin, to - from});
        }
        row = next;
    }
    region->commit();
    return region;
}

} // namespace pixmpi
