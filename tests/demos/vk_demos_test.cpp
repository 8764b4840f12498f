// The demos that draw with Vulkan.
#include "galaxies.h"
#include "matrices.h"
#include "processes.h"
#include "rings.h"
#include "screen.h"
#include "subject.h"
#include "view.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <sstream>
#include <tuple>
#include <vulkan/vulkan.h>

namespace {

using demo::Picture;

/// Skipped on a machine without a device.
class VkDemos : public testing::Test {
  protected:
    void SetUp() override {
        const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
        VkInstance instance = {};
        std::uint32_t devices = 0;
        if (vkCreateInstance(&info, nullptr, &instance) == VK_SUCCESS) {
            vkEnumeratePhysicalDevices(instance, &devices, nullptr);
            vkDestroyInstance(instance, nullptr);
        }
        if (devices == 0)
            GTEST_SKIP() << "no device of Vulkan on this machine";
    }

    /// What it draws without a window.
    Picture picture_of(const char *program, int ranks, std::vector<std::string> arguments, Outcome &outcome) {
        const std::string file = scratch_.file("picture.png");
        arguments.insert(arguments.end(), {"--headless", "--output", file});
        outcome = run(program, ranks, arguments);
        EXPECT_EQ(outcome.status, 0) << described(outcome);
        return outcome.status == 0 ? demo::load_png(file) : Picture(1, 1);
    }

  private:
    Scratch scratch_;
};

/// What the shader of the Mandelbrot demo computes.
float shade_of(const View &view, int x, int y) {
    const float cx = view.corner[0] + view.scale * static_cast<float>(x);
    const float cy = view.corner[1] + view.scale * static_cast<float>(y);
    float zx = 0, zy = 0;
    int n = 0;
    for (; n < 512 && zx * zx + zy * zy < 256.0f; ++n) {
        const float next = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = next;
    }
    if (n == 512)
        return 0.08f;
    const float steps = static_cast<float>(n) + 3.0f - std::log2(0.5f * std::log2(zx * zx + zy * zy));
    return 0.60f - 0.40f * std::cos(2.2f * std::log2(steps));
}

/// Whether a pixel is that colour, only brighter or darker.
bool tinted(const std::uint8_t *pixel, const std::array<float, 3> &tint) {
    const int brightest = std::max({pixel[0], pixel[1], pixel[2]});
    for (int i = 0; i < 3; ++i)
        if (std::abs(pixel[i] - tint[i] * static_cast<float>(brightest)) > 1.5f)
            return false;
    return true;
}

/// Every strip is one rank's colour, and brighter and darker where the CPU says so.
TEST_F(VkDemos, MandelbrotIsWhatTheCpuFindsInTheRanksColours) {
    constexpr int width = 131, height = 77, strip_rows = 16, frames = 2;
    const View view = view_of(frames - 1, width, height);
    for (int ranks = 1; ranks <= 4; ++ranks) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks");
        Outcome outcome;
        const Picture picture =
            picture_of(MANDELBROT, ranks, {"--size", "131x77", "--frames", std::to_string(frames)}, outcome);
        ASSERT_EQ(picture.width, width);
        ASSERT_EQ(picture.height, height);
        const auto pixel = [&](int x, int y) { return &picture.rgba[std::size_t{4} * ((height - 1 - y) * width + x)]; };
        int wrong = 0;
        for (int first = 0; first < height; first += strip_rows) {
            const int end = std::min(first + strip_rows, height);
            int rank = 0;
            const auto whole_strip_tinted = [&] {
                for (int i = first * width; i < end * width; ++i)
                    if (!tinted(pixel(i % width, i / width), tint_of(rank)))
                        return false;
                return true;
            };
            while (rank < ranks && !whole_strip_tinted())
                ++rank;
            ASSERT_LT(rank, ranks) << "no rank's colour in the strip at row " << first;
            const std::array<float, 3> tint = tint_of(rank);
            for (int i = first * width; i < end * width; ++i) {
                const float shade = shade_of(view, i % width, i / width);
                for (int c = 0; c < 3; ++c)
                    if (std::abs(pixel(i % width, i / width)[c] - 255.0f * shade * tint[c]) > 3.0f) {
                        ++wrong;
                        break;
                    }
            }
        }
        EXPECT_LE(wrong, width * height / 100) << "more than what rounding does at the set's edge";

        int strips = 0, rank = -1, his = 0;
        for (std::size_t at = 0; (at = outcome.output.find("rank ", at)) != std::string::npos; ++at)
            if (std::sscanf(&outcome.output[at], "rank %d: %d strips", &rank, &his) == 2)
                strips += his;
        EXPECT_EQ(rank, ranks - 1) << outcome.output;
        EXPECT_EQ(strips, frames * ((height + strip_rows - 1) / strip_rows)) << outcome.output;
        EXPECT_NE(outcome.output.find("efficiency"), std::string::npos) << outcome.output;
    }
}

