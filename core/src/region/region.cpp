#include "region/region.h"

#include <algorithm>
#include <climits>
#include <numeric>
#include <span>

namespace pixmpi {
namespace {

constexpr std::uint64_t most_pixels = std::uint64_t{1} << 62;

/// Makes one rectangle of two that follow each other in packed order, if they are one.
bool join(pixMPI_Rect &first, const pixMPI_Rect &second) {
    const bool above = second.x == first.x && second.width == first.width &&
                       second.y == std::int64_t{first.y} + first.height;
    const bool beside = second.y == first.y && second.height == 1 && first.height == 1 &&
                        second.x == std::int64_t{first.x} + first.width;
    if (above)
        first.height += second.height;
    else if (beside)
        first.width += second.width;
    return above || beside;
}

WideRect around(const WideRect &a, const WideRect &b) {
    const std::int64_t x = std::min(a.x, b.x), y = std::min(a.y, b.y);
    return {x, y, std::max(a.x + a.width, b.x + b.width) - x, std::max(a.y + a.height, b.y + b.height) - y};
}

WideRect widened(const pixMPI_Rect &rect) { return {rect.x, rect.y, rect.width, rect.height}; }

pixMPI_Rect narrowed(const WideRect &rect) {
    return {static_cast<int>(rect.x), static_cast<int>(rect.y), static_cast<int>(rect.width),
            static_cast<int>(rect.height)};
}

bool fits(const WideRect &rect) {
    return rect.x >= INT_MIN && rect.y >= INT_MIN && rect.width <= INT_MAX && rect.height <= INT_MAX &&
           rect.x + rect.width <= INT_MAX && rect.y + rect.height <= INT_MAX;
}

} // namespace

void Region::add(pixMPI_Rect rect) {
    if (rect.width <= 0 || rect.height <= 0)
        return;
    bounds = around(bounds, rect);
    pixels += pixels_of(rect);
    if (rects.empty() || !join(rects.back(), rect)) {
        rects.push_back(rect);
        return;
    }
    // A row that has become complete may continue the rectangle below it.
    while (rects.size() > 1 && join(rects[rects.size() - 2], rects.back()))
        rects.pop_back();
}

std::shared_ptr<const Region> region_of(std::initializer_list<pixMPI_Rect> rects) {
    auto region = std::make_shared<Region>();
    for (const pixMPI_Rect &rect : rects)
        region->add(rect);
    region->commit();
    return region;
}

void Region::commit() {
    if (committed)
        return;
    starts.reserve(rects.size() + 1);
    std::uint64_t sum = 0;
    for (const pixMPI_Rect &rect : rects) {
        starts.push_back(sum);
        sum += pixels_of(rect);
    }
    starts.push_back(sum);
    committed = true;
}

namespace {

/// The rest of a row, whole rows below it, and the beginning of the next row: what a slice of a rectangle is. The first
/// or the last may be missing.
bool is_slice(std::span<const pixMPI_Rect> rects, const pixMPI_Rect &whole) {
    int wholes = 0;
    const auto end = [](const pixMPI_Rect &rect) { return std::int64_t{rect.x} + rect.width; };
    for (const pixMPI_Rect &rect : rects) {
        wholes += same(rect, whole);
        const bool above = &rect == &rects.front() && rect.height == 1 && rect.y + 1 == whole.y;
        const bool below = &rect == &rects.back() && rect.height == 1 && rect.y == whole.y + whole.height;
        if (!same(rect, whole) && !(above && end(rect) == end(whole)) && !(below && rect.x == whole.x))
            return false;
    }
    return wholes == 1 && rects.size() <= 3;
}

} // namespace

PackedRows packed_rows(const Region &region) {
    constexpr std::uint64_t narrow = 8; // a block of JPEG would be filled up
    if (region.rects.empty())
        return {};
    const auto width = [](const pixMPI_Rect &rect) {
        return static_cast<std::uint64_t>(rect.width == 1 ? rect.height : rect.width);
    };
    const auto wider = [](const pixMPI_Rect &a, const pixMPI_Rect &b) { return a.width < b.width; };
    const pixMPI_Rect &widest = *std::max_element(region.rects.begin(), region.rects.end(), wider);
    if (is_slice(region.rects, widest))
        return {width(widest), false};
    std::uint64_t common = 0;
    for (const pixMPI_Rect &rect : region.rects)
        common = std::gcd(common, width(rect));
    return common >= narrow ? PackedRows{common, true} : PackedRows{};
}

Status append(Region &region, const WideRect &rect, const char *argument) {
    if (rect.width < 0 || rect.height < 0)
        return fail(PIXMPI_ERR_ARGUMENT, "%s: %lldx%lld pixels, expected a width and a height of 0 or more", argument,
                    static_cast<long long>(rect.width), static_cast<long long>(rect.height));
    if (rect.width == 0 || rect.height == 0)
        return PIXMPI_SUCCESS;
    const WideRect all = region.pixels ? around(widened(region.bounds), rect) : rect;
    if (!fits(rect) || !fits(all))
        return fail(PIXMPI_ERR_ARGUMENT,
                    "%s: %lldx%lld pixels at (%lld, %lld), expected coordinates, and distances from the region's other "
                    "pixels, within the range of int",
                    argument, static_cast<long long>(rect.width), static_cast<long long>(rect.height),
                    static_cast<long long>(rect.x), static_cast<long long>(rect.y));
    if (region.pixels + pixels_of(narrowed(rect)) > most_pixels)
        return fail(PIXMPI_ERR_ARGUMENT, "%s: more than 2^62 pixels in all, expected fewer", argument);
    if (region.rects.size() >= INT_MAX)
        return fail(PIXMPI_ERR_ARGUMENT, "%s: more than %d rectangles in all, expected fewer", argument, INT_MAX);
    region.add(narrowed(rect));
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
