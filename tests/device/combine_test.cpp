// Unpacking that combines, compared with the host's arithmetic of packed pixels.
#include "suite.h"

#include "memory/combining_transfer.h"

#include <cstring>

using namespace device_suite;
using pixmpi::Combination;
using pixmpi::Operation;
using pixmpi::Order;

namespace {

constexpr std::array<Operation, 9> operations{Operation::sum,  Operation::prod, Operation::min,
                                              Operation::max,  Operation::band, Operation::bor,
                                              Operation::bxor, Operation::over, Operation::over_straight};

std::unique_ptr<pixmpi::Transfer> make(const Combination &how, std::shared_ptr<pixmpi::Surface> surface,
                                       std::shared_ptr<const Region> region) {
    std::unique_ptr<pixmpi::Transfer> transfer;
    EXPECT_EQ(pixmpi::make_transfer(Direction::unpack, how, std::move(surface), std::move(region), transfer),
              PIXMPI_SUCCESS)
        << pixMPI_Error_text();
    return transfer;
}

/// As the host does it.
void combine(const Combination &how, Picture &picture, const Region &region, const Bytes &incoming) {
    Bytes present = picture.packed(region);
    const std::size_t pixel = static_cast<std::size_t>(pixMPI_Format_bytes(picture.format));
    pixmpi::Combiner(how, picture.format)(present.data(), incoming.data(), incoming.size() / pixel);
    present.resize(incoming.size());
    picture.unpack(region, present);
}

/// Rectangles of a grid of odd cells, in any order, some of them left out: none overlaps another.
std::vector<pixMPI_Rect> cells(Extent extent, Random &random) {
    const int width = random.between(1, extent.width), height = random.between(1, extent.height);
    std::vector<pixMPI_Rect> rects;
    for (int y = 0; y < extent.height; y += height)
        for (int x = 0; x < extent.width; x += width)
            if (rects.empty() || random.below(5) != 0)
                rects.push_back({x, y, std::min(width - (width > 3 ? 1 : 0), extent.width - x),
                                 std::min(height, extent.height - y)});
    random.shuffle(rects);
    return rects;
}

class Combining : public OnEachRig {
  protected:
    // Numbers between the subnormal and the infinite ones stay there: devices may take subnormal numbers for zero. So
    // do what is divided and what is multiplied twice, and divisors are of moderate size.
    Bytes tamed(pixMPI_Format format, Bytes pixels, Operation operation = Operation::sum) const {
        const auto &info = pixmpi::format_info(format);
        const bool real = info.numbers == pixmpi::Numbers::sfloat;
        rig->tame(format, pixels);
        if (real)
            make_plain(format, pixels);
        const bool near_one = operation == Operation::over_straight || operation == Operation::prod;
        for (std::size_t at = 0; near_one && real && info.channel_bytes == 4 && at < pixels.size(); at += 4) {
            std::uint32_t word = 0;
            std::memcpy(&word, &pixels[at], 4);
            word = (word & 0x807fffff) | (119 + (word >> 23 & 15)) << 23;
            std::memcpy(&pixels[at], &word, 4);
        }
        return pixels;
    }

    /// Two messages, the second one shorter, as a persistent request would have them.
    void check(const Combination &how, pixMPI_Format format, Extent extent, const std::vector<pixMPI_Rect> &rects,
               Random &random) {
        SCOPED_TRACE(std::string(pixmpi::operation_name(how.operation)) + " of " + pixMPI_Format_name(format));
        Picture picture = random_picture(*rig, format, extent, random);
        picture.pixels = tamed(format, picture.pixels, how.operation);
        const auto surface = rig->make(format, extent, picture.pixels);
        ASSERT_NE(surface, nullptr);
        const auto region = region_of(rects);
        const auto transfer = make(how, surface, region);
        ASSERT_NE(transfer, nullptr);
        const std::size_t pixel = static_cast<std::size_t>(pixMPI_Format_bytes(format));
        const std::uint64_t part = region->pixels - random.below(region->pixels / 2 + 1);
        for (const std::uint64_t pixels : {region->pixels, part}) {
            const Bytes incoming = tamed(format, random.bytes(pixels * pixel), how.operation);
            unpack_all(*rig, *transfer, pixel, incoming, random);
            const Bytes actual = rig->read(*surface);
            combine(how, picture, *region, incoming);
            expect_same_numbers(how, format, picture.pixels, actual);
            picture.pixels = actual; // differences do not grow
        }
        rig->check(*surface);
    }

    // Devices divide floats nearly as exactly as the host.
    void expect_same_numbers(const Combination &how, pixMPI_Format format, const Bytes &expected, Bytes actual) {
        const auto &info = pixmpi::format_info(format);
        if (how.operation == Operation::over_straight && info.numbers == pixmpi::Numbers::sfloat) {
            const std::size_t size = static_cast<std::size_t>(info.channel_bytes);
            for (std::size_t at = 0; at + size <= expected.size(); at += size) {
                std::uint32_t e = 0, a = 0;
                std::memcpy(&e, &expected[at], size);
                std::memcpy(&a, &actual[at], size);
                if ((e > a ? e - a : a - e) <= 4)
                    std::copy_n(&expected[at], size, &actual[at]);
            }
        }
        expect_same(format, expected, actual, "combined");
    }

