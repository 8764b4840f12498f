#include "region/slice.h"

#include <algorithm>

namespace pixmpi {
namespace {

/// Pixels [first, end) of a rectangle: what remains of a row that has begun, whole rows, the beginning of a row.
void add_part(Region &region, const pixMPI_Rect &rect, std::uint64_t first, std::uint64_t end) {
    const auto width = static_cast<std::uint64_t>(rect.width);
    while (first < end) {
        const std::uint64_t row = first / width, column = first % width;
        const bool whole = column == 0 && end - first >= width;
        const std::uint64_t rows = whole ? (end - first) / width : 1;
        const std::uint64_t columns = whole ? width : std::min(width - column, end - first);
        region.add({rect.x + static_cast<int>(column), rect.y + static_cast<int>(row), static_cast<int>(columns),
                    static_cast<int>(rows)});
        first += columns * rows;
    }
}

} // namespace

std::shared_ptr<const Region> slice(const std::shared_ptr<const Region> &whole, std::uint64_t first,
                                    std::uint64_t count) {
    if (first == 0 && count == whole->pixels)
        return whole;
    auto made = std::make_shared<Region>();
    const std::uint64_t end = first + count;
    const auto &starts = whole->starts;
    auto at = static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), first) - starts.begin());
    for (std::size_t i = at - 1; i < whole->rects.size() && starts[i] < end; ++i)
        add_part(*made, whole->rects[i], std::max(first, starts[i]) - starts[i],
                 std::min(end, starts[i + 1]) - starts[i]);
    made->commit();
    return made;
}

} // namespace pixmpi
