// What a program does with a region that it has: commits it, asks about it, frees it.

#include "region/region_handles.h"

#include <algorithm>

using namespace pixmpi;

int pixMPI_Region_commit(pixMPI_Region *region) {
    return call_without_lock("pixMPI_Region_commit", [&]() -> Status {
        if (const Status error = check_output(region, "region"))
            return error;
        if (*region == PIXMPI_WHOLE)
            return PIXMPI_SUCCESS;
        std::shared_ptr<Region> found; // committed when it was made
        return find_any_region(*region, "region", found);
    });
}

int pixMPI_Region_free(pixMPI_Region *region) {
    return call_without_lock("pixMPI_Region_free", [&]() -> Status {
        if (const Status error = check_output(region, "region"))
            return error;
        std::shared_ptr<Region> found;
        if (const Status error = find_any_region(*region, "region", found))
            return error;
        release_handle(*region);
        *region = PIXMPI_REGION_NULL;
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Region_pixels(pixMPI_Region region, int64_t *pixels) {
    return call_without_lock("pixMPI_Region_pixels", [&]() -> Status {
        if (const Status error = check_output(pixels, "pixels"))
            return error;
        std::shared_ptr<Region> found;
        if (const Status error = find_any_region(region, "region", found))
            return error;
        *pixels = static_cast<int64_t>(found->pixels);
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Region_bounds(pixMPI_Region region, pixMPI_Rect *bounds) {
    return call_without_lock("pixMPI_Region_bounds", [&]() -> Status {
        if (const Status error = check_output(bounds, "bounds"))
            return error;
        std::shared_ptr<Region> found;
        if (const Status error = find_any_region(region, "region", found))
            return error;
        *bounds = found->bounds;
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Region_rects(pixMPI_Region region, int room, pixMPI_Rect rects[], int *count) {
    return call_without_lock("pixMPI_Region_rects", [&]() -> Status {
        if (const Status error = check_output(count, "count"))
            return error;
        if (room < 0)
            return fail(PIXMPI_ERR_ARGUMENT, "room: %d, expected 0 or more", room);
        if (room > 0 && !rects)
            return fail(PIXMPI_ERR_ARGUMENT, "rects: null, expected room for %d rectangles", room);
        std::shared_ptr<Region> found;
        if (const Status error = find_any_region(region, "region", found))
            return error;
        std::copy_n(found->rects.begin(), std::min(static_cast<std::size_t>(room), found->rects.size()), rects);
        *count = static_cast<int>(found->rects.size());
        return PIXMPI_SUCCESS;
    });
}
