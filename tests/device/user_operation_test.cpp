// Unpacking that combines by a program's own operation: by GLSL on the device, or by the C function.
#include "suite.h"

#include "combine/combine.h"
#include "combine/for_shader.h"
#include "device/combining_transfer.h"
#include "twice_less.h"

#include <atomic>
#include <cstring>

using namespace device_suite;
using pixmpi::Combination;
using pixmpi::Operation;
using pixmpi::Order;

namespace {

class UserOperations : public OnEachRig {
  protected:
    static Combination combination(const char *glsl, Order order, std::atomic<int> *calls = nullptr) {
        return {Operation::user, order, pixmpi::make_user_operation(twice_less::combine, glsl, calls)};
    }

    Bytes tamed(pixMPI_Format format, Bytes pixels) const {
        rig->tame(format, pixels);
        if (pixmpi::format_info(format).numbers == pixmpi::Numbers::sfloat)
            make_plain(format, pixels); // devices may take subnormal numbers for zero
        return pixels;
    }

    /// One message into a new surface.
    void check(const Combination &how, pixMPI_Format format, Extent extent, const std::vector<pixMPI_Rect> &rects,
               Random &random) {
        SCOPED_TRACE(pixMPI_Format_name(format));
        Picture picture = random_picture(*rig, format, extent, random);
        picture.pixels = tamed(format, picture.pixels);
        const auto surface = rig->make(format, extent, picture.pixels);
        ASSERT_NE(surface, nullptr);
        const auto region = region_of(rects);
        std::unique_ptr<pixmpi::Transfer> transfer;
        ASSERT_EQ(pixmpi::make_transfer(Direction::unpack, how, surface, region, transfer), PIXMPI_SUCCESS)
            << pixMPI_Error_text();
        const auto pixel = static_cast<std::size_t>(pixMPI_Format_bytes(format));
        const Bytes incoming = tamed(format, random.bytes(region->pixels * pixel));
        unpack_all(*rig, *transfer, pixel, incoming, random);
        Bytes result = picture.packed(*region);
        const bool here_first = how.order == Order::present_first;
        twice_less::combine(here_first ? result.data() : incoming.data(), here_first ? incoming.data() : result.data(),
                            result.data(), region->pixels, format, nullptr);
        picture.unpack(*region, result);
        expect_same(format, picture.pixels, rig->read(*surface), "combined");
        rig->check(*surface);
    }

    std::vector<pixMPI_Format> formats() const { return formats_to_combine(*rig); }
};

/// On surfaces, some combined by shaders: RGBA8 and so on.
class UserShaders : public UserOperations {};

/// On buffers, in all formats.
class UserShadersInBuffers : public UserOperations {};

std::vector<std::string> names_in(std::vector<std::string> wanted) {
#ifdef NO_GLSLANG
    std::erase_if(wanted, [](const std::string &name) { return name.rfind("vk_", 0) == 0; });
#endif
    const std::vector<std::string> all = rig_names();
    std::erase_if(wanted,
                  [&](const std::string &name) { return std::find(all.begin(), all.end(), name) == all.end(); });
    return wanted;
}

} // namespace

TEST_P(UserOperations, every_format) {
    Random random(41);
    for (const pixMPI_Format format : formats())
        for (const Order order : {Order::incoming_first, Order::present_first}) {
            const Extent extent{random.between(1, 70), random.between(1, 50)};
            check(combination(twice_less::glsl, order), format, extent, {{0, 0, extent.width, extent.height}}, random);
        }
}

TEST_P(UserOperations, rectangles_and_no_glsl) {
    Random random(42);
    const auto all = formats();
    for (int round = 0; round < (all.empty() ? 0 : 6); ++round) {
        const Extent extent{random.between(20, 90), random.between(20, 60)};
        const std::vector<pixMPI_Rect> rects{{1, 0, 3, 11}, {7, 2, 11, 5}, {0, 13, 19, 1}, {5, 15, 1, 5}};
        const Order order = round % 2 ? Order::incoming_first : Order::present_first;
        check(combination(round % 3 ? twice_less::glsl : nullptr, order), random.one_of(all), extent, rects, random);
    }
}

