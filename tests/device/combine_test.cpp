// Unpacking that combines, compared with the host's arithmetic of packed pixels.
#include "suite.h"

#include "combine/for_shader.h"
#include "combine/nearest.h"
#include "device/combining_transfer.h"
#include "twice_less.h"

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

/// Dozens of odd sizes, with gaps between them, in any order.
std::vector<pixMPI_Rect> dozens(Extent extent, Random &random) {
    std::vector<pixMPI_Rect> rects;
    for (int y = 0, height = 0; y < extent.height; y += height) {
        height = std::min(random.between(2, 9), extent.height - y);
        for (int x = 0, width = 0; x < extent.width; x += width) {
            width = std::min(random.between(2, 13), extent.width - x);
            const pixMPI_Rect rect{x, y, random.between(1, width), random.between(1, height)};
            if (random.below(4) != 0)
                rects.push_back(rect);
        }
    }
    random.shuffle(rects);
    return rects;
}

/// Lets through what the device combines by itself, and fails for all else.
class DeviceAlone final : public pixmpi::Transfer {
  public:
    DeviceAlone(Combination how, std::unique_ptr<pixmpi::Transfer> unpack)
        : how_(std::move(how)), unpack_(std::move(unpack)) {}
    void start() override { unpack_->start(); }
    pixmpi::Status begin(std::uint64_t pixels) override { return unpack_->begin(pixels); }
    pixmpi::Status copy(std::uint64_t first, std::uint64_t count, pixmpi::Stage &stage, std::size_t offset,
                        pixmpi::Ticket &ticket) override {
        bool accepted = false;
        const pixmpi::Status status = unpack_->combine(how_, nullptr, first, count, stage, offset, ticket, accepted);
        return status || accepted
                   ? status
                   : pixmpi::fail(PIXMPI_ERR_DEVICE, "not taken: %llu pixels from %llu on",
                                  static_cast<unsigned long long>(count), static_cast<unsigned long long>(first));
    }
    pixmpi::Status poll(pixmpi::Ticket ticket, bool &over) override { return unpack_->poll(ticket, over); }
    pixmpi::Status end() override { return unpack_->end(); }
    void give_up() override { unpack_->give_up(); }
    bool settled() override { return unpack_->settled(); }