/// By shaders that ask, and by hosts: every strip as rank 0 draws it, in the colour of who did; all of them were handed
/// out. Strips that do not divide the picture, more workers than strips, a picture of one pixel.
TEST_F(VkDemos, WorkqueueDrawsEachStripOnce) {
    struct Case {
        int ranks;
        const char *size, *slots, *rows;
    };
    for (const char *driven : {"device", "host"})
        for (const Case &one : {Case{1, "131x77", "1", "3"}, {2, "131x77", "3", "8"}, {3, "1x1", "2", "16"}}) {
            SCOPED_TRACE(std::string(driven) + ", " + std::to_string(one.ranks) + " ranks, " + one.size);
            Outcome outcome;
            const Picture picture = picture_of(WORKQUEUE, one.ranks,
                                               {"--check", "--frames", "2", "--size", one.size, "--slots", one.slots,
                                                "--rows", one.rows, "--driven", driven},
                                               outcome);
            EXPECT_EQ(std::to_string(picture.width) + "x" + std::to_string(picture.height), one.size);
            EXPECT_NE(outcome.output.find("the same picture as rank 0's own"), std::string::npos) << outcome.output;
            EXPECT_NE(outcome.output.find(driven), std::string::npos) << outcome.output;
        }
}

/// By one run of a shader for all steps of a frame, and by a dispatch for each: the bits that the CPU finds. Steps that
/// are no multiple, bands of different sizes, more bands than rows.
TEST_F(VkDemos, JacobiFindsTheBitsOfTheCpu) {
    struct Case {
        int ranks;
        const char *size, *slots;
    };
    for (const char *driven : {"device", "host"})
        for (const Case &one : {Case{1, "61x37", "3"}, {2, "131x29", "2"}, {3, "5x4", "3"}}) {
            SCOPED_TRACE(std::string(driven) + ", " + std::to_string(one.ranks) + " ranks, " + one.size);
            Outcome outcome;
            const Picture picture = picture_of(JACOBI, one.ranks,
                                               {"--check", "--frames", "2", "--steps", "7", "--every", "3", "--size",
                                                one.size, "--slots", one.slots, "--driven", driven},
                                               outcome);
            EXPECT_EQ(std::to_string(picture.width) + "x" + std::to_string(picture.height), one.size);
            EXPECT_NE(outcome.output.find("the same bits as by the CPU"), std::string::npos) << outcome.output;
            EXPECT_NE(outcome.output.find(" 18 "), std::string::npos) << "2 frames of 9 steps" << outcome.output;
        }
}

/// The change ends a frame, on all ranks alike.
TEST_F(VkDemos, JacobiEndsWhenLittleChanges) {
    for (const char *driven : {"device", "host"}) {
        const Outcome outcome = run(JACOBI, 2,
                                    {"--headless", "--check", "--frames", "1", "--size", "16x12", "--steps", "4000",
                                     "--every", "5", "--enough", "9000", "--output", "", "--driven", driven});
        EXPECT_EQ(outcome.status, 0) << described(outcome);
        int ranks = 0, bands = 0, steps = 0;
        double each = 0, rate = 0, change = 1;
        const std::size_t at = outcome.output.find(std::string(driven) + " ");
        ASSERT_NE(at, std::string::npos) << outcome.output;
        ASSERT_EQ(
            std::sscanf(&outcome.output[at], "%*s %d %d %d %lf %lf %lf", &ranks, &bands, &steps, &each, &rate, &change),
            6)
            << outcome.output;
        EXPECT_LE(change, 0.009);
        EXPECT_LT(steps, 4000);
        EXPECT_EQ(steps % 5, 0);
    }
}

