#include "host/straight_copy.h"

#include "device/planes.h"
#include "host/host_device.h"

#include <algorithm>
#include <array>

namespace pixmpi {
namespace {

constexpr std::size_t at_a_time = 1 << 20;

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

class HostCopy final : public StraightCopy {
  public:
    void add(const Surface &from, const Region &from_region, const Surface &to, const Region &to_region) {
        for (std::size_t i = 0; i < from_region.rects.size(); ++i) {
            const pixMPI_Rect &rect = from_region.rects[i];
            blocks_.push_back({rows_of(from, rect), rows_of(to, to_region.rects[i]),
                               static_cast<std::size_t>(rect.width) * static_cast<std::size_t>(from.pixel_bytes),
                               static_cast<std::size_t>(rect.height)});
        }
    }
    Status advance(bool &moved, bool &over) override {
        moved = true;
        std::size_t left = at_a_time;
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
        over = next_ == blocks_.size();
        return PIXMPI_SUCCESS;
    }

  private:
    struct Block {
        Rows from, to;
        std::size_t bytes, count; ///< of a row; rows
    };
    std::vector<Block> blocks_;
    std::size_t next_ = 0;
};

/// Where a region's pixels are contiguous, in packed order: whole rows without gaps.
std::byte *packed_in(const Surface &surface, const Region &region) {
    if (region.rects.size() != 1)
        return nullptr;
    const pixMPI_Rect &rect = region.rects.front();
    const Rows &rows = pixels_of(surface);
    const bool whole_rows = rect.width == surface.extent.width;
    return whole_rows && rows.step == static_cast<std::ptrdiff_t>(rect.width) * surface.pixel_bytes
               ? rows.first + rect.y * rows.step
               : nullptr;
}

/// The device's transfer has the host's pixels for its stage. All its copies are over at once.
class DeviceCopy final : public StraightCopy {
  public:
    Status add(Direction direction, const StraightCopy::End &end, std::byte *memory) {
        Device &device = *end.surface->device;
        const auto size = static_cast<std::uint64_t>(end.surface->pixel_bytes);
        Plane plane{{}, {}, end.region->pixels, size, std::max<std::uint64_t>(device.band_bytes() / size, 1)};
        if (const Status error =
                device.make_stage(StageKind::shared, memory, plane.pixels * plane.pixel_bytes, plane.stage))
            return error;
        if (const Status error = make_plain_transfer(direction, end.surface, end.region, plane.transfer))
            return error;
        planes_.push_back(std::move(plane));
        return PIXMPI_SUCCESS;
    }
    Status advance(bool &moved, bool &over) override {
        moved = true;
        Plane &plane = planes_[next_];
        if (copied_ == 0) {
            plane.transfer->start();
            if (const Status error = plane.transfer->begin(plane.pixels))
                return give_up(error);
        }
        const std::uint64_t count = std::min(plane.pixels - copied_, plane.band_pixels);
        Ticket ticket = done;
        if (const Status error =
                plane.transfer->copy(copied_, count, *plane.stage, copied_ * plane.pixel_bytes, ticket))
            return give_up(error);
        copied_ += count;
        if (copied_ == plane.pixels) {
            if (const Status error = plane.transfer->end())
                return error;
            copied_ = 0;
            ++next_;
        }
        over = next_ == planes_.size();
        return PIXMPI_SUCCESS;
    }

  private:
    struct Plane {
        std::unique_ptr<Stage> stage; // goes after the transfer
        std::unique_ptr<Transfer> transfer;
        std::uint64_t pixels, pixel_bytes;
        std::uint64_t band_pixels; ///< that the device keeps memory for, if it does
    };
    Status give_up(Status failed) {
        const Error error = last_error(failed);
        planes_[next_].transfer->give_up();
        return repeat(error);
    }
    std::vector<Plane> planes_;
    std::size_t next_ = 0;
    std::uint64_t copied_ = 0; ///< of the next plane
};

bool is_hosts(const StraightCopy::End &end) { return end.surface->device == host_device(); }

std::unique_ptr<StraightCopy> copy_on_host(const StraightCopy::End &from, const StraightCopy::End &to) {
    if (!of_one_shape(*from.region, *to.region))
        return nullptr;
    auto copy = std::make_unique<HostCopy>();
    const auto from_planes = planes_of(from.surface), to_planes = planes_of(to.surface);
    for (std::size_t plane = 0; plane < from_planes.size(); ++plane) {
        const Surface &a = *from_planes[plane], &b = *to_planes[plane];
        if (share_memory(a, b))
            return nullptr;
        copy->add(a, *from.region, b, *to.region);
    }
    return copy;
}

Status copy_by_device(Direction direction, const StraightCopy::End &device, const StraightCopy::End &host,
                      std::unique_ptr<StraightCopy> &copy) {
    if (!device.surface->device->direct() || device.region->pixels == 0)
        return PIXMPI_SUCCESS;
    auto made = std::make_unique<DeviceCopy>();
    const auto planes = planes_of(device.surface), host_planes = planes_of(host.surface);
    for (std::size_t plane = 0; plane < planes.size(); ++plane) {
        std::byte *const memory = packed_in(*host_planes[plane], *host.region);
        if (!memory)
            return PIXMPI_SUCCESS;
        if (const Status error = made->add(direction, {planes[plane], device.region}, memory))
            return error;
    }
    copy = std::move(made);
    return PIXMPI_SUCCESS;
}

Status copy_within(Device &device, const StraightCopy::End &from, const StraightCopy::End &to,
                   std::unique_ptr<StraightCopy> &copy) {
    auto *const copies = dynamic_cast<CopiesStraight *>(&device);
    if (!copies)
        return PIXMPI_SUCCESS;
    const auto of_plane = [](const std::shared_ptr<Surface> &plane, const StraightCopy::End &end) {
        return StraightCopy::End{plane, moved(end.region, plane->corner_x, plane->corner_y)};
    };
    const auto from_planes = planes_of(from.surface), to_planes = planes_of(to.surface);
    std::vector<CopiesStraight::Ends> planes;
    for (std::size_t i = 0; i < from_planes.size(); ++i)
        planes.push_back({of_plane(from_planes[i], from), of_plane(to_planes[i], to)});
    return copies->make_straight_copy(planes, copy);
}

} // namespace

Status StraightCopy::make(const End &from, const End &to, std::unique_ptr<StraightCopy> &copy) {
    if (!are_alike(from.surface, to.surface))
        return PIXMPI_SUCCESS;
    if (is_hosts(from) && is_hosts(to))
        copy = copy_on_host(from, to);
    else if (is_hosts(to))
        return copy_by_device(Direction::pack, from, to, copy);
    else if (is_hosts(from))
        return copy_by_device(Direction::unpack, to, from, copy);
    else if (from.surface->device == to.surface->device && from.region->pixels > 0)
        return copy_within(*from.surface->device, from, to, copy);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