  private:
    const Combination how_;
    const std::unique_ptr<pixmpi::Transfer> unpack_;
};

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
        const bool halves = info.channel_bytes == 2 && operation == Operation::over_straight;
        for (std::size_t at = 0; halves && real && at < pixels.size(); at += 2) {
            std::uint16_t half = 0;
            std::memcpy(&half, &pixels[at], 2);
            half = static_cast<std::uint16_t>((half & 0x83ff) | (11 + (half >> 10 & 7)) << 10);
            std::memcpy(&pixels[at], &half, 2);
        }
        return pixels;
    }

    /// Two messages, the second one shorter, as a persistent request would have them. `alone`: the CPU does nothing.
    void check(const Combination &how, pixMPI_Format format, Extent extent, const std::vector<pixMPI_Rect> &rects,
               Random &random, bool alone = false) {
        SCOPED_TRACE(std::string(pixmpi::operation_name(how.operation)) + " of " + pixMPI_Format_name(format));
        Picture picture = random_picture(*rig, format, extent, random);
        picture.pixels = tamed(format, picture.pixels, how.operation);
        const auto surface = rig->make(format, extent, picture.pixels);
        ASSERT_NE(surface, nullptr);
        const auto region = region_of(rects);
        auto transfer = make(alone ? Combination{} : how, surface, region);
        ASSERT_NE(transfer, nullptr);
        if (alone)
            transfer = std::make_unique<DeviceAlone>(how, std::move(transfer));
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

    std::vector<pixMPI_Format> formats() const { return formats_to_combine(*rig); }

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

// A stage that the CPU does not see, and a surface of the device.
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

namespace {

/// On buffers that shaders may access, where a shader has to combine whatever it knows.
class CombiningInBuffers : public Combining {
  protected:
    static bool by_shader(const Combination &how, pixMPI_Format format) {
        pixmpi::ShaderCombination shader;
        return pixmpi::can_combine(how.operation, format) && pixmpi::for_shader(how, format, shader);
    }

    /// What pixels mean is nothing to bits; and drivers that draw with the CPU compile for long.
    static bool is_like_another(Operation operation, pixMPI_Format format) {
        const bool bits = operation == Operation::band || operation == Operation::bor || operation == Operation::bxor;
        return bits && pixmpi::format_info(format).numbers != pixmpi::Numbers::uint;
    }
};

/// `kernels`: CUDA's, too.
std::vector<std::string> names_of_buffers_for_shaders(bool kernels = false) {
    std::vector<std::string> names = rig_names();
    std::erase_if(names, [=](const std::string &name) {
        return name != (kernels ? "cuda_kernels" : "") && name != "gl_shaders_buffer" &&
               name != "vk_shaders_storage_buffer" && name != "vk_shaders_odd_whole_storage_buffer";
    });
    return names;
}

} // namespace

TEST_P(CombiningInBuffers, every_format_and_operation_without_the_cpu) {
    for (const std::uint64_t seed : seeds(1)) {
        SCOPED_TRACE(how_to_repeat(seed));
        Random random(seed);
        for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i)
            for (const Operation operation : operations) {
                const auto format = static_cast<pixMPI_Format>(i);
                const Combination how{operation, random.below(2) ? Order::incoming_first : Order::present_first};
                if (!by_shader(how, format) || is_like_another(operation, format))
                    continue;
                const Extent extent{random.between(1, 70), random.between(1, 50)};
                const bool whole = random.below(3) == 0;
                check(how, format, extent,
                      whole ? std::vector<pixMPI_Rect>{{0, 0, extent.width, extent.height}} : cells(extent, random),
                      random, true);
                if (HasFailure())
                    return;
            }
    }
}

/// In bands of few rectangles, and of so many that they are a list.
TEST_P(CombiningInBuffers, dozens_of_rectangles) {
    for (const std::uint64_t seed : seeds(2)) {
        SCOPED_TRACE(how_to_repeat(seed));
        Random random(seed);
        for (const auto &[operation, format] : {std::pair(Operation::over, PIXMPI_RGBA8),
                                                {Operation::over_straight, PIXMPI_RGBA32F},
                                                {Operation::over, PIXMPI_RGBA16F},
                                                {Operation::sum, PIXMPI_RGB8},
                                                {Operation::max, PIXMPI_R16},
                                                {Operation::min, PIXMPI_R8UI},
                                                {Operation::bxor, PIXMPI_RGB32UI},
                                                {Operation::prod, PIXMPI_RG16F}}) {
            const Extent extent{random.between(60, 150), random.between(50, 120)};
            const std::vector<pixMPI_Rect> rects = dozens(extent, random);
            ASSERT_GT(rects.size(), 24u);
            check({operation, Order::present_first}, format, extent, rects, random, true);
            if (HasFailure())
                return;
        }
    }
}

/// More pixels than a row of workgroups takes, in one band.
TEST_P(CombiningInBuffers, more_than_a_row_of_workgroups) {
    Random random(51);
    const Extent extent{4'200'001, 1};
    const auto region = region_of({{0, 0, extent.width, extent.height}});
    Picture picture = random_picture(*rig, PIXMPI_RGBA8, extent, random);
    const auto surface = rig->make(picture.format, extent, picture.pixels);
    const Combination how{Operation::over, Order::present_first};
    DeviceAlone transfer(how, make({}, surface, region));
    const Bytes incoming = random.bytes(picture.pixels.size());
    std::unique_ptr<pixmpi::Stage> stage;
    ASSERT_EQ(rig->device().make_stage(pixmpi::StageKind::mapped, nullptr, incoming.size(), stage), PIXMPI_SUCCESS);
    std::copy(incoming.begin(), incoming.end(), stage->host);
    transfer.start();
    ASSERT_EQ(transfer.begin(region->pixels), PIXMPI_SUCCESS);
    pixmpi::Ticket ticket = pixmpi::done;
    ASSERT_EQ(transfer.copy(0, region->pixels, *stage, 0, ticket), PIXMPI_SUCCESS) << pixMPI_Error_text();
    bool over = ticket == pixmpi::done;
    for (int i = 0; !over && i < 100'000'000; ++i)
        ASSERT_EQ(transfer.poll(ticket, over), PIXMPI_SUCCESS) << pixMPI_Error_text();
    ASSERT_TRUE(over);
    ASSERT_EQ(transfer.end(), PIXMPI_SUCCESS);
    combine(how, picture, *region, incoming);
    expect_same(picture.format, picture.pixels, rig->read(*surface), "combined");
    rig->check(*surface);
}

