// The shaders of JPEG: their coefficients, samples and pixels are those of libjpeg, bit for bit.
#include "codec_jpeg_rig.h"
#include "vk.h"

#include "jpeg_forward_bgra_422.spv.h"
#include "jpeg_forward_grey_444.spv.h"
#include "jpeg_forward_rgb_420.spv.h"
#include "jpeg_forward_rgb_444.spv.h"
#include "jpeg_forward_rgba_420.spv.h"
#include "jpeg_forward_rgba_444.spv.h"
#include "jpeg_inverse_bgra_422.spv.h"
#include "jpeg_inverse_grey_444.spv.h"
#include "jpeg_inverse_rgb_420.spv.h"
#include "jpeg_inverse_rgb_444.spv.h"
#include "jpeg_inverse_rgba_420.spv.h"
#include "jpeg_inverse_rgba_444.spv.h"
#include "jpeg_inverse_samples.spv.h"

#include <exception>
#include <mpi.h>

using namespace codec_pictures;

namespace {

const demo::Gpu *gpu = nullptr;

/// As the shaders have it.
struct Sizes {
    std::uint32_t width, height, pixels, first_word;
    std::uint32_t luma_columns, luma_rows, chroma_columns, chroma_rows;
    std::uint32_t cb, cr, blocks, groups_across;
};

Sizes sizes_of(const JpegGrid &grid, std::size_t pixels, unsigned groups_across) {
    const JpegGrid::Component luma = grid.component(0);
    Sizes sizes{grid.size.width,
                grid.size.height,
                static_cast<std::uint32_t>(pixels),
                1,
                luma.columns,
                luma.rows,
                0,
                0,
                0,
                0,
                static_cast<std::uint32_t>(grid.blocks()),
                groups_across};
    if (!grid.grey) {
        const JpegGrid::Component cb = grid.component(1), cr = grid.component(2);
        sizes.chroma_columns = cb.columns;
        sizes.chroma_rows = cb.rows;
        sizes.cb = static_cast<std::uint32_t>(cb.first);
        sizes.cr = static_cast<std::uint32_t>(cr.first);
    }
    return sizes;
}

constexpr demo::Kernel::Needs three_buffers{.buffers = 3, .push_bytes = sizeof(Sizes)};
constexpr demo::Kernel::Needs two_buffers{.buffers = 2, .push_bytes = sizeof(Sizes)};

struct Variant {
    pixMPI_Format format;
    Subsampling subsampling;
    demo::Kernel forward, inverse;
};

template <std::size_t n, std::size_t m>
std::unique_ptr<Variant> variant(pixMPI_Format format, Subsampling subsampling, const std::uint32_t (&forward)[n],
                                 const std::uint32_t (&inverse)[m]) {
    return std::unique_ptr<Variant>(
        new Variant{format, subsampling, {*gpu, forward, three_buffers}, {*gpu, inverse, two_buffers}});
}

std::vector<std::unique_ptr<Variant>> variants() {
    std::vector<std::unique_ptr<Variant>> all;
    all.push_back(variant(PIXMPI_R8, Subsampling::s444, jpeg_forward_grey_444, jpeg_inverse_grey_444));
    all.push_back(variant(PIXMPI_RGB8, Subsampling::s444, jpeg_forward_rgb_444, jpeg_inverse_rgb_444));
    all.push_back(variant(PIXMPI_RGB8, Subsampling::s420, jpeg_forward_rgb_420, jpeg_inverse_rgb_420));
    all.push_back(variant(PIXMPI_RGBA8, Subsampling::s444, jpeg_forward_rgba_444, jpeg_inverse_rgba_444));
    all.push_back(variant(PIXMPI_BGRA8, Subsampling::s422, jpeg_forward_bgra_422, jpeg_inverse_bgra_422));
    all.push_back(variant(PIXMPI_RGBA8, Subsampling::s420, jpeg_forward_rgba_420, jpeg_inverse_rgba_420));
    return all;
}

/// What libjpeg makes of pixels.
struct Reference {
    Reference(const Bytes &data, const Variant &v, unsigned width, int quality)
        : stream(plain_encode(data, v.format, width, quality, v.subsampling, 0)) {
        Workers workers(1);
        const std::uint64_t pixels = data.size() / static_cast<std::size_t>(format_info(v.format).bytes);
        EXPECT_EQ(jpeg_read_grid(stream, v.format, pixels, grid), PIXMPI_SUCCESS) << text();
        coefficients.resize(grid.blocks() * 64);
        EXPECT_EQ(jpeg_decode_coefficients(workers, stream, grid, coefficients.data(), steps), PIXMPI_SUCCESS);
        for (const auto &table : steps)
            words.insert(words.end(), table.begin(), table.end());
    }
    Bytes stream;
    JpegGrid grid;
    JpegSteps steps{};
    std::vector<std::int16_t> coefficients;
    std::vector<std::uint32_t> words; ///< the steps, as the shaders have them
};

/// One word before the pixels, so that where they begin is looked at, and words to the end.
Bytes in_words(const Bytes &data) {
    Bytes words(4 + (data.size() + 3) / 4 * 4, std::byte{0xee});
    std::copy(data.begin(), data.end(), words.begin() + 4);
    return words;
}

std::vector<std::int16_t> forward(Variant &v, const Reference &reference, const Bytes &data) {
    const Bytes words = in_words(data);
    const demo::Buffer pixels(*gpu, words.size()), coefficients(*gpu, reference.coefficients.size() * 2),
        steps(*gpu, 512);
    pixels.write(words.data());
    steps.write(reference.words.data());
    const JpegGrid &grid = reference.grid;
    const std::size_t count = data.size() / static_cast<std::size_t>(format_info(v.format).bytes);
    gpu->run([&](VkCommandBuffer commands) {
        // 8 x 8 invocations for 16 x 16 pixels.
        v.forward.run(commands, v.forward.bind({}, {&pixels, &coefficients, &steps}), sizes_of(grid, count, 0),
                      static_cast<int>((grid.size.width + 15) / 16 * 8),
                      static_cast<int>((grid.size.height + 15) / 16 * 8));
    });
    std::vector<std::int16_t> result(reference.coefficients.size());
    coefficients.read(result.data());
    return result;
}

Bytes inverse(Variant &v, demo::Kernel &to_samples, const Reference &reference, std::size_t bytes) {
    const demo::Buffer coefficients(*gpu, reference.coefficients.size() * 2),
        samples(*gpu, reference.grid.blocks() * 64), pixels(*gpu, 4 + (bytes + 3) / 4 * 4), steps(*gpu, 512);
    coefficients.write(reference.coefficients.data());
    steps.write(reference.words.data());
    const std::size_t count = bytes / static_cast<std::size_t>(format_info(v.format).bytes);
    gpu->run([&](VkCommandBuffer commands) {
        constexpr unsigned across = 3; // groups in a row
        const auto rows = [](std::size_t groups) { return static_cast<int>((groups + across - 1) / across * 8); };
        const Sizes sizes = sizes_of(reference.grid, count, across);
        to_samples.run(commands, to_samples.bind({}, {&coefficients, &samples, &steps}), sizes, 8 * across,
                       rows((reference.grid.blocks() + 7) / 8));
        demo::barrier(commands);
        v.inverse.run(commands, v.inverse.bind({}, {&samples, &pixels}), sizes, 8 * across, rows((count + 255) / 256));
    });
    Bytes result(pixels.bytes());
    pixels.read(result.data());
    return {result.begin() + 4, result.begin() + 4 + static_cast<std::ptrdiff_t>(bytes)};
}

/// Of the blocks that lie in the picture: what fills units up is nobody's.
std::size_t differences(const JpegGrid &grid, const std::vector<std::int16_t> &a, const std::vector<std::int16_t> &b) {
    std::size_t count = 0;
    for (unsigned c = 0; c < grid.components(); ++c) {
        const JpegGrid::Component part = grid.component(c), luma = grid.component(0);
        const unsigned across = 8 * luma.across / part.across, down = 8 * luma.down / part.down; // pixels
        for (unsigned y = 0; y < part.rows && y * down < grid.size.height; ++y)
            for (unsigned x = 0; x < part.columns && x * across < grid.size.width; ++x)
                for (std::size_t i = 0; i < 64; ++i) {
                    const std::size_t at = (part.first + std::size_t{y} * part.columns + x) * 64 + i;
                    count += a[at] != b[at];
                }
    }
    return count;
}

struct Case {
    unsigned width, height;
    int quality;
};
constexpr Case cases[] = {{1, 1, 90},   {2, 3, 50},   {3, 2, 90},    {5, 5, 100},   {8, 8, 75},
                          {16, 16, 90}, {17, 33, 90}, {100, 75, 60}, {250, 131, 95}};

} // namespace