TEST_P(UserShaders, do_without_the_function) {
    Random random(43);
    for (const pixMPI_Format format : {PIXMPI_RGBA8, PIXMPI_R32UI, PIXMPI_RGBA16F, PIXMPI_RGBA32F}) {
        std::atomic<int> calls{0};
        check(combination(twice_less::glsl, Order::present_first, &calls), format, {40, 30}, {{0, 0, 40, 30}}, random);
        EXPECT_EQ(calls, 0) << pixMPI_Format_name(format);
        check(combination(nullptr, Order::present_first, &calls), format, {40, 30}, {{0, 0, 40, 30}}, random);
        EXPECT_GT(calls, 0) << pixMPI_Format_name(format);
    }
}

TEST_P(UserShadersInBuffers, every_format_without_the_function) {
    Random random(46);
    for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i)
        for (const Order order : {Order::incoming_first, Order::present_first}) {
            const auto format = static_cast<pixMPI_Format>(i);
            std::atomic<int> calls{0};
            const Combination how = combination(twice_less::glsl, order, &calls);
            pixmpi::ShaderCombination shader;
            if (!pixmpi::for_shader(how, format, shader))
                continue;
            const Extent extent{random.between(30, 70), random.between(20, 50)};
            check(how, format, extent, {{1, 0, 3, 11}, {7, 2, 11, 5}, {0, 13, 19, 1}, {5, 15, 1, 5}}, random);
            EXPECT_EQ(calls, 0) << pixMPI_Format_name(format);
            if (HasFailure())
                return;
        }
}

TEST_P(UserShadersInBuffers, dozens_of_rectangles_without_the_function) {
    Random random(47);
    std::vector<pixMPI_Rect> rects;
    for (int y = 0; y < 60; y += 10)
        for (int x = 0; x < 80; x += 10)
            rects.push_back({x, y, random.between(1, 9), random.between(1, 9)});
    random.shuffle(rects);
    for (const pixMPI_Format format : {PIXMPI_RGBA8, PIXMPI_RGB8, PIXMPI_R16F, PIXMPI_RGBA32F}) {
        std::atomic<int> calls{0};
        check(combination(twice_less::glsl, Order::incoming_first, &calls), format, {80, 60}, rects, random);
        EXPECT_EQ(calls, 0) << pixMPI_Format_name(format);
    }
}

/// Programs of operations that are no more are dropped, and their addresses used again.
TEST_P(UserShaders, many_one_after_the_other) {
    Random random(44);
    for (int round = 0; round < 20; ++round) {
        const bool other = round % 2;
        const char *const glsl =
            other ? "PIXEL combine(PIXEL first, PIXEL second) { return second; }" : twice_less::glsl;
        const auto second = [](const void *, const void *b, void *c, size_t pixels, pixMPI_Format, void *) {
            if (b != c)
                std::memcpy(c, b, 4 * pixels);
        };
        const Combination how{Operation::user, Order::present_first,
                              other ? pixmpi::make_user_operation(second, glsl, nullptr)
                                    : pixmpi::make_user_operation(twice_less::combine, glsl, nullptr)};
        const Extent extent{9, 7};
        if (!other) {
            check(how, PIXMPI_RGBA8, extent, {{0, 0, 9, 7}}, random);
            continue;
        }
        const auto surface = rig->make(PIXMPI_RGBA8, extent, tamed(PIXMPI_RGBA8, random.bytes(9 * 7 * 4)));
        std::unique_ptr<pixmpi::Transfer> transfer;
        const auto region = region_of({{0, 0, 9, 7}});
        ASSERT_EQ(pixmpi::make_transfer(Direction::unpack, how, surface, region, transfer), PIXMPI_SUCCESS);
        const Bytes incoming = tamed(PIXMPI_RGBA8, random.bytes(9 * 7 * 4));
        unpack_all(*rig, *transfer, 4, incoming, random);
        expect_same(PIXMPI_RGBA8, incoming, rig->read(*surface), "the second one");
    }
}