/// In rings of shaders, of the host, and by the library: the words that the CPU finds. One rank, blocks of different
/// sizes, and so few words that chunks, blocks and rings have none.
TEST_F(VkDemos, AllreduceFindsTheWordsOfTheCpu) {
    struct Case {
        int ranks;
        const char *bytes, *rings, *chunks;
    };
    for (const Case &one :
         {Case{1, "20", "3", "2"}, {2, "40004", "4", "3"}, {2, "4", "3", "5"}, {3, "4012", "5", "2"}}) {
        SCOPED_TRACE(std::to_string(one.ranks) + " ranks, " + one.bytes + " bytes");
        const Outcome outcome =
            run(ALLREDUCE, one.ranks,
                {"--check", "--steps", "2", "--bytes", one.bytes, "--rings", one.rings, "--chunks", one.chunks});
        EXPECT_EQ(outcome.status, 0) << described(outcome);
        EXPECT_NE(outcome.output.find("the same words as by the CPU"), std::string::npos) << described(outcome);
        for (const char *driven : {"device", "host", "library"}) {
            const std::size_t at = outcome.output.find("\n" + std::string(driven) + " ");
            ASSERT_NE(at, std::string::npos) << outcome.output;
            int bytes = 0, ranks = 0;
            ASSERT_EQ(std::sscanf(&outcome.output[at], " %*s %d %d", &bytes, &ranks), 2) << outcome.output;
            EXPECT_EQ(std::to_string(bytes), one.bytes);
            EXPECT_EQ(ranks, one.ranks);
        }
    }
}

/// That the check of the demo above finds what is wrong: another value, and another order of the sum.
TEST(RingsOfRanks, OneWrongWordIsFound) {
    const Rings rings{1001, 3, 0, 4, 2};
    std::vector<float> sums(rings.words);
    for (std::uint32_t ring = 0; ring < rings.rings; ++ring)
        for (std::uint32_t b = 0; b < rings.ranks; ++b) {
            const Piece block = rings.block(ring, b);
            for (std::uint32_t i = block.first; i < block.first + block.count; ++i)
                sums[i] = sum_of(b, rings.ranks, 7, i);
        }
    EXPECT_EQ(wrong_word(rings, 7, sums), "");
    EXPECT_NE(wrong_word(rings, 8, sums), "");
    EXPECT_NE(wrong_word({1001, 3, 0, 0, 0}, 7, sums), "");
    sums[1000] += 0.01f;
    EXPECT_EQ(wrong_word(rings, 7, sums).rfind("word 1000 is ", 0), 0u) << wrong_word(rings, 7, sums);
}

/// Squares of ranks and ranks that are left over; blocks that divide the matrices and blocks that do not.
TEST_F(VkDemos, CannonFindsTheProductOfTheCpu) {
    struct Case {
        int ranks;
        const char *size, *says;
    };
    for (const Case &one : {Case{1, "131x77", "on 1x1 ranks, 0 idle"},
                            {4, "96x96", "96x96 times 96x96 on 2x2 ranks, 0 idle"},
                            {4, "131x77", "77x131 times 131x131 on 2x2 ranks"},
                            {5, "77x131", "on 2x2 ranks, 1 idle"},
                            {9, "50x40", "on 3x3 ranks, 0 idle"},
                            {9, "1x5", "on 3x3 ranks"}}) {
        for (const char *driven : {"host", "device"}) {
            SCOPED_TRACE(std::to_string(one.ranks) + " ranks, " + one.size + ", " + driven);
            Outcome outcome;
            const Picture picture = picture_of(
                CANNON, one.ranks, {"--check", "--frames", "2", "--size", one.size, "--driven", driven}, outcome);
            EXPECT_EQ(std::to_string(picture.width) + "x" + std::to_string(picture.height), one.size);
            EXPECT_NE(outcome.output.find(one.says), std::string::npos) << outcome.output;
            EXPECT_NE(outcome.output.find("the same product as by the CPU"), std::string::npos) << outcome.output;
        }
    }
}