TEST(jpeg_shaders, coefficients_are_the_librarys) {
    for (const auto &c : cases)
        for (const auto &v : variants()) {
            const std::size_t bytes =
                std::size_t{c.width} * c.height * static_cast<std::size_t>(format_info(v->format).bytes);
            // A kernel has few descriptor sets, hence variants anew for each case.
            for (const Bytes &data :
                 {picture(v->format, static_cast<int>(c.width), static_cast<int>(c.height)), noise(bytes)}) {
                const Reference reference(data, *v, c.width, c.quality);
                EXPECT_EQ(differences(reference.grid, forward(*v, reference, data), reference.coefficients), 0u)
                    << format_info(v->format).name << ' ' << c.width << " x " << c.height << ", subsampling "
                    << static_cast<int>(v->subsampling);
            }
        }
}

TEST(jpeg_shaders, pixels_are_the_librarys) {
    for (const auto &c : cases)
        for (const auto &v : variants()) {
            const std::size_t bytes =
                std::size_t{c.width} * c.height * static_cast<std::size_t>(format_info(v->format).bytes);
            demo::Kernel to_samples(*gpu, jpeg_inverse_samples, three_buffers);
            for (const Bytes &data :
                 {picture(v->format, static_cast<int>(c.width), static_cast<int>(c.height)), noise(bytes)}) {
                const Reference reference(data, *v, c.width, c.quality);
                EXPECT_TRUE(inverse(*v, to_samples, reference, bytes) == plain_decode(reference.stream, v->format))
                    << format_info(v->format).name << ' ' << c.width << " x " << c.height << ", subsampling "
                    << static_cast<int>(v->subsampling);
            }
        }
}