    std::vector<pixMPI_Format> formats() const {
        std::vector<pixMPI_Format> all;
        for (const pixMPI_Format format : all_formats(*rig))
            if (has(*rig, Direction::pack, format) && has(*rig, Direction::unpack, format) &&
                pixmpi::can_combine(Operation::min, format))
                all.push_back(format);
        return all;
    }

    Combination any_combination(pixMPI_Format format, Random &random) const {
        Operation operation = Operation::replace;
        while (operation == Operation::replace || !pixmpi::can_combine(operation, format))
            operation = random.one_of(operations);
        return {operation, random.below(2) ? Order::incoming_first : Order::present_first};
    }
};

} // namespace

TEST_P(Combining, every_format) {
    for (const std::uint64_t seed : seeds(1)) {
        SCOPED_TRACE(how_to_repeat(seed));
        Random random(seed);
        for (const pixMPI_Format format : formats()) {
            const Extent extent{random.between(1, 70), random.between(1, 50)};
            check(any_combination(format, random), format, extent, {{0, 0, extent.width, extent.height}}, random);
        }
    }
}

TEST_P(Combining, random_regions) {
    const auto all = formats();
    for (const std::uint64_t seed : seeds(all.empty() ? 0 : 25)) {
        SCOPED_TRACE(how_to_repeat(seed));
        Random random(seed);
        const int most = random.below(3) == 0 ? rig->largest() : 40;
        const Extent extent{random.between(1, most), random.between(1, most)};
        const pixMPI_Format format = random.one_of(all);
        check(any_combination(format, random), format, extent, cells(extent, random), random);
        if (HasFailure())
            return;
    }
}

// A stage that the CPU does not see, and a surface of the device's own.
TEST_P(Combining, through_memory_of_the_device) {
    Random random(7);
    for (const pixMPI_Format format : {PIXMPI_RGBA8, PIXMPI_RGB16F, PIXMPI_R32F}) {
        const Extent extent{67, 45};
        const std::size_t pixel = static_cast<std::size_t>(pixMPI_Format_bytes(format));
        const auto region = region_of({{0, 0, extent.width, extent.height}});
        Picture picture{format, extent, tamed(format, random.bytes(region->pixels * pixel))};
        std::shared_ptr<pixmpi::Surface> scratch;
        ASSERT_EQ(rig->device().make_scratch(format, extent, scratch), PIXMPI_SUCCESS) << pixMPI_Error_text();
        ASSERT_EQ(scratch->format, format);
        ASSERT_EQ(scratch->extent, extent);
        unpack_all(*rig, *make({}, scratch, region), pixel, picture.pixels, random);

        const Bytes incoming = tamed(format, random.bytes(region->pixels * pixel));
        std::shared_ptr<pixmpi::Surface> source;
        ASSERT_EQ(rig->device().make_scratch(format, extent, source), PIXMPI_SUCCESS) << pixMPI_Error_text();
        unpack_all(*rig, *make({}, source, region), pixel, incoming, random);
        const Combination how{Operation::sum, Order::incoming_first};
        std::unique_ptr<pixmpi::Stage> stage;
        ASSERT_EQ(rig->device().make_stage(pixmpi::StageKind::local, nullptr, incoming.size() + 64, stage),
                  PIXMPI_SUCCESS);
        std::unique_ptr<pixmpi::Transfer> out, back;
        ASSERT_EQ(rig->device().make_transfer(Direction::pack, source, region, out), PIXMPI_SUCCESS);
        const auto in = make(how, scratch, region);
        for (pixmpi::Transfer *one : {out.get(), in.get()}) {
            one->start();
            ASSERT_EQ(one->begin(region->pixels), PIXMPI_SUCCESS);
        }
        for (const auto &[first, count] :
             {std::pair<std::uint64_t, std::uint64_t>{0, 1000}, {1000, region->pixels - 1000}})
            for (pixmpi::Transfer *one : {out.get(), in.get()}) {
                pixmpi::Ticket ticket = pixmpi::done;
                ASSERT_EQ(one->copy(first, count, *stage, 64 + first * pixel, ticket), PIXMPI_SUCCESS)
                    << pixMPI_Error_text();
                bool over = ticket == pixmpi::done;
                for (int i = 0; !over && i < 100'000'000; ++i)
                    ASSERT_EQ(one->poll(ticket, over), PIXMPI_SUCCESS) << pixMPI_Error_text();
                ASSERT_TRUE(over);
            }
        ASSERT_EQ(out->end(), PIXMPI_SUCCESS);
        ASSERT_EQ(in->end(), PIXMPI_SUCCESS);
        combine(how, picture, *region, incoming);
        Bytes actual;
        ASSERT_EQ(rig->device().make_transfer(Direction::pack, scratch, region, back), PIXMPI_SUCCESS);
        pack_all(*rig, *back, pixel, region->pixels, random, actual);
        expect_same(format, picture.pixels, actual, "combined in scratch memory");
    }
}

TEST_P(Combining, what_has_no_meaning_is_refused) {
    std::shared_ptr<pixmpi::Surface> scratch;
    ASSERT_EQ(rig->device().make_scratch(PIXMPI_RGB8, {4, 4}, scratch), PIXMPI_SUCCESS) << pixMPI_Error_text();
    std::unique_ptr<pixmpi::Transfer> transfer;
    EXPECT_EQ(pixmpi::make_transfer(Direction::unpack, {Operation::over}, scratch, region_of({{0, 0, 4, 4}}), transfer),
              PIXMPI_ERR_FORMAT);
    EXPECT_EQ(transfer, nullptr);
}

ON_EACH_RIG(Combining);
