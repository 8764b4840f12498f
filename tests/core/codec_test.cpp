// The choice of a codec, and streams of either kind.
#include "codec/jpeg.h"
#include "codec/lz4_stream.h"
#include "codec_pictures.h"

#include <gtest/gtest.h>

using namespace codec_pictures;

namespace {

struct Rig {
    Bytes encode(const CodecChoice &choice, const Bytes &data, pixMPI_Format format, std::uint64_t width) {
        EXPECT_EQ(check(choice, format), PIXMPI_SUCCESS) << text();
        const std::uint64_t pixels = data.size() / static_cast<std::size_t>(format_info(format).bytes);
        const Exact input(data);
        Exact out(Codec::bound(format, pixels));
        std::size_t bytes = 0;
        EXPECT_EQ(codec.encode(choice, {input.data.get(), format, pixels, width}, {out.data.get(), out.size}, bytes), 0)
            << text();
        EXPECT_LE(bytes, out.size);
        return {out.data.get(), out.data.get() + bytes};
    }
    Bytes decode(const Bytes &stream, pixMPI_Format format, std::uint64_t pixels) {
        const Exact input(stream);
        Exact out(pixels * static_cast<std::size_t>(format_info(format).bytes));
        code = codec.decode(input.view(), format, pixels, out.data.get());
        return code ? Bytes{} : Bytes(out.data.get(), out.data.get() + out.size);
    }

    Workers workers{2};
    Codec codec{workers};
    Status code = PIXMPI_SUCCESS;
};

CodecChoice jpeg(int quality = 90, Alpha alpha = Alpha::refuse) {
    return {CodecKind::jpeg, quality, Subsampling::s444, alpha};
}

void refused(const CodecChoice &choice, pixMPI_Format format, Status code, const char *why) {
    EXPECT_EQ(check(choice, format), code) << why;
    EXPECT_NE(text().find(why), std::string::npos) << text();
}

} // namespace

TEST(codec, errors_name_the_argument) {
    EXPECT_EQ(check({}, PIXMPI_RGBA32F), PIXMPI_SUCCESS);
    EXPECT_EQ(check({CodecKind::lz4}, PIXMPI_DEPTH24_STENCIL8), PIXMPI_SUCCESS);
    EXPECT_EQ(check(jpeg(), PIXMPI_RGB8), PIXMPI_SUCCESS);
    EXPECT_EQ(check(jpeg(), PIXMPI_R8), PIXMPI_SUCCESS);
    EXPECT_EQ(check(jpeg(1, Alpha::opaque), PIXMPI_RGBA8), PIXMPI_SUCCESS);
    EXPECT_EQ(check(jpeg(100, Alpha::beside), PIXMPI_BGRA8_SRGB), PIXMPI_SUCCESS);
    refused({static_cast<CodecKind>(77)}, PIXMPI_RGB8, PIXMPI_ERR_ARGUMENT, "codec: 77, expected none, lz4 or jpeg");
    refused({CodecKind::lz4}, PIXMPI_FORMAT_END, PIXMPI_ERR_FORMAT, "format: ");
    refused(jpeg(0), PIXMPI_RGB8, PIXMPI_ERR_ARGUMENT, "quality: 0, expected 1 to 100");
    refused(jpeg(101), PIXMPI_RGB8, PIXMPI_ERR_ARGUMENT, "quality: 101, expected 1 to 100");
    refused({CodecKind::jpeg, 90, static_cast<Subsampling>(3)}, PIXMPI_RGB8, PIXMPI_ERR_ARGUMENT, "subsampling: 3");
    refused(jpeg(90, static_cast<Alpha>(9)), PIXMPI_RGB8, PIXMPI_ERR_ARGUMENT, "alpha: 9");
    refused(jpeg(), PIXMPI_RGBA8, PIXMPI_ERR_FORMAT, "format: RGBA8, and JPEG has no alpha");
    refused(jpeg(90, Alpha::opaque), PIXMPI_DEPTH32F, PIXMPI_ERR_FORMAT, "format: DEPTH32F, expected R8");
    refused(jpeg(90, Alpha::opaque), PIXMPI_RGBA16F, PIXMPI_ERR_FORMAT, "format: RGBA16F");
    refused(jpeg(90, Alpha::opaque), PIXMPI_RGBA8UI, PIXMPI_ERR_FORMAT, "format: RGBA8UI");
}

TEST(codec, kinds_have_names) {
    EXPECT_STREQ(codec_name(CodecKind::none), "none");
    EXPECT_STREQ(codec_name(CodecKind::lz4), "lz4");
    EXPECT_STREQ(codec_name(CodecKind::jpeg), "jpeg");
}