/// That the check of the demo above finds what is wrong.
TEST(Matrices, OneWrongElementIsADifference) {
    const Shape shape{7, 5, 30};
    std::vector<float> product;
    for (int row = 0; row < shape.rows; ++row)
        for (int column = 0; column < shape.columns; ++column) {
            double sum = 0;
            for (int k = 0; k < shape.inner; ++k)
                sum += double(element_of_a(shape, row, k)) * element_of_b(shape, k, column);
            product.push_back(static_cast<float>(sum));
        }
    EXPECT_EQ(differences(shape, product), "");
    product[2 * 5 + 3] += 0.01f;
    EXPECT_EQ(differences(shape, product).rfind("row 2, column 3: ", 0), 0u) << differences(shape, product);
}

/// The ranks and bodies in the lines of the demo's table; its figures have to fit together.
std::vector<std::pair<int, int>> table_of(const std::string &output) {
    std::vector<std::pair<int, int>> lines;
    std::istringstream text(output);
    for (std::string line; std::getline(text, line);) {
        int ranks = 0, bodies = 0;
        double rate = 0, computation = 0, network = 0, efficiency = 0;
        if (std::sscanf(line.c_str(), "%d %d %lf %lf ms %lf ms %lf%%", &ranks, &bodies, &rate, &computation, &network,
                        &efficiency) != 6)
            continue;
        lines.emplace_back(ranks, bodies);
        EXPECT_GT(computation, 0) << line;
        EXPECT_NEAR(rate * (computation + network), 1000.0, 5.0 + 0.001 * rate) << line; // as far as digits go
        EXPECT_GE(efficiency, 0) << line;
    }
    return lines;
}

/// Shares that are alike and shares that are not, one body for each rank, more bodies than a work group has.
TEST_F(VkDemos, NbodyMovesTheSameBodiesOnAnyNumberOfRanks) {
    for (const int bodies : {3, 64, 203}) {
        Picture alone;
        for (int ranks = 1; ranks <= 3; ++ranks) {
            SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(bodies) + " bodies");
            Outcome outcome;
            const Picture picture = picture_of(
                NBODY, ranks,
                {"--check", "--bodies", std::to_string(bodies), "--frames", "3", "--steps", "5", "--size", "131x77"},
                outcome);
            if (ranks == 1)
                alone = picture;
            Outcome device_outcome;
            const Picture by_device =
                picture_of(NBODY, ranks,
                           {"--check", "--bodies", std::to_string(bodies), "--frames", "3", "--steps", "5", "--size",
                            "131x77", "--driven", "device", "--groups", std::to_string(ranks)},
                           device_outcome);
            EXPECT_EQ(demo::differences(by_device, alone), "");
            EXPECT_NE(device_outcome.output.find("the same bodies as of one rank, to the bit"), std::string::npos);
            EXPECT_EQ(table_of(device_outcome.output).back(), std::pair(ranks, bodies)) << device_outcome.output;
            EXPECT_GE(colours(picture), 10u);
            EXPECT_EQ(demo::differences(picture, alone), "");
            EXPECT_NE(outcome.output.find("the same bodies as of one rank, to the bit"), std::string::npos);
            std::vector<std::pair<int, int>> expected{{1, bodies}};
            if (ranks > 1)
                expected.emplace_back(ranks, bodies);
            EXPECT_EQ(table_of(outcome.output), expected) << outcome.output;

            const std::size_t at = outcome.output.find("momentum after 15 steps: ");
            ASSERT_NE(at, std::string::npos) << outcome.output;
            double momentum[3], mass = 0;
            ASSERT_EQ(std::sscanf(&outcome.output[at], "momentum after 15 steps: %lf %lf %lf, mass: %lf", &momentum[0],
                                  &momentum[1], &momentum[2], &mass),
                      4);
            for (const double component : momentum)
                EXPECT_NEAR(component, 0.0, 1e-5) << "bodies move at about 1, and have the mass 1 together";
            EXPECT_NEAR(mass, 1.0, 1e-5);
        }
    }
}

/// A rank may send its share of the next step before another one's share of this step has come. Many short steps, so that
/// this happens.
TEST_F(VkDemos, NbodyWaitsForAllSharesOfAStep) {
    const Outcome outcome = run(NBODY, 4,
                                {"--check", "--bodies", "203", "--frames", "3", "--steps", "100", "--size", "131x77",
                                 "--driven", "device", "--groups", "4", "--headless"});
    EXPECT_EQ(outcome.status, 0) << described(outcome);
    EXPECT_NE(outcome.output.find("the same bodies as of one rank, to the bit"), std::string::npos);
}

