#include "host/host_copy.h"

#include <algorithm>

namespace pixmpi {
namespace {

bool of_one_shape(const Region &a, const Region &b) {
    return std::equal(a.rects.begin(), a.rects.end(), b.rects.begin(), b.rects.end(),
                      [](const pixMPI_Rect &one, const pixMPI_Rect &other) {
                          return one.width == other.width && one.height == other.height;
                      });
}

/// Of all rows of a surface.
std::pair<const std::byte *, const std::byte *> memory_of(const Surface &surface) {
    const Rows &rows = pixels_of(surface);
    const std::byte *const last = rows.first + std::max(surface.extent.height - 1, 0) * rows.step;
    return {std::min<const std::byte *>(rows.first, last),
            std::max<const std::byte *>(rows.first, last) +
                static_cast<std::size_t>(surface.extent.width) * static_cast<std::size_t>(surface.pixel_bytes)};
}

bool share_memory(const Surface &a, const Surface &b) {
    const auto one = memory_of(a), other = memory_of(b);
    return one.first < other.second && other.first < one.second;
}

Rows rows_of(const Surface &surface, const pixMPI_Rect &rect) {
    const Rows &all = pixels_of(surface);
    return {all.first + rect.y * all.step + static_cast<std::ptrdiff_t>(rect.x) * surface.pixel_bytes, all.step};
}

} // namespace

std::unique_ptr<HostCopy> HostCopy::make(Surface &from, const Region &from_region, Surface &to,
                                         const Region &to_region) {
    if (from.device != host_device() || to.device != host_device() || !of_one_shape(from_region, to_region))
        return nullptr;
    auto copy = std::make_unique<HostCopy>();
    const auto from_planes = from.planes(), to_planes = to.planes();
    for (std::size_t plane = 0; plane < from_planes.size(); ++plane) {
        const Surface *const a = from_planes[plane], *const b = to_planes[plane];
        if (!a != !b || (a && (a->pixel_bytes != b->pixel_bytes || share_memory(*a, *b))))
            return nullptr;
        for (std::size_t i = 0; a && i < from_region.rects.size(); ++i) {
            const pixMPI_Rect &rect = from_region.rects[i];
            copy->blocks_.push_back({rows_of(*a, rect), rows_of(*b, to_region.rects[i]),
                                     static_cast<std::size_t>(rect.width) * static_cast<std::size_t>(a->pixel_bytes),
                                     static_cast<std::size_t>(rect.height)});
        }
    }
    return copy;
}

// So much that others need not wait long for the lock.
bool HostCopy::advance() {
    std::size_t left = 1 << 20;
    while (next_ < blocks_.size() && left > 0) {
        Block &block = blocks_[next_];
        const std::size_t rows = std::min(block.count, std::max<std::size_t>(left / block.bytes, 1));
        copy_rows(block.to.first, block.to.step, block.from.first, block.from.step, block.bytes, rows);
        const auto copied = static_cast<std::ptrdiff_t>(rows);
        block.to.first += copied * block.to.step;
        block.from.first += copied * block.from.step;
        block.count -= rows;
        next_ += block.count == 0;
        left -= std::min(left, rows * block.bytes);
    }
    return next_ == blocks_.size();
}

} // namespace pixmpi
