// Coefficients instead of pixels, for devices that compute them: what is read of a stream makes the same stream again.
#include "codec/jpeg_map.h"
#include "codec_jpeg_rig.h"

using namespace codec_pictures;

namespace {

struct Coefficients {
    JpegGrid grid;
    JpegSteps steps{};
    std::vector<std::int16_t> values;
};

Coefficients read(Workers &workers, const Bytes &stream, pixMPI_Format format, std::uint64_t pixels) {
    Coefficients all;
    const Exact input(stream);
    EXPECT_EQ(jpeg_read_grid(input.view(), format, pixels, all.grid), PIXMPI_SUCCESS) << text();
    all.values.assign(all.grid.blocks() * 64, 12345);
    EXPECT_EQ(jpeg_decode_coefficients(workers, input.view(), all.grid, all.values.data(), all.steps), PIXMPI_SUCCESS)
        << text();
    return all;
}

} // namespace

TEST(codec_jpeg_coefficients, the_grid_is_whole_units) {
    const JpegGrid grid{{17, 9}, false, Subsampling::s420};
    EXPECT_EQ(grid.units_across(), 2u);
    EXPECT_EQ(grid.units_down(), 1u);
    EXPECT_EQ(grid.component(0).columns, 4u);
    EXPECT_EQ(grid.component(0).rows, 2u);
    EXPECT_EQ(grid.component(1).first, 8u);
    EXPECT_EQ(grid.component(1).columns, 2u);
    EXPECT_EQ(grid.component(2).first, 10u);
    EXPECT_EQ(grid.blocks(), 12u);
    const JpegGrid wide{{17, 9}, false, Subsampling::s422}, grey{{17, 9}, true, Subsampling::s444};
    EXPECT_EQ(wide.blocks(), 4u * 2 + 2 * 2 + 2 * 2);
    EXPECT_EQ(grey.blocks(), 3u * 2);
}

TEST(codec_jpeg_coefficients, steps_are_those_of_the_stream) {
    Workers workers(1);
    const Bytes data = picture(PIXMPI_RGB8, 40, 24);
    for (const int quality : {1, 50, 77, 100}) {
        const Bytes stream = plain_encode(data, PIXMPI_RGB8, 40, quality, Subsampling::s444, 0);
        EXPECT_EQ(read(workers, stream, PIXMPI_RGB8, 960).steps, jpeg_steps(quality));
    }
    EXPECT_EQ(jpeg_steps(50)[0][0], 16);
    EXPECT_EQ(jpeg_steps(100)[1][63], 1);
}

TEST(codec_jpeg_coefficients, headers_are_those_of_the_stream) {
    for (const pixMPI_Format format : {PIXMPI_R8, PIXMPI_RGB8})
        for (const Subsampling subsampling : subsamplings) {
            const Bytes stream = plain_encode(picture(format, 40, 24), format, 40, 77, subsampling, 0, 5);
            const bool grey = format == PIXMPI_R8;
            Bytes header;
            EXPECT_EQ(jpeg_header({{40, 24}, grey, grey ? Subsampling::s444 : subsampling}, 77, 5, header),
                      PIXMPI_SUCCESS)
                << text();
            ASSERT_LT(header.size(), stream.size());
            EXPECT_TRUE(std::equal(header.begin(), header.end(), stream.begin()));
            JpegMap map;
            EXPECT_EQ(map_jpeg(stream, map), PIXMPI_SUCCESS) << text();
            EXPECT_EQ(map.data, header.size());
        }
}

TEST(codec_jpeg_coefficients, codes_are_those_that_everybody_knows) {
    const JpegCodes codes = jpeg_codes();
    EXPECT_EQ(codes.means[0][0], 2u << 16 | 0b00);
    EXPECT_EQ(codes.means[0][11], 9u << 16 | 0b111111110);
    EXPECT_EQ(codes.means[1][11], 11u << 16 | 0b11111111110);
    EXPECT_EQ(codes.means[0][12], 0u);
    EXPECT_EQ(codes.coefficients[0][0x00], 4u << 16 | 0b1010);
    EXPECT_EQ(codes.coefficients[0][0x01], 2u << 16 | 0b00);
    EXPECT_EQ(codes.coefficients[0][0xf0], 11u << 16 | 0b11111111001);
    EXPECT_EQ(codes.coefficients[1][0x00], 2u << 16 | 0b00);
    EXPECT_EQ(codes.coefficients[1][0xfa], 16u << 16 | 0b1111111111111110);
    EXPECT_EQ(codes.coefficients[0][0x0b], 0u);
}