/// Neighbours that share words, as slices of a surface have them, are combined in any order.
TEST_P(CombiningInBuffers, small_pixels_beside_each_other) {
    Random random(52);
    for (const pixMPI_Format format : {PIXMPI_R8, PIXMPI_RGB8UI, PIXMPI_R16F, PIXMPI_RGB16_SNORM})
        for (int round = 0; round < 5; ++round) {
            const Extent extent{random.between(5, 30), random.between(2, 9)};
            const int x = random.between(1, extent.width - 1), y = random.between(1, extent.height - 1);
            std::vector<pixMPI_Rect> rects{{0, 0, x, y},
                                           {x, 0, extent.width - x, y},
                                           {x, y, extent.width - x, extent.height - y},
                                           {0, y, x, extent.height - y}};
            random.shuffle(rects);
            check({Operation::sum, Order::present_first}, format, extent, rects, random, true);
        }
}

namespace {

/// Colours and depths of the device, and what they should hold.
class WithDepth : public Combining {
  protected:
    void make_planes(pixMPI_Format color, pixMPI_Format depth, Extent extent, Random &random) {
        planes[0] = random_picture(*rig, color, extent, random);
        planes[1] = {depth, extent, depths_for(depth, planes[0].pixels.size() / size_of(color), random)};
        parts[0] = rig->make(color, extent, planes[0].pixels);
        parts[1] = rig->make(depth, extent, planes[1].pixels);
        ASSERT_NE(parts[0], nullptr);
        ASSERT_NE(parts[1], nullptr);
        ASSERT_EQ(pixmpi::join_with_depth(parts[0], parts[1], surface), PIXMPI_SUCCESS) << pixMPI_Error_text();
    }

    static std::size_t size_of(pixMPI_Format format) { return static_cast<std::size_t>(pixMPI_Format_bytes(format)); }

    /// Some are equal; all of them are what every device keeps.
    Bytes depths_for(pixMPI_Format format, std::size_t count, Random &random) const {
        Bytes few = random.bytes(5 * size_of(format));
        rig->tame(format, few);
        make_plain(format, few);
        Bytes depths;
        for (std::size_t i = 0; i < count; ++i) {
            const std::byte *one = &few[random.below(5) * size_of(format)];
            depths.insert(depths.end(), one, one + size_of(format));
        }
        return depths;
    }

    /// All bands, with depths behind their colours. `packed`: of both planes; `incoming`: they are written there.
    void move(pixmpi::Transfer &transfer, std::array<Bytes, 2> &packed, bool incoming, Random &random) {
        const std::size_t color = size_of(planes[0].format), depth = size_of(planes[1].format);
        const std::uint64_t pixels = packed[0].size() / color;
        std::unique_ptr<pixmpi::Stage> stage;
        ASSERT_EQ(rig->device().make_stage(pixmpi::StageKind::mapped, nullptr, 64 + pixels * (color + depth), stage),
                  PIXMPI_SUCCESS);
        transfer.start();
        ASSERT_EQ(transfer.begin(pixels), PIXMPI_SUCCESS) << pixMPI_Error_text();
        for (std::uint64_t first = 0, count = 0; first < pixels; first += count) {
            count = 1 + random.below(pixels - first);
            const pixmpi::PlanesInBand at(planes[0].format, planes[1].format, count);
            std::byte *const colors = stage->host + 64 + at.colors, *const depths = stage->host + 64 + at.depths;
            if (incoming) {
                std::copy_n(&packed[0][first * color], count * color, colors);
                std::copy_n(&packed[1][first * depth], count * depth, depths);
            }
            pixmpi::Ticket ticket = pixmpi::done;
            ASSERT_EQ(transfer.copy(first, count, *stage, 64, ticket), PIXMPI_SUCCESS) << pixMPI_Error_text();
            bool over = ticket == pixmpi::done;
            for (int i = 0; !over && i < 100'000'000; ++i)
                ASSERT_EQ(transfer.poll(ticket, over), PIXMPI_SUCCESS) << pixMPI_Error_text();
            ASSERT_TRUE(over);
            if (!incoming) {
                std::copy_n(colors, count * color, &packed[0][first * color]);
                std::copy_n(depths, count * depth, &packed[1][first * depth]);
            }
        }
        ASSERT_EQ(transfer.end(), PIXMPI_SUCCESS) << pixMPI_Error_text();
    }

