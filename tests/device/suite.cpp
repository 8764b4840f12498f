#include "suite.h"

#include "base/format.h"

#include <algorithm>
#include <cstring>

namespace device_suite {
namespace {

/// Calls visit(packed index, index in the picture) for each pixel.
template <class Visit> void for_each_pixel(const Region &region, Extent extent, Visit visit) {
    std::size_t at = 0;
    for (const pixMPI_Rect &r : region.rects)
        for (int y = r.y; y < r.y + r.height; ++y)
            for (int x = r.x; x < r.x + r.width; ++x)
                visit(at++, static_cast<std::size_t>(y) * static_cast<std::size_t>(extent.width) +
                                static_cast<std::size_t>(x));
}

std::size_t pixel_bytes(pixMPI_Format format) { return static_cast<std::size_t>(pixmpi::format_info(format).bytes); }

} // namespace

void expect_same(pixMPI_Format format, Bytes expected, Bytes actual, const char *what) {
    ASSERT_EQ(expected.size(), actual.size()) << what;
    drop_unused(format, expected);
    drop_unused(format, actual);
    const auto [e, a] = std::mismatch(expected.begin(), expected.end(), actual.begin());
    if (e == expected.end())
        return;
    const std::size_t at = static_cast<std::size_t>(e - expected.begin()), size = pixel_bytes(format);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < expected.size(); i += size)
        wrong += !std::equal(&expected[i], &expected[i] + size, &actual[i]);
    FAIL() << what << ": " << wrong << " of " << expected.size() / size << " pixels differ, first pixel " << at / size
           << ", byte " << at % size << ": " << static_cast<int>(*a) << " for " << static_cast<int>(*e);
}

std::shared_ptr<const Region> region_of(const std::vector<pixMPI_Rect> &rects) {
    auto region = std::make_shared<Region>();
    for (const pixMPI_Rect &rect : rects)
        region->add(rect);
    region->commit();
    return region;
}

Bytes Picture::packed(const Region &region) const {
    const std::size_t size = pixel_bytes(format);
    Bytes all(region.pixels * size);
    for_each_pixel(region, extent, [&](std::size_t at, std::size_t pixel) {
        std::copy_n(&pixels[pixel * size], size, &all[at * size]);
    });
    return all;
}

void Picture::unpack(const Region &region, const Bytes &packed) {
    const std::size_t size = pixel_bytes(format);
    for_each_pixel(region, extent, [&](std::size_t at, std::size_t pixel) {
        if (at * size < packed.size())
            std::copy_n(&packed[at * size], size, &pixels[pixel * size]);
    });
}

Picture random_picture(DeviceRig &rig, pixMPI_Format format, Extent extent, Random &random) {
    Picture picture{format, extent, {}};
    picture.pixels = random.bytes(static_cast<std::size_t>(extent.width) * static_cast<std::size_t>(extent.height) *
                                  pixel_bytes(format));
    rig.tame(format, picture.pixels);
    return picture;
}

void check_pack(DeviceRig &rig, pixMPI_Format format, Extent extent, const std::vector<pixMPI_Rect> &rects,
                Random &random) {
    const Picture picture = random_picture(rig, format, extent, random);
    const auto surface = rig.make(format, extent, picture.pixels);
    ASSERT_NE(surface, nullptr);
    ASSERT_EQ(surface->pixel_bytes, static_cast<int>(pixel_bytes(format)));
    const auto region = region_of(rects);
    std::unique_ptr<pixmpi::Transfer> transfer;
    ASSERT_EQ(rig.device().make_transfer(Direction::pack, surface, region, transfer), PIXMPI_SUCCESS)
        << pixMPI_Error_text();
    const std::uint64_t part = region->pixels - random.below(region->pixels / 2 + 1);
    for (const std::uint64_t pixels : {region->pixels, part}) { // the second time as a persistent request would
        Bytes expected = picture.packed(*region), actual;
        expected.resize(pixels * pixel_bytes(format));
        pack_all(rig, *transfer, pixel_bytes(format), pixels, random, actual);
        expect_same(format, expected, actual, "packed");
    }
    expect_same(format, picture.pixels, rig.read(*surface), "the surface that was packed");
    rig.check(*surface);
}

void check_unpack(DeviceRig &rig, pixMPI_Format format, Extent extent, const std::vector<pixMPI_Rect> &rects,
                  Random &random) {
    Picture picture = random_picture(rig, format, extent, random);
    const auto surface = rig.make(format, extent, picture.pixels);
    ASSERT_NE(surface, nullptr);
    const auto region = region_of(rects);
    std::unique_ptr<pixmpi::Transfer> transfer;
    ASSERT_EQ(rig.device().make_transfer(Direction::unpack, surface, region, transfer), PIXMPI_SUCCESS)
        << pixMPI_Error_text();
    const std::uint64_t part = region->pixels - random.below(region->pixels / 2 + 1);
    for (const std::uint64_t pixels : {region->pixels, part}) {
        Bytes packed = random.bytes(pixels * pixel_bytes(format));
        rig.tame(format, packed);
        unpack_all(rig, *transfer, pixel_bytes(format), packed, random);
        picture.unpack(*region, packed);
        expect_same(format, picture.pixels, rig.read(*surface), "the surface that was unpacked into");
    }
    rig.check(*surface);
}

void check_both(DeviceRig &rig, pixMPI_Format format, Extent extent, const std::vector<pixMPI_Rect> &rects,
                Random &random) {
    if (has(rig, Direction::pack, format))
        check_pack(rig, format, extent, rects, random);
    if (has(rig, Direction::unpack, format))
        check_unpack(rig, format, extent, rects, random);
}

} // namespace device_suite