TEST_F(VkDemos, NbodySweepsOverRanksAndBodies) {
    const Outcome outcome = run(NBODY, 3, {"--headless", "--sweep", "--bodies", "50", "--steps", "3"});
    EXPECT_EQ(outcome.status, 0) << described(outcome);
    std::vector<std::pair<int, int>> expected;
    for (const int bodies : {50, 100, 200, 400})
        for (const int ranks : {1, 2, 3})
            expected.emplace_back(ranks, bodies);
    EXPECT_EQ(table_of(outcome.output), expected) << outcome.output;
}

/// That the check of the demo above finds what is wrong.
TEST(Galaxies, OneWrongVelocityIsFound) {
    const Galaxies start(40);
    std::vector<Vec4> after = start.velocities; // of bodies that nothing pulls
    EXPECT_EQ(wrong_velocity(start, after).rfind("body 0, axis 0: ", 0), 0u) << wrong_velocity(start, after);
    for (std::size_t body = 0; body < after.size(); ++body)
        for (std::size_t other = 0; other < after.size(); ++other) {
            double square = double(Galaxies::softening) * Galaxies::softening;
            for (int i = 0; i < 3; ++i)
                square += std::pow(double(start.positions[other][i]) - start.positions[body][i], 2);
            for (int i = 0; i < 3; ++i)
                after[body][i] +=
                    static_cast<float>(Galaxies::time * start.positions[other][3] * std::pow(square, -1.5) *
                                       (double(start.positions[other][i]) - start.positions[body][i]));
        }
    EXPECT_EQ(wrong_velocity(start, after), "");
    after[17][2] += 0.001f;
    EXPECT_EQ(wrong_velocity(start, after).rfind("body 17, axis 2: ", 0), 0u) << wrong_velocity(start, after);
}

/// The picture does not depend on how many ranks render it.
TEST_F(VkDemos, WindowWithoutAWindow) {
    Picture alone;
    for (int ranks = 1; ranks <= 4; ++ranks) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks");
        Outcome outcome;
        const Picture picture = picture_of(WINDOW, ranks, {"--size", "131x77", "--frames", "5"}, outcome);
        if (ranks == 1)
            alone = picture;
        EXPECT_GE(colours(picture), 500u);
        EXPECT_EQ(demo::differences(picture, alone), "");
    }
}

/// On a screen: something is seen, it fills the window also when that has grown, and closing it ends all ranks.
TEST_F(VkDemos, WindowOnAScreen) {
    const Scratch scratch;
    const wall_test::Xvfb xvfb(640, 480);
    ASSERT_NE(xvfb.display(), "");
    ScreenView screen(xvfb.display());
    ASSERT_TRUE(screen.ready());
    for (int ranks : {1, 3}) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks");
        const std::string file = scratch.file("window.png");
        wall_test::Process program(ranks_command(WINDOW, ranks,
                                                 {"--size", "320x240", "--frames", "1000000", "--output", file},
                                                 {"DISPLAY=" + xvfb.display()}));
        const bool seen = program.wait_until([&] { return screen.lit(0, 0, 640, 480) > 320 * 240 * 9 / 10; }, 60);
        screen.resize_window(640, 480);
        const bool fills =
            seen && program.wait_until([&] { return screen.lit(0, 0, 640, 480) > 640 * 480 * 9 / 10; }, 60);
        screen.resize_window(200, 300);
        const bool smaller =
            fills && program.wait_until([&] { return screen.lit(0, 75, 200, 150) > 200 * 150 * 9 / 10; }, 60);
        screen.close_window();
        const wall_test::Finished finished = program.finish(60);
        EXPECT_TRUE(seen && fills && smaller) << seen << fills << smaller << finished.errors;
        EXPECT_FALSE(finished.timed_out);
        EXPECT_EQ(finished.status, 0) << finished.errors;
        ASSERT_NE(finished.output.find("frames a second"), std::string::npos) << finished.output << finished.errors;
        EXPECT_GE(colours(demo::load_png(file)), 500u);
    }
}

/// Further arguments: the bodies of the demo's default would keep processors busy for long.
std::vector<std::string> arguments_of(const std::string &program) {
    if (program == JACOBI)
        return {"--steps", "4", "--every", "2"};
    return program == NBODY ? std::vector<std::string>{"--bodies", "300"} : std::vector<std::string>{};
}