    std::array<Bytes, 2> packed(const Region &region) const {
        return {planes[0].packed(region), planes[1].packed(region)};
    }

    void expect_planes() {
        expect_same(planes[0].format, planes[0].pixels, rig->read(*parts[0]), "colours");
        expect_same(planes[1].format, planes[1].pixels, rig->read(*parts[1]), "depths");
        rig->check(*parts[0]);
        rig->check(*parts[1]);
    }

    std::vector<std::pair<pixMPI_Format, pixMPI_Format>> pairs() const {
        std::vector<std::pair<pixMPI_Format, pixMPI_Format>> all;
        for (const pixMPI_Format color :
             {PIXMPI_RGBA8, PIXMPI_RGBA16F, PIXMPI_RGBA32F, PIXMPI_RGB10_A2, PIXMPI_RGB32F, PIXMPI_R32UI})
            for (const pixMPI_Format depth :
                 {PIXMPI_DEPTH16, PIXMPI_DEPTH24, PIXMPI_DEPTH32F, PIXMPI_DEPTH24_STENCIL8, PIXMPI_DEPTH32F_STENCIL8})
                if (has_both(color) && has_both(depth))
                    all.emplace_back(color, depth);
        return all;
    }

    std::array<Picture, 2> planes;
    std::array<std::shared_ptr<pixmpi::Surface>, 2> parts;
    std::shared_ptr<pixmpi::Surface> surface;

  private:
    bool has_both(pixMPI_Format format) const {
        return has(*rig, Direction::pack, format) && has(*rig, Direction::unpack, format);
    }
};

} // namespace

TEST_P(WithDepth, both_planes_move) {
    Random random(31);
    for (const auto &[color, depth] : pairs()) {
        SCOPED_TRACE(std::string(pixMPI_Format_name(color)) + " with " + pixMPI_Format_name(depth));
        const Extent extent{random.between(1, 70), random.between(1, 50)};
        ASSERT_NO_FATAL_FAILURE(make_planes(color, depth, extent, random));
        const auto region = region_of(cells(extent, random));
        std::unique_ptr<pixmpi::Transfer> out;
        ASSERT_EQ(pixmpi::make_transfer(Direction::pack, {}, surface, region, out), PIXMPI_SUCCESS);
        const std::array<Bytes, 2> expected = packed(*region);
        std::array<Bytes, 2> actual{Bytes(expected[0].size()), Bytes(expected[1].size())};
        move(*out, actual, false, random);
        expect_same(color, expected[0], actual[0], "packed colours");
        expect_same(depth, expected[1], actual[1], "packed depths");
        std::array<Bytes, 2> incoming{random.bytes(expected[0].size()), depths_for(depth, region->pixels, random)};
        rig->tame(color, incoming[0]);
        move(*make({}, surface, region), incoming, true, random);
        planes[0].unpack(*region, incoming[0]);
        planes[1].unpack(*region, incoming[1]);
        expect_planes();
    }
}