TEST(codec, streams_say_what_they_are) {
    Rig rig;
    const Bytes data = picture(PIXMPI_RGB8, 120, 90);
    const Bytes exact = rig.encode({CodecKind::lz4}, data, PIXMPI_RGB8, 120);
    const Bytes nearly = rig.encode(jpeg(), data, PIXMPI_RGB8, 120);
    EXPECT_TRUE(is_lz4(exact) && !is_jpeg(exact));
    EXPECT_TRUE(is_jpeg(nearly) && !is_lz4(nearly));
    EXPECT_LT(nearly.size(), exact.size());
    EXPECT_TRUE(rig.decode(exact, PIXMPI_RGB8, 10800) == data);
    EXPECT_EQ(rig.decode(nearly, PIXMPI_RGB8, 10800).size(), data.size());
    for (const Bytes &other : {Bytes{}, Bytes(1), Bytes(100), noise(50)}) {
        EXPECT_TRUE(rig.decode(other, PIXMPI_RGB8, 10800).empty());
        EXPECT_EQ(rig.code, PIXMPI_ERR_CODEC);
        EXPECT_NE(text().find("neither as LZ4 nor as JPEG"), std::string::npos) << text();
    }
}

TEST(codec, what_jpeg_does_not_make_smaller_goes_without_loss) {
    Rig rig;
    for (const std::size_t pixels : {0, 1, 50, 30000}) {
        const Bytes data = noise(3 * pixels), stream = rig.encode(jpeg(100), data, PIXMPI_RGB8, 100);
        EXPECT_TRUE(is_lz4(stream));
        EXPECT_TRUE(rig.decode(stream, PIXMPI_RGB8, pixels) == data);
        EXPECT_EQ(rig.code, PIXMPI_SUCCESS) << text();
    }
}

TEST(codec, alpha_is_dropped_or_travels_beside) {
    Rig rig;
    for (const pixMPI_Format format : {PIXMPI_RGBA8, PIXMPI_BGRA8}) {
        const Bytes data = picture(format, 200, 150);
        const Bytes opaque = rig.decode(rig.encode(jpeg(90, Alpha::opaque), data, format, 200), format, 30000);
        const Bytes stream = rig.encode(jpeg(90, Alpha::beside), data, format, 200);
        const Bytes beside = rig.decode(stream, format, 30000);
        ASSERT_EQ(opaque.size(), data.size());
        ASSERT_EQ(beside.size(), data.size());
        for (std::size_t i = 0; i < data.size(); ++i)
            if (i % 4 == 3) {
                ASSERT_EQ(opaque[i], std::byte{255});
                ASSERT_EQ(beside[i], data[i]);
            } else {
                ASSERT_EQ(opaque[i], beside[i]);
            }
    }
    // Formats without alpha have no separate one.
    const Bytes data = picture(PIXMPI_RGB8, 200, 150);
    EXPECT_TRUE(rig.encode(jpeg(90, Alpha::beside), data, PIXMPI_RGB8, 200) ==
                rig.encode(jpeg(), data, PIXMPI_RGB8, 200));
}

TEST(codec, alpha_is_dropped_also_without_jpeg) {
    Rig rig;
    const Bytes data = noise(4 * 96 * 64);
    Bytes opaque = data;
    make_opaque(opaque.data(), 96 * 64);
    for (const CodecKind kind : {CodecKind::jpeg, CodecKind::lz4}) {
        CodecChoice choice = jpeg(100, Alpha::opaque);
        choice.kind = kind;
        const Bytes stream = rig.encode(choice, data, PIXMPI_BGRA8, 96);
        EXPECT_TRUE(is_lz4(stream));
        EXPECT_TRUE(rig.decode(stream, PIXMPI_BGRA8, 96 * 64) == opaque);
    }
    EXPECT_FALSE(drops_alpha(jpeg(90, Alpha::beside), PIXMPI_RGBA8));
    EXPECT_FALSE(drops_alpha(jpeg(90, Alpha::opaque), PIXMPI_RGB8));
    EXPECT_FALSE(drops_alpha({}, PIXMPI_RGBA8));
}

TEST(codec, alpha_that_is_damaged_is_an_error) {
    Rig rig;
    const Bytes data = picture(PIXMPI_RGBA8, 60, 50);
    const Bytes stream = rig.encode(jpeg(50, Alpha::beside), data, PIXMPI_RGBA8, 60);
    for (std::size_t bytes = 0; bytes < stream.size(); ++bytes) {
        EXPECT_TRUE(
            rig.decode({stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(bytes)}, PIXMPI_RGBA8, 3000)
                .empty())
            << bytes;
        EXPECT_EQ(rig.code, PIXMPI_ERR_CODEC);
    }
    for (const std::size_t at : {0, 8, 13, 15, 16, 17, 40, 80}) { // the header, then the alphas
        Bytes other = stream;
        other[at] ^= std::byte{0x40};
        EXPECT_TRUE(rig.decode(other, PIXMPI_RGBA8, 3000).empty()) << at;
        EXPECT_EQ(rig.code, PIXMPI_ERR_CODEC);
    }
    EXPECT_TRUE(rig.decode(stream, PIXMPI_RGB8, 3000).empty());
    EXPECT_EQ(rig.code, PIXMPI_ERR_FORMAT);
    EXPECT_NE(text().find("separate alpha"), std::string::npos) << text();
}
