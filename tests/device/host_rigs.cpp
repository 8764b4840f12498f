// Host memory, in rows that lie in different ways.
#include "rig.h"

#include "base/format.h"
#include "host/host_device.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace device_suite {
namespace {

constexpr std::byte gap{0xa5};

class HostRig : public DeviceRig {
  public:
    /// `before` bytes ahead of the first pixel, `between` after each row.
    HostRig(std::size_t before, std::size_t between, bool upside_down)
        : before_(before), between_(between), upside_down_(upside_down) {}

    pixmpi::Device &device() override { return *pixmpi::host_device(); }

    std::vector<pixMPI_Format> formats(pixmpi::Direction) const override {
        std::vector<pixMPI_Format> all;
        for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i)
            all.push_back(static_cast<pixMPI_Format>(i));
        return all;
    }

    std::size_t offset_unit() const override { return 1; }

    std::shared_ptr<pixmpi::Surface> make(pixMPI_Format format, pixmpi::Extent extent, const Bytes &pixels) override {
        Picture picture;
        picture.rows = static_cast<std::size_t>(extent.height);
        picture.row = static_cast<std::size_t>(extent.width) * static_cast<std::size_t>(pixMPI_Format_bytes(format));
        picture.memory.assign(before_ + picture.rows * (picture.row + between_), gap);
        for (std::size_t y = 0; y < picture.rows; ++y)
            std::copy_n(&pixels[y * picture.row], picture.row, row_of(picture, y));
        pixMPI_Surface named = pixMPI_Memory(row_of(picture, 0), format, extent.width, extent.height);
        const auto step = static_cast<std::ptrdiff_t>(picture.row + between_);
        named.row_bytes = upside_down_ ? -step : step;
        std::shared_ptr<pixmpi::Surface> surface;
        EXPECT_EQ(pixmpi::make_host_surface(named, surface), PIXMPI_SUCCESS) << pixMPI_Error_text();
        pictures_[surface.get()] = std::move(picture);
        return surface;
    }

    Bytes read(pixmpi::Surface &surface) override {
        Picture &picture = pictures_.at(&surface);
        Bytes pixels(picture.rows * picture.row);
        for (std::size_t y = 0; y < picture.rows; ++y)
            std::copy_n(row_of(picture, y), picture.row, pixels.data() + y * picture.row);
        return pixels;
    }

    void check(pixmpi::Surface &surface) override {
        Picture &picture = pictures_.at(&surface);
        const auto whole = [](const std::byte *from, std::size_t bytes) {
            return std::all_of(from, from + bytes, [](std::byte b) { return b == gap; });
        };
        EXPECT_TRUE(whole(picture.memory.data(), before_)) << "written before the first row";
        for (std::size_t y = 0; y < picture.rows; ++y)
            EXPECT_TRUE(whole(row_of(picture, y) + picture.row, between_)) << "written behind row " << y;
    }

  private:
    struct Picture {
        std::size_t rows = 0, row = 0;
        Bytes memory;
    };
    std::byte *row_of(Picture &picture, std::size_t y) const {
        const std::size_t place = upside_down_ ? picture.rows - 1 - y : y;
        return picture.memory.data() + before_ + place * (picture.row + between_);
    }

    const std::size_t before_, between_;
    const bool upside_down_;
    std::map<const pixmpi::Surface *, Picture> pictures_;
};

MakeRig rig(std::size_t before, std::size_t between, bool upside_down) {
    return [=] { return std::make_unique<HostRig>(before, between, upside_down); };
}

const bool added = add_rig("host", rig(0, 0, false)) && add_rig("host_with_gaps", rig(64, 16, false)) &&
                   add_rig("host_odd_addresses", rig(1, 3, false)) && add_rig("host_upside_down", rig(0, 0, true)) &&
                   add_rig("host_upside_down_with_gaps", rig(5, 7, true));

} // namespace
} // namespace device_suite
