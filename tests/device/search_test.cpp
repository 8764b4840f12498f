// Search for active cells by the devices' shaders, against the CPU's of the same pixels.
#include "suite.h"

#include "base/wait.h"
#include "composite/device_search.h"
#include "composite/search.h"

#include <cstring>

using namespace device_suite;
using pixmpi::Cells;
using pixmpi::DeviceSearch;

namespace {

/// Background; and now and then what is nearly background, or far from it.
void put_pixel(pixMPI_Format format, bool is_background, Random &random, std::byte *to) {
    const auto put = [&](auto word) { std::memcpy(to, &word, sizeof word); };
    const auto one_of = [&](auto... values) {
        const std::array all{values...};
        return all[random.below(all.size())];
    };
    switch (format) {
    case PIXMPI_DEPTH16:
        return put(is_background ? std::uint16_t{0xFFFF} : one_of(std::uint16_t{0xFFFE}, std::uint16_t{0}));
    case PIXMPI_DEPTH24:
        return put(is_background ? 0xFFFFFF00u : one_of(0xFFFFFE00u, 0u));
    case PIXMPI_DEPTH24_STENCIL8: // stencils do not count
        return put(static_cast<std::uint32_t>(random.below(256)) |
                   (is_background ? 0xFFFFFF00u : one_of(0xFFFFFE00u, 0x80000000u)));
    case PIXMPI_DEPTH32F:
    case PIXMPI_DEPTH32F_STENCIL8: {
        put(is_background ? 1.0f : one_of(0.99999994f, 0.0f));
        const auto stencil = static_cast<std::uint32_t>(random.below(256));
        if (format == PIXMPI_DEPTH32F_STENCIL8)
            std::memcpy(to + 4, &stencil, sizeof stencil);
        return;
    }
    default: { // one of the bytes, and not the sign of a NaN
        const auto bytes = static_cast<std::size_t>(pixMPI_Format_bytes(format));
        std::fill(to, to + bytes, std::byte{0});
        if (!is_background)
            to[random.below(bytes)] = std::byte{0x21};
    }
    }
}

class Search : public OnEachRig {
  protected:
    static std::size_t size_of(pixMPI_Format format) { return static_cast<std::size_t>(pixMPI_Format_bytes(format)); }

    static Cells found_by_cpu(const Picture &picture, const pixMPI_Rect &rect) {
        Cells found(picture.extent);
        const auto step = static_cast<std::ptrdiff_t>(size_of(picture.format)) * picture.extent.width;
        pixmpi::find_active({const_cast<std::byte *>(picture.pixels.data()), step}, picture.format, rect, found);
        return found;
    }

    /// A few blots in the background, up to single pixels.
    Picture draw(pixMPI_Format format, Extent extent, Random &random) const {
        Picture picture{format, extent, {}};
        const auto width = static_cast<std::size_t>(extent.width), height = static_cast<std::size_t>(extent.height);
        picture.pixels.resize(width * height * size_of(format));
        std::vector<bool> active(width * height);
        for (std::uint64_t blots = random.below(12); blots > 0; --blots) {
            const std::size_t x = random.below(width), y = random.below(height);
            const std::size_t right = std::min(width, x + 1 + random.below(20) * random.below(2));
            const std::size_t top = std::min(height, y + 1 + random.below(20) * random.below(2));
            for (std::size_t row = y; row < top; ++row)
                std::fill(active.begin() + static_cast<std::ptrdiff_t>(row * width + x),
                          active.begin() + static_cast<std::ptrdiff_t>(row * width + right), true);
        }
        for (std::size_t i = 0; i < active.size(); ++i)
            put_pixel(format, !active[i], random, &picture.pixels[i * size_of(format)]);
        rig->tame(format, picture.pixels);
        return picture;
    }

    static pixMPI_Rect any_rect(Extent extent, Random &random) {
        const int x = random.between(0, extent.width - 1), y = random.between(0, extent.height - 1);
        return {x, y, random.between(1, extent.width - x), random.between(1, extent.height - y)};
    }