TEST_F(VkDemos, OthersOnAScreen) {
    const Scratch scratch;
    const wall_test::Xvfb xvfb(640, 480);
    ASSERT_NE(xvfb.display(), "");
    for (const char *program : {MANDELBROT, CANNON, NBODY}) {
        std::vector<std::string> arguments = arguments_of(program);
        arguments.insert(arguments.end(),
                         {"--size", "64x48", "--frames", "3", "--output", scratch.file("picture.png")});
        const Outcome outcome = run(program, 2, arguments, {"DISPLAY=" + xvfb.display()});
        EXPECT_EQ(outcome.status, 0) << described(outcome);
        EXPECT_GE(colours(demo::load_png(scratch.file("picture.png"))), 50u);
    }
}

/// Core checks and those of synchronisation, over all commands of the demos and of the library.
TEST_F(VkDemos, ValidationLayersHaveNothingToSay) {
    std::uint32_t count = 0;
    vkEnumerateInstanceLayerProperties(&count, nullptr);
    std::vector<VkLayerProperties> layers(count);
    vkEnumerateInstanceLayerProperties(&count, layers.data());
    const std::string layer = "VK_LAYER_KHRONOS_validation";
    if (std::none_of(layers.begin(), layers.end(), [&](const auto &one) { return one.layerName == layer; }))
        GTEST_SKIP() << "the validation layers are not installed";
    const Scratch scratch;
    const wall_test::Xvfb xvfb(640, 480);
    ASSERT_NE(xvfb.display(), "");
    const std::vector<std::string> environment{
        "DISPLAY=" + xvfb.display(), "VK_INSTANCE_LAYERS=" + layer,
        "VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"};
    for (const char *program : {MANDELBROT, CANNON, WINDOW, NBODY, WORKQUEUE, JACOBI, ALLREDUCE})
        for (int ranks : {1, 4})
            for (const bool headless : {true, false}) {
                std::vector<std::string> arguments = arguments_of(program);
                const std::string_view name = program;
                if (name != ALLREDUCE) // which has no picture
                    arguments.insert(arguments.end(),
                                     {"--size", "64x48", "--frames", "4", "--output", scratch.file("picture.png")});
                if (headless)
                    arguments.push_back("--headless");
                if (!headless && (name == CANNON || name == NBODY)) // the others are driven so by themselves
                    arguments.insert(arguments.end(), {"--driven", "device"});
                const Outcome outcome = run(program, ranks, arguments, environment);
                EXPECT_EQ(outcome.status, 0) << described(outcome);
                for (const char *message : {"Validation", "VUID", "SYNC-HAZARD"})
                    EXPECT_EQ((outcome.output + outcome.errors).find(message), std::string::npos)
                        << program << " " << ranks << described(outcome);
            }
}

TEST_F(VkDemos, WrongArguments) {
    struct Wrong {
        const char *program;
        std::vector<std::string> arguments, environment;
        bool usage;
        const char *says;
    };
    for (const Wrong &wrong : {
             Wrong{MANDELBROT, {"--size", "0x4"}, {}, true, "mandelbrot: --size 0x4: expected WIDTHxHEIGHT"},
             Wrong{MANDELBROT, {"--check"}, {}, true, "--check"},
             Wrong{WINDOW, {"--headless", "--size", "1x1"}, {}, true, "window: --size: 1x1 cannot be cut for 2 ranks"},
             Wrong{NBODY, {"--headless", "--bodies", "2"}, {}, true, "nbody: --bodies: 2 cannot be shared by 3 ranks"},
             Wrong{NBODY, {"--sweep", "--check"}, {}, true, "nbody: --check: does not go together with --sweep"},
             Wrong{NBODY, {"--bodies", "1"}, {}, true, "nbody: --bodies: "},
             Wrong{
                 NBODY, {"--headless", "--driven", "both"}, {}, true, "nbody: --driven both: expected host or device"},
             Wrong{CANNON, {"--headless", "--driven", "both"}, {}, true, "cannon: --driven both: expected host or"},
             Wrong{NBODY, {"--steps", "0"}, {}, true, "nbody: --steps: "},
             Wrong{ALLREDUCE, {"--bytes", "7"}, {}, true, "allreduce: --bytes: 7, expected a multiple of 4"},
             Wrong{ALLREDUCE, {"--driven", "both"}, {}, true, "allreduce: --driven both: expected device, host"},
             Wrong{WORKQUEUE, {"--headless", "--driven", "both"}, {}, true, "workqueue: --driven both: expected host"},
             Wrong{CANNON, {"--bodies", "4"}, {}, true, "--bodies"},
             Wrong{WINDOW, {}, {"DISPLAY=:nowhere", "WAYLAND_DISPLAY="}, false, "window: rank 0: no window"},
         }) {
        const Outcome outcome = run(wrong.program, 3, wrong.arguments, wrong.environment);
        EXPECT_NE(outcome.errors.find(wrong.says), std::string::npos) << described(outcome);
        EXPECT_EQ(outcome.status == 2, wrong.usage) << described(outcome);
        EXPECT_NE(outcome.status, 0) << described(outcome);
    }
}