TEST_P(WithDepth, nearest) {
    for (const std::uint64_t seed : seeds(2)) {
        SCOPED_TRACE(how_to_repeat(seed));
        Random random(seed);
        for (const auto &[color, depth] : pairs()) {
            SCOPED_TRACE(std::string(pixMPI_Format_name(color)) + " with " + pixMPI_Format_name(depth));
            const Extent extent{random.between(1, 70), random.between(1, 50)};
            ASSERT_NO_FATAL_FAILURE(make_planes(color, depth, extent, random));
            const auto region = region_of(cells(extent, random));
            const Order order = random.below(2) ? Order::incoming_first : Order::present_first;
            const auto transfer = make({Operation::nearest, order}, surface, region);
            ASSERT_NE(transfer, nullptr);
            for (int turn = 0; turn < 2; ++turn) {
                std::array<Bytes, 2> present = packed(*region);
                std::array<Bytes, 2> incoming{random.bytes(present[0].size()),
                                              depths_for(depth, region->pixels, random)};
                if (turn == 1) // equal depths
                    incoming[1] = present[1];
                rig->tame(color, incoming[0]);
                move(*transfer, incoming, true, random);
                pixmpi::Nearest(order, color, depth)({present[0].data(), present[1].data()},
                                                     {incoming[0].data(), incoming[1].data()}, region->pixels);
                planes[0].unpack(*region, present[0]);
                planes[1].unpack(*region, present[1]);
                expect_planes();
            }
            if (HasFailure())
                return;
        }
    }
}

namespace {

/// As schedules fold: what the device has packed, in its own memory, from its own stage.
class NearestInMemory : public WithDepth {
  protected:
    void check_nearest(const std::shared_ptr<const Region> &region, Extent extent, Random &random, bool alone);
};

void NearestInMemory::check_nearest(const std::shared_ptr<const Region> &region, Extent extent, Random &random,
                                    bool alone) {
    for (const auto &[color, depth] : {std::pair(PIXMPI_RGBA8, PIXMPI_DEPTH32F),
                                       {PIXMPI_RGBA16F, PIXMPI_DEPTH16},
                                       {PIXMPI_RGBA32F, PIXMPI_DEPTH24},
                                       {PIXMPI_RGB10_A2, PIXMPI_DEPTH24_STENCIL8},
                                       {PIXMPI_RGB32F, PIXMPI_DEPTH32F_STENCIL8}})
        for (const Order order : {Order::incoming_first, Order::present_first}) {
            SCOPED_TRACE(std::string(pixMPI_Format_name(color)) + " with " + pixMPI_Format_name(depth));
            const std::size_t size = size_of(color) + size_of(depth);
            const std::size_t pixels = region->pixels, all = pixels * size;
            const pixmpi::PlanesInBand at(color, depth, pixels);
            std::array<std::shared_ptr<pixmpi::Surface>, 2> both; // present, incoming
            std::array<std::array<Bytes, 2>, 2> contents;
            std::unique_ptr<pixmpi::Stage> seen, unseen;
            ASSERT_EQ(rig->device().make_stage(pixmpi::StageKind::mapped, nullptr, all, seen), PIXMPI_SUCCESS);
            ASSERT_EQ(rig->device().make_stage(pixmpi::StageKind::local, nullptr, 64 + all, unseen), PIXMPI_SUCCESS);
            const auto model = [&](pixMPI_Format of) {
                std::shared_ptr<pixmpi::Surface> scratch;
                EXPECT_EQ(rig->device().make_scratch(of, extent, scratch), PIXMPI_SUCCESS) << pixMPI_Error_text();
                return scratch;
            };
            const auto copy = [&](pixmpi::Transfer &transfer, pixmpi::Stage &stage, std::size_t offset) {
                transfer.start();
                ASSERT_EQ(transfer.begin(pixels), PIXMPI_SUCCESS);
                pixmpi::Ticket ticket = pixmpi::done;
                ASSERT_EQ(transfer.copy(0, pixels, stage, offset, ticket), PIXMPI_SUCCESS) << pixMPI_Error_text();
                bool over = ticket == pixmpi::done;
                for (int i = 0; !over && i < 100'000'000; ++i)
                    ASSERT_EQ(transfer.poll(ticket, over), PIXMPI_SUCCESS) << pixMPI_Error_text();
                ASSERT_TRUE(over);
                ASSERT_EQ(transfer.end(), PIXMPI_SUCCESS);
            };
            for (std::size_t i = 0; i < 2; ++i) {
                const pixmpi::Surface made({model(color), model(depth)});
                ASSERT_EQ(pixmpi::make_scratch_like(made, rig->device(), extent, both[i]), PIXMPI_SUCCESS);
                contents[i] = {tamed(color, random.bytes(pixels * size_of(color))), depths_for(depth, pixels, random)};
                std::copy(contents[i][0].begin(), contents[i][0].end(), seen->host + at.colors);
                std::copy(contents[i][1].begin(), contents[i][1].end(), seen->host + at.depths);
                copy(*make({}, both[i], region), *seen, 0);
            }
            std::unique_ptr<pixmpi::Transfer> out, back;
            ASSERT_EQ(pixmpi::make_transfer(Direction::pack, {}, both[1], region, out), PIXMPI_SUCCESS);
            copy(*out, *unseen, 64);
            const Combination how{Operation::nearest, order};
            if (alone)
                copy(*std::make_unique<DeviceAlone>(how, make({}, both[0], region)), *unseen, 64);
            else
                copy(*make(how, both[0], region), *unseen, 64);
            ASSERT_EQ(pixmpi::make_transfer(Direction::pack, {}, both[0], region, back), PIXMPI_SUCCESS);
            copy(*back, *seen, 0);
            pixmpi::Nearest(order, color, depth)({contents[0][0].data(), contents[0][1].data()},
                                                 {contents[1][0].data(), contents[1][1].data()}, pixels);
            const std::byte *const colors = seen->host + at.colors, *const depths = seen->host + at.depths;
            expect_same(color, contents[0][0], Bytes(colors, colors + pixels * size_of(color)), "colours");
            expect_same(depth, contents[0][1], Bytes(depths, depths + pixels * size_of(depth)), "depths");
        }
}

class NearestByShaders : public NearestInMemory {};

} // namespace

