#include "region/region_handles.h"

#include "base/handles.h"

#include <algorithm>
#include <array>

namespace pixmpi {
namespace {

Status wrong_region(pixMPI_Region handle, const char *argument, const char *expected) {
    const char *what = handle == PIXMPI_REGION_NULL ? "PIXMPI_REGION_NULL"
                       : handle == PIXMPI_WHOLE     ? "PIXMPI_WHOLE"
                                                    : "foreign or freed";
    return fail(PIXMPI_ERR_REGION, "%s: %s, expected %s", argument, what, expected);
}

std::shared_ptr<const Region> make_whole(Extent extent) {
    auto region = std::make_shared<Region>();
    region->add({0, 0, extent.width, extent.height});
    region->commit();
    return region;
}

/// The last few regions that were made of a Key, so that a message which needs the same again makes none.
template <class Key> class MadeRegions {
  public:
    static MadeRegions &all() {
        static auto *const one = new MadeRegions;
        return *one;
    }
    template <class Make> std::shared_ptr<const Region> get(const Key &key, Make make) {
        const std::lock_guard lock(mutex_);
        for (const CachedRegion &entry : entries_)
            if (entry.region && entry.key == key)
                return entry.region;
        CachedRegion &oldest = entries_[next_++ % entries_.size()];
        oldest = {key, make(key)};
        return oldest.region;
    }

  private:
    struct CachedRegion {
        Key key;
        std::shared_ptr<const Region> region;
    };
    std::mutex mutex_;
    std::array<CachedRegion, 16> entries_;
    std::size_t next_ = 0;
};

struct Move {
    std::shared_ptr<const Region> region;
    int x = 0, y = 0;
    bool operator==(const Move &) const = default;
};

std::shared_ptr<const Region> make_moved(const Move &move) {
    auto made = std::make_shared<Region>();
    for (const pixMPI_Rect &rect : move.region->rects)
        made->add({rect.x + move.x, rect.y + move.y, rect.width, rect.height});
    made->commit();
    return made;
}

bool lies_within(const pixMPI_Rect &rect, Extent extent) {
    return rect.x >= 0 && rect.y >= 0 && rect.x + rect.width <= extent.width && rect.y + rect.height <= extent.height;
}

Status out_of_bounds(const Region &region, Extent extent, const char *argument) {
    const auto outside = std::find_if(region.rects.begin(), region.rects.end(),
                                      [&](const pixMPI_Rect &rect) { return !lies_within(rect, extent); });
    return fail(
        PIXMPI_ERR_REGION,
        "%s: rectangle %lld of %zu, %dx%d pixels at (%d, %d), expected to lie within the surface, which has "
        "%dx%d pixels",
        argument, static_cast<long long>(outside - region.rects.begin()) + 1, region.rects.size(), outside->width,
        outside->height, outside->x, outside->y, extent.width, extent.height);
}

} // namespace

Status find_any_region(pixMPI_Region handle, const char *argument, std::shared_ptr<Region> &region) {
    std::shared_ptr<Region> found = handles_of<Region>().find(handle);
    if (!found)
        return wrong_region(handle, argument, "a region made by a pixMPI_Region_* call and not freed since");
    region = std::move(found);
    return PIXMPI_SUCCESS;
}

Status hand_out(std::shared_ptr<Region> region, pixMPI_Region *handle) {
    region->commit();
    *handle = static_cast<pixMPI_Region>(handles_of<Region>().insert(std::move(region)));
    return PIXMPI_SUCCESS;
}

std::shared_ptr<Region> release_handle(pixMPI_Region handle) { return handles_of<Region>().erase(handle); }

Status check_output(const void *output, const char *argument) {
    if (!output)
        return fail(PIXMPI_ERR_ARGUMENT, "%s: null, expected a pointer to where the result goes", argument);
    return PIXMPI_SUCCESS;
}

std::shared_ptr<const Region> moved(std::shared_ptr<const Region> region, int x, int y) {
    if ((x == 0 && y == 0) || region->pixels == 0)
        return region;
    return MadeRegions<Move>::all().get({std::move(region), x, y}, make_moved);
}

Status find_region(pixMPI_Region handle, Extent extent, std::shared_ptr<const Region> &region, const char *argument) {
    if (handle == PIXMPI_WHOLE) {
        region = MadeRegions<Extent>::all().get(extent, make_whole);
        return PIXMPI_SUCCESS;
    }
    std::shared_ptr<Region> found;
    if (const Status error = find_any_region(handle, argument, found))
        return error;
    if (found->pixels && !lies_within(found->bounds, extent))
        return out_of_bounds(*found, extent, argument);
    region = std::move(found);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