/// Stencil, transform and sort are what the CPU finds, on any number of ranks and by either exchange.
TEST_F(VkDemos, PartsOfOneProblemAreWhatTheCpuFinds) {
    const std::tuple<const char *, std::vector<std::string>, const char *> demos[] = {
        {STENCIL, {"--cells", "21", "--frames", "2", "--steps", "2"}, "the same field as by the CPU after 4 steps"},
        {FFT, {"--power", "7", "--steps", "1"}, "the same transform as by the CPU"},
        {SORT, {"--keys", "1001", "--steps", "1"}, "the same order as by the CPU"}};
    for (const auto &[program, small, says] : demos)
        for (const int ranks : {1, 2, 5})
            for (const char *exchange : {"library", "naive"}) {
                SCOPED_TRACE(std::string(program) + ", " + std::to_string(ranks) + " ranks, " + exchange);
                std::vector<std::string> arguments{"--headless", "--check", "--exchange", exchange};
                arguments.insert(arguments.end(), small.begin(), small.end());
                const Outcome outcome = run(program, ranks, arguments);
                EXPECT_EQ(outcome.status, 0) << described(outcome);
                EXPECT_NE(outcome.output.find(says), std::string::npos) << described(outcome);
            }
}

TEST_F(VkDemos, FewKeysAndSmallTransforms) {
    for (const auto &[program, option, value] :
         {std::tuple{SORT, "--keys", "1"}, {SORT, "--keys", "31"}, {FFT, "--power", "2"}, {FFT, "--power", "3"}}) {
        const Outcome outcome = run(program, 3, {"--headless", "--check", "--steps", "1", option, value});
        EXPECT_EQ(outcome.status, 0) << described(outcome);
    }
}

TEST_F(VkDemos, StencilSavesASlice) {
    Picture alone;
    for (const int ranks : {1, 3}) {
        Outcome outcome;
        const Picture picture =
            picture_of(STENCIL, ranks, {"--cells", "21", "--frames", "3", "--size", "90x64"}, outcome);
        ASSERT_EQ(picture.width, 90);
        EXPECT_GE(colours(picture), 100u);
        if (ranks == 1)
            alone = picture;
        EXPECT_EQ(demo::differences(picture, alone), "");
    }
}

TEST_F(VkDemos, TableOfExchanges) {
    const Outcome outcome = run(FFT, 2, {"--power", "6", "--steps", "1", "--table"});
    ASSERT_EQ(outcome.status, 0) << described(outcome);
    for (const char *part : {"    1 -  ", "    2 naive  ", "    2 library  ", "x one rank"})
        EXPECT_NE(outcome.output.find(part), std::string::npos) << part << described(outcome);
}

TEST_F(VkDemos, WrongArgumentsOfExchanges) {
    for (const auto &[program, option, value] : {std::tuple{STENCIL, "--exchange", "other"},
                                                 {STENCIL, "--cells", "9"},
                                                 {FFT, "--power", "25"},
                                                 {SORT, "--keys", "0"}}) {
        const Outcome outcome = run(program, 3, {"--headless", option, value});
        EXPECT_EQ(outcome.status, 2) << described(outcome);
        EXPECT_NE(outcome.errors.find(option), std::string::npos) << described(outcome);
    }
}

} // namespace