TEST_P(NearestInMemory, of_slices) {
    Random random(33);
    check_nearest(region_of({{0, 0, 67, 20}, {0, 20, 31, 1}}), {67, 45}, random, false);
}

TEST_P(NearestInMemory, of_dozens_of_rectangles) {
    Random random(34);
    const Extent extent{std::min(91, rig->largest()), std::min(73, rig->largest())};
    for (int round = 0; round < 3; ++round)
        check_nearest(region_of(dozens(extent, random)), extent, random, false);
}

TEST_P(NearestByShaders, of_dozens_of_rectangles_without_the_cpu) {
    Random random(35);
    const Extent extent{91, 73};
    check_nearest(region_of(dozens(extent, random)), extent, random, true);
}

namespace {

/// Two operands from two surfaces, and the result in one of them.
class CombiningOnto : public Combining {
  protected:
    /// What a collective does for the program before its messages.
    void open(const pixmpi::Surface &surface) {
        std::shared_ptr<pixmpi::Surface> opening, closing;
        surface.make_frame(opening, closing);
        if (opening)
            pass_nothing(std::move(opening));
        if (closing)
            closings.push_back(std::move(closing));
    }
    void close() {
        for (auto &one : closings)
            pass_nothing(std::move(one));
        closings.clear();
    }
    void check_onto(const Combination &how, pixMPI_Format format, Extent extent, const std::vector<pixMPI_Rect> &rects,
                    Random &random) {
        SCOPED_TRACE(std::string(pixmpi::operation_name(how.operation)) + " of " + pixMPI_Format_name(format));
        Picture pictures[2];
        std::shared_ptr<pixmpi::Surface> surfaces[2];
        for (int i = 0; i < 2; ++i) {
            pictures[i] = random_picture(*rig, format, extent, random);
            pictures[i].pixels = tamed(format, pictures[i].pixels, how.operation);
            surfaces[i] = rig->make(format, extent, pictures[i].pixels);
            ASSERT_NE(surfaces[i], nullptr);
        }
        auto &[room, base] = surfaces;
        const auto onto = rig->device().combine_onto(room, base, 0, 0);
        ASSERT_NE(onto, nullptr);
        open(*room);
        open(*base);
        const auto region = region_of(rects);
        const auto transfer = make(how, onto, region);
        ASSERT_NE(transfer, nullptr);
        const std::size_t pixel = static_cast<std::size_t>(pixMPI_Format_bytes(format));
        for (int message = 0; message < 2; ++message) { // the second one finds the base as it was
            const Bytes incoming = tamed(format, random.bytes(region->pixels * pixel), how.operation);
            unpack_all(*rig, *transfer, pixel, incoming, random);
            Picture both = pictures[1];
            combine(how, both, *region, incoming);
            pictures[0].unpack(*region, both.packed(*region));
        }
        close();
        expect_same_numbers(how, format, pictures[0].pixels, rig->read(*room));
        expect_same(format, pictures[1].pixels, rig->read(*base), "combined with");
        rig->check(*room);
        rig->check(*base);
    }