TEST(jpeg_shaders, a_last_row_that_is_short_is_filled_from_the_one_above) {
    Workers workers(1);
    for (const auto &v : variants()) {
        const auto bytes = static_cast<std::size_t>(format_info(v->format).bytes);
        const Bytes whole = picture(v->format, 50, 40);
        const Bytes data(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(1961 * bytes));
        Bytes filled = data; // the reference's
        filled.insert(filled.end(), data.begin() + static_cast<std::ptrdiff_t>(1911 * bytes),
                      data.begin() + static_cast<std::ptrdiff_t>(1950 * bytes));
        const Reference reference(filled, *v, 50, 80);
        EXPECT_EQ(differences(reference.grid, forward(*v, reference, data), reference.coefficients), 0u);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    testing::InitGoogleTest(&argc, argv);
    int result = 77;
    vkMPI_Context context = VKMPI_CONTEXT_NULL;
    if (vkMPI_Context_create(nullptr, &context)) {
        std::printf("skipped: no Vulkan: %s\n", pixMPI_Error_text());
    } else {
        try {
            const demo::Gpu device(context);
            gpu = &device;
            result = RUN_ALL_TESTS();
        } catch (const std::exception &error) {
            std::printf("%s\n", error.what());
            result = 1;
        }
        vkMPI_Context_destroy(&context);
    }
    MPI_Finalize();
    return result;
}