    void check(const Picture &picture, const std::shared_ptr<pixmpi::Surface> &surface, const pixMPI_Rect &rect,
               std::size_t at_once = DeviceSearch::usual_bytes) {
        std::unique_ptr<DeviceSearch> search;
        ASSERT_EQ(DeviceSearch::make(surface->device, search, at_once), PIXMPI_SUCCESS) << pixMPI_Error_text();
        ASSERT_EQ(search != nullptr, rig->has_passes());
        if (!search)
            return;
        ASSERT_EQ(search->begin(surface, rect, false), PIXMPI_SUCCESS) << pixMPI_Error_text();
        pixmpi::Wait wait;
        for (bool over = false; !over; wait.pause()) {
            ASSERT_EQ(search->advance(over), PIXMPI_SUCCESS) << pixMPI_Error_text();
            ASSERT_LT(wait.waited(), std::chrono::seconds(60));
        }
        while (!search->settled())
            wait.pause();
        ASSERT_TRUE(search->found().has_value());
        EXPECT_EQ(search->found()->bits(), found_by_cpu(picture, rect).bits())
            << pixMPI_Format_name(picture.format) << ' ' << picture.extent.width << 'x' << picture.extent.height
            << ", from " << rect.x << ',' << rect.y << " on " << rect.width << 'x' << rect.height;
    }

    std::shared_ptr<pixmpi::Surface> surface_of(const Picture &picture) const {
        return rig->make(picture.format, picture.extent, picture.pixels);
    }
};

} // namespace

TEST_P(Search, every_format) {
    for (const std::uint64_t seed : seeds(2)) {
        SCOPED_TRACE(how_to_repeat(seed));
        Random random(seed);
        for (const pixMPI_Format format : rig->formats(Direction::pack)) {
            const Extent extent{random.between(1, 90), random.between(1, 60)};
            const Picture picture = draw(format, extent, random);
            const auto surface = surface_of(picture);
            ASSERT_NE(surface, nullptr);
            check(picture, surface, {0, 0, extent.width, extent.height});
            check(picture, surface, any_rect(extent, random));
            rig->check(*surface);
            if (HasFailure())
                return;
        }
    }
}

TEST_P(Search, at_once_and_in_parts) {
    Random random(61);
    const auto formats = rig->formats(Direction::pack);
    for (const Extent extent : {Extent{rig->largest(), 37}, {33, rig->largest()}, {rig->largest(), rig->largest()}}) {
        const Picture picture = draw(random.one_of(formats), extent, random);
        const auto surface = surface_of(picture);
        ASSERT_NE(surface, nullptr);
        for (const std::size_t at_once : {std::size_t{1}, std::size_t{20000}, DeviceSearch::usual_bytes}) {
            check(picture, surface, any_rect(extent, random), at_once);
            check(picture, surface, {0, 0, extent.width, extent.height}, at_once);
        }
    }
}

/// Of more than 8 pixels, in memory of the library.
TEST_P(Search, large_cells) {
    Random random(62);
    for (const pixMPI_Format format : {PIXMPI_RGB8, PIXMPI_DEPTH32F})
        for (const Extent extent : {Extent{2061, 23}, {19, 1801}}) {
            const Picture picture = draw(format, extent, random);
            const pixMPI_Rect all{0, 0, extent.width, extent.height};
            std::shared_ptr<pixmpi::Surface> scratch;
            ASSERT_EQ(rig->device().make_scratch(format, extent, scratch), PIXMPI_SUCCESS) << pixMPI_Error_text();
            std::unique_ptr<pixmpi::Transfer> unpack;
            ASSERT_EQ(rig->device().make_transfer(Direction::unpack, scratch, region_of({all}), unpack), PIXMPI_SUCCESS)
                << pixMPI_Error_text();
            unpack_all(*rig, *unpack, size_of(format), picture.pixels, random);
            check(picture, scratch, all);
            check(picture, scratch, any_rect(extent, random), 50000);
        }
}

ON_EACH_RIG(Search);
