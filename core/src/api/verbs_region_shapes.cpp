// Regions made of unequal parts: triangles, regions within regions, what is left of one.

#include "region/region_handles.h"

#include <algorithm>

using namespace pixmpi;

namespace {

Status check_triangle(int uplo, int diagonal, int n) {
    if (uplo != PIXMPI_LOWER && uplo != PIXMPI_UPPER)
        return fail(PIXMPI_ERR_ARGUMENT, "uplo: %d, expected PIXMPI_LOWER or PIXMPI_UPPER", uplo);
    if (diagonal != 0 && diagonal != 1)
        return fail(PIXMPI_ERR_ARGUMENT, "diagonal: %d, expected 1 (with it) or 0 (without)", diagonal);
    if (n < 0)
        return fail(PIXMPI_ERR_ARGUMENT, "n: %d, expected 0 or more", n);
    return PIXMPI_SUCCESS;
}

/// The row'th row of a triangle.
WideRect row_of(int uplo, int diagonal, int x, int y, int n, int row) {
    if (uplo == PIXMPI_LOWER)
        return {x, std::int64_t{y} + row, std::int64_t{row} + diagonal, 1};
    const std::int64_t column = std::int64_t{row} + 1 - diagonal;
    return {x + column, std::int64_t{y} + row, n - column, 1};
}

Status check_parts(int count, const int dx[], const int dy[], const pixMPI_Region regions[]) {
    if (count < 0)
        return fail(PIXMPI_ERR_ARGUMENT, "count: %d, expected 0 or more", count);
    const char *null = !dx ? "dx" : !dy ? "dy" : !regions ? "regions" : nullptr;
    if (count > 0 && null)
        return fail(PIXMPI_ERR_ARGUMENT, "%s: null, expected %d of them", null, count);
    return PIXMPI_SUCCESS;
}

} // namespace

int pixMPI_Region_triangle(int uplo, int diagonal, int x, int y, int n, pixMPI_Region *region) {
    return call_without_lock("pixMPI_Region_triangle", [&]() -> Status {
        if (const Status error = check_output(region, "region"))
            return error;
        if (const Status error = check_triangle(uplo, diagonal, n))
            return error;
        auto made = std::make_shared<Region>();
        if (n > 0) { // the whole matrix lies within the range of int, or it is refused before memory is allocated
            Region matrix;
            if (const Status error = append(matrix, {x, y, n, n}, "x, y, n"))
                return error;
        }
        made->rects.reserve(static_cast<std::size_t>(n));
        for (int row = 0; row < n; ++row)
            if (const Status error = append(*made, row_of(uplo, diagonal, x, y, n, row), "x, y, n"))
                return error;
        return hand_out(std::move(made), region);
    });
}

int pixMPI_Region_nested(int count, const int dx[], const int dy[], const pixMPI_Region regions[],
                         pixMPI_Region *region) {
    return call_without_lock("pixMPI_Region_nested", [&]() -> Status {
        if (const Status error = check_output(region, "region"))
            return error;
        if (const Status error = check_parts(count, dx, dy, regions))
            return error;
        auto made = std::make_shared<Region>();
        for (int i = 0; i < count; ++i) {
            char argument[32];
            std::snprintf(argument, sizeof argument, "regions[%d]", i);
            std::shared_ptr<Region> part;
            if (const Status error = find_any_region(regions[i], argument, part))
                return error;
            for (const pixMPI_Rect &r : part->rects)
                if (const Status error = append(
                        *made, {std::int64_t{r.x} + dx[i], std::int64_t{r.y} + dy[i], r.width, r.height}, argument))
                    return error;
        }
        return hand_out(std::move(made), region);
    });
}

int pixMPI_Region_clipped(pixMPI_Region whole, pixMPI_Rect bounds, pixMPI_Region *region) {
    return call_without_lock("pixMPI_Region_clipped", [&]() -> Status {
        if (const Status error = check_output(region, "region"))
            return error;
        Region frame;
        if (const Status error = append(frame, {bounds.x, bounds.y, bounds.width, bounds.height}, "bounds"))
            return error;
        std::shared_ptr<Region> part;
        if (const Status error = find_any_region(whole, "whole", part))
            return error;
        auto made = std::make_shared<Region>();
        for (const pixMPI_Rect &r : part->rects) {
            const int left = std::max(r.x, frame.bounds.x), bottom = std::max(r.y, frame.bounds.y);
            const int right = std::min(r.x + r.width, frame.bounds.x + frame.bounds.width);
            const int top = std::min(r.y + r.height, frame.bounds.y + frame.bounds.height);
            if (left < right && bottom < top)
                made->add({left, bottom, right - left, top - bottom});
        }
        return hand_out(std::move(made), region);
    });
}