TEST_P(UserShaders, glsl_that_does_not_compile_is_refused) {
    const struct {
        const char *glsl, *says;
    } wrong[] = {{"PIXEL combine(PIXEL first, PIXEL second) { return frist; }", "frist"},
                 {"PIXEL other(PIXEL first, PIXEL second) { return first; }", "combine"},
                 {"\n\n\nPIXEL combine(PIXEL first, PIXEL second) {\n    return nonsense;\n}\n", "5"},
                 {"}", ""},
                 {"uvec3 combine(PIXEL first, PIXEL second) { return uvec3(1u); }", ""}};
    for (const auto &[glsl, says] : wrong)
        for (int turn = 0; turn < 2; ++turn) { // nothing of it is kept
            SCOPED_TRACE(glsl);
            const Bytes pixels(16 * 16 * 4, std::byte{7});
            const auto surface = rig->make(PIXMPI_RGBA8, {16, 16}, pixels);
            const auto region = region_of({{0, 0, 16, 16}});
            std::unique_ptr<pixmpi::Transfer> transfer;
            ASSERT_EQ(pixmpi::make_transfer(Direction::unpack, combination(glsl, Order::present_first), surface, region,
                                            transfer),
                      PIXMPI_SUCCESS);
            std::unique_ptr<pixmpi::Stage> stage;
            ASSERT_EQ(rig->device().make_stage(pixmpi::StageKind::mapped, nullptr, pixels.size(), stage),
                      PIXMPI_SUCCESS);
            transfer->start();
            ASSERT_EQ(transfer->begin(256), PIXMPI_SUCCESS);
            pixmpi::Ticket ticket = pixmpi::done;
            EXPECT_EQ(transfer->copy(0, 256, *stage, 0, ticket), PIXMPI_ERR_ARGUMENT);
            const std::string text = pixMPI_Error_text();
            EXPECT_NE(text.find("op: its glsl does not compile"), std::string::npos) << text;
            EXPECT_NE(text.find(says), std::string::npos) << text;
            transfer->give_up();
            for (int i = 0; !transfer->settled() && i < 100'000'000; ++i)
                ;
            EXPECT_TRUE(transfer->settled());
            EXPECT_TRUE(rig->read(*surface) == pixels);
            rig->check(*surface);
        }
}

/// The user's part may name its functions, constants and macros as it likes.
TEST_P(UserShaders, names_do_not_collide) {
    const std::string glsl = std::string(R"(
#define w 7
#define at 8
#define BYTES 3
#define NUMBERS first
const int MOST = 1, CHANNELS = 2, UNORM8 = 3, WORD10 = 4, sizes = 5, words = 6, pixels = 7, pixel_bits = 8, MIN = 9;
struct Word { int count; };
struct Walk { int row; };
vec4 decode(vec4 a) { return a; }
float bits_of(float a) { return a; }
float decode_float(uint bits, uint mantissa, uint sign) { return 0.0; }
int next(int a) { return a; }
int begin = 1, LOAD = 2, TAKE = 3, PUT = 4;
)") + twice_less::glsl;
    Random random(45);
    check(combination(glsl.c_str(), Order::incoming_first), PIXMPI_RGBA8, {40, 30}, {{0, 0, 40, 30}}, random);
}

ON_EACH_RIG(UserOperations);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(UserShaders); // programs without graphics
INSTANTIATE_TEST_SUITE_P(device, UserShaders,
                         testing::ValuesIn(names_in({"gl_shaders_texture", "gl_shaders_buffer", "vk_shaders_storage",
                                                     "vk_shaders_storage_buffer"})),
                         [](const auto &each) { return each.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(UserShadersInBuffers);
INSTANTIATE_TEST_SUITE_P(device, UserShadersInBuffers,
                         testing::ValuesIn(names_in({"gl_shaders_buffer", "vk_shaders_storage_buffer",
                                                     "vk_shaders_odd_whole_storage_buffer"})),
                         [](const auto &each) { return each.param; });