TEST(codec_jpeg_coefficients, there_and_back_is_the_same_stream) {
    for (const unsigned threads : {1, 4}) {
        Workers workers(threads);
        for (const pixMPI_Format format : {PIXMPI_R8, PIXMPI_RGB8})
            for (const Subsampling subsampling : subsamplings)
                for (const auto &[width, height] : {std::pair{1u, 1u}, {9u, 70u}, {130u, 31u}, {700u, 500u}}) {
                    const Bytes data = picture(format, static_cast<int>(width), static_cast<int>(height));
                    const Bytes stream =
                        plain_encode(data, format, width, 85, subsampling, restart_rows(width, format, subsampling));
                    const Coefficients all = read(workers, stream, format, std::uint64_t{width} * height);
                    Bytes again;
                    EXPECT_EQ(jpeg_encode_coefficients(workers, all.grid, 85, all.values.data(), again), PIXMPI_SUCCESS)
                        << text();
                    EXPECT_TRUE(again == stream) << width << " x " << height;
                }
    }
}

TEST(codec_jpeg_coefficients, there_is_room_for_the_largest) {
    Workers workers(1);
    const JpegGrid grid{{64, 64}, false, Subsampling::s444};
    const std::vector<std::int16_t> values(grid.blocks() * 64, 1023);
    Bytes stream;
    ASSERT_EQ(jpeg_encode_coefficients(workers, grid, 50, values.data(), stream), PIXMPI_SUCCESS) << text();
    EXPECT_TRUE(read(workers, stream, PIXMPI_RGB8, 64 * 64).values == values);
}

TEST(codec_jpeg_coefficients, a_stream_that_is_cut_or_another_one_is_an_error) {
    Workers workers(3);
    const Bytes data = picture(PIXMPI_RGB8, 300, 200);
    const Bytes stream = plain_encode(data, PIXMPI_RGB8, 300, 50, Subsampling::s420, 4);
    Coefficients all = read(workers, stream, PIXMPI_RGB8, 60000);
    for (std::size_t bytes = 0; bytes < stream.size(); bytes += 7) {
        const Exact input(std::span<const std::byte>(stream).first(bytes));
        EXPECT_EQ(jpeg_decode_coefficients(workers, input.view(), all.grid, all.values.data(), all.steps),
                  PIXMPI_ERR_CODEC)
            << bytes;
    }
    const Bytes other = plain_encode(data, PIXMPI_RGB8, 300, 50, Subsampling::s444, 4);
    EXPECT_EQ(jpeg_decode_coefficients(workers, other, all.grid, all.values.data(), all.steps), PIXMPI_ERR_CODEC);
    // As many blocks, in another arrangement.
    const Bytes small = picture(PIXMPI_RGB8, 16, 16);
    const Coefficients wide =
        read(workers, plain_encode(small, PIXMPI_RGB8, 16, 50, Subsampling::s422, 0), PIXMPI_RGB8, 256);
    JpegGrid tall = wide.grid;
    tall.size = {8, 16};
    EXPECT_EQ(tall.blocks(), wide.grid.blocks());
    EXPECT_EQ(jpeg_decode_coefficients(workers, plain_encode(small, PIXMPI_RGB8, 16, 50, Subsampling::s422, 0), tall,
                                       all.values.data(), all.steps),
              PIXMPI_ERR_CODEC);
    JpegGrid grid;
    EXPECT_EQ(jpeg_read_grid(stream, PIXMPI_RGB8, 300, grid), PIXMPI_ERR_CODEC);
    EXPECT_EQ(jpeg_read_grid(stream, PIXMPI_R16, 60000, grid), PIXMPI_ERR_FORMAT);
}