  private:
    void pass_nothing(std::shared_ptr<pixmpi::Surface> surface) {
        const auto transfer = make({}, std::move(surface), region_of({}));
        transfer->start();
        ASSERT_EQ(transfer->begin(0), PIXMPI_SUCCESS);
        ASSERT_EQ(transfer->end(), PIXMPI_SUCCESS);
        bool settled = false;
        for (int i = 0; !settled && i < 100'000'000; ++i)
            settled = transfer->settled();
        ASSERT_TRUE(settled);
    }
    std::vector<std::shared_ptr<pixmpi::Surface>> closings;
};

std::vector<std::string> names_of_pairs() {
    std::vector<std::string> names = rig_names();
    std::erase_if(names, [](const std::string &name) {
        return name != "host" && name != "host_with_gaps" && name != "vk_shaders_storage" &&
               name != "gl_shaders_texture";
    });
    return names;
}

} // namespace

TEST_P(CombiningOnto, regions_of_many_formats) {
    Random random(61);
    for (const auto &[operation, format] : {std::pair(Operation::over, PIXMPI_RGBA8),
                                            {Operation::sum, PIXMPI_RGBA8},
                                            {Operation::max, PIXMPI_RGBA16F},
                                            {Operation::sum, PIXMPI_RGBA32F}}) {
        const Extent extent{random.between(1, 70), random.between(1, 50)};
        check_onto({operation, random.below(2) ? Order::incoming_first : Order::present_first}, format, extent,
                   random.below(2) ? cells(extent, random)
                                   : std::vector<pixMPI_Rect>{{0, 0, extent.width, extent.height}},
                   random);
        if (HasFailure())
            return;
    }
}

/// By GLSL, and by the CPU.
TEST_P(CombiningOnto, operations_of_users) {
    Random random(62);
    for (const char *const glsl : {twice_less::glsl, static_cast<const char *>(nullptr)})
        for (const Order order : {Order::incoming_first, Order::present_first}) {
            const Extent extent{random.between(20, 70), random.between(20, 50)};
            check_onto({Operation::user, order, pixmpi::make_user_operation(twice_less::combine, glsl, nullptr)},
                       PIXMPI_RGBA8, extent, cells(extent, random), random);
        }
}

ON_EACH_RIG(Combining);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CombiningOnto); // programs whose devices need a copy
INSTANTIATE_TEST_SUITE_P(device, CombiningOnto, testing::ValuesIn(names_of_pairs()),
                         [](const auto &each) { return each.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CombiningInBuffers); // programs without graphics
INSTANTIATE_TEST_SUITE_P(device, CombiningInBuffers, testing::ValuesIn(names_of_buffers_for_shaders()),
                         [](const auto &each) { return each.param; });
ON_EACH_RIG(WithDepth);
ON_EACH_RIG(NearestInMemory);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NearestByShaders);
INSTANTIATE_TEST_SUITE_P(device, NearestByShaders, testing::ValuesIn(names_of_buffers_for_shaders(WITH_KERNELS)),
                         [](const auto &each) { return each.param; });
