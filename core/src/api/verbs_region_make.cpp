// Regions made of equal blocks: one, a list, rows and columns of them.

#include "region/region_handles.h"

#include <algorithm>
#include <climits>
#include <cstdlib>

using namespace pixmpi;

namespace {

Status check_count(int count, const char *argument) {
    if (count < 0)
        return fail(PIXMPI_ERR_ARGUMENT, "%s: %d, expected 0 or more", argument, count);
    return PIXMPI_SUCCESS;
}

/// Neighbouring blocks, as a region would join them one by one.
struct Grid {
    WideRect block;
    std::int64_t columns, rows, stride_x, stride_y;
};

/// Blocks that continue each other become larger blocks, so that even a grid of millions of them takes no time.
Grid merged(Grid grid) {
    if (grid.columns > 1 && grid.block.height == 1 && grid.stride_x == grid.block.width) {
        grid.block.width *= grid.columns;
        grid.columns = 1;
    }
    if (grid.columns == 1 && grid.rows > 1 && grid.stride_y == grid.block.height) {
        grid.block.height *= grid.rows;
        grid.rows = 1;
    }
    return grid;
}

/// The smallest rectangle around all blocks.
WideRect around(const Grid &grid) {
    const std::int64_t across = (grid.columns - 1) * grid.stride_x, up = (grid.rows - 1) * grid.stride_y;
    const WideRect &block = grid.block;
    return {block.x + std::min<std::int64_t>(across, 0), block.y + std::min<std::int64_t>(up, 0),
            block.width + std::abs(across), block.height + std::abs(up)};
}

Status make_grid(Grid grid, const char *argument, pixMPI_Region *handle) {
    auto region = std::make_shared<Region>();
    if (grid.columns > 0 && grid.rows > 0 && grid.block.width > 0 && grid.block.height > 0) {
        grid = merged(grid);
        if (grid.columns * grid.rows > INT_MAX)
            return fail(PIXMPI_ERR_ARGUMENT, "%s: %lldx%lld blocks, expected at most %d", argument,
                        static_cast<long long>(grid.columns), static_cast<long long>(grid.rows), INT_MAX);
        // All of it at once: coordinates are checked before memory is allocated.
        Region extremes;
        if (const Status error = append(extremes, around(grid), argument))
            return error;
        region->rects.reserve(static_cast<std::size_t>(grid.columns * grid.rows));
    }
    for (std::int64_t row = 0; row < grid.rows; ++row)
        for (std::int64_t column = 0; column < grid.columns; ++column) {
            WideRect block = grid.block;
            block.x += column * grid.stride_x;
            block.y += row * grid.stride_y;
            if (const Status error = append(*region, block, argument))
                return error;
        }
    return hand_out(std::move(region), handle);
}

} // namespace

int pixMPI_Region_rect(int x, int y, int width, int height, pixMPI_Region *region) {
    return call_without_lock("pixMPI_Region_rect", [&]() -> Status {
        if (const Status error = check_output(region, "region"))
            return error;
        if (const Status error = check_count(width, "width"))
            return error;
        if (const Status error = check_count(height, "height"))
            return error;
        return make_grid({{x, y, width, height}, 1, 1, 0, 0}, "x, y, width, height", region);
    });
}

int pixMPI_Region_indexed(int count, const pixMPI_Rect rects[], pixMPI_Region *region) {
    return call_without_lock("pixMPI_Region_indexed", [&]() -> Status {
        if (const Status error = check_output(region, "region"))
            return error;
        if (const Status error = check_count(count, "count"))
            return error;
        if (count > 0 && !rects)
            return fail(PIXMPI_ERR_ARGUMENT, "rects: null, expected %d rectangles", count);
        auto made = std::make_shared<Region>();
        made->rects.reserve(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) {
            char argument[32];
            std::snprintf(argument, sizeof argument, "rects[%d]", i);
            if (const Status error = append(*made, {rects[i].x, rects[i].y, rects[i].width, rects[i].height}, argument))
                return error;
        }
        return hand_out(std::move(made), region);
    });
}

int pixMPI_Region_strided(pixMPI_Rect block, int columns, int rows, int stride_x, int stride_y, pixMPI_Region *region) {
    return call_without_lock("pixMPI_Region_strided", [&]() -> Status {
        if (const Status error = check_output(region, "region"))
            return error;
        if (const Status error = check_count(block.width, "block.width"))
            return error;
        if (const Status error = check_count(block.height, "block.height"))
            return error;
        if (const Status error = check_count(columns, "columns"))
            return error;
        if (const Status error = check_count(rows, "rows"))
            return error;
        return make_grid({{block.x, block.y, block.width, block.height}, columns, rows, stride_x, stride_y},
                         "block, columns, rows, strides", region);
    });
}

int pixMPI_Region_rows(int x, int width, int y, int count, int stride, pixMPI_Region *region) {
    return call_without_lock("pixMPI_Region_rows", [&]() -> Status {
        if (const Status error = check_output(region, "region"))
            return error;
        if (const Status error = check_count(width, "width"))
            return error;
        if (const Status error = check_count(count, "count"))
            return error;
        return make_grid({{x, y, width, 1}, 1, count, 0, stride}, "x, width, y, count, stride", region);
    });
}

int pixMPI_Region_columns(int y, int height, int x, int count, int stride, pixMPI_Region *region) {
    return call_without_lock("pixMPI_Region_columns", [&]() -> Status {
        if (const Status error = check_output(region, "region"))
            return error;
        if (const Status error = check_count(height, "height"))
            return error;
        if (const Status error = check_count(count, "count"))
            return error;
        return make_grid({{x, y, 1, height}, count, 1, stride, 0}, "y, height, x, count, stride", region);
    });
}
