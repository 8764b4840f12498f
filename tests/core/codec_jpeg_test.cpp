// Pixels by JPEG: streams and pixels are libjpeg's own, whatever the number of threads; and what is no such stream is
// an error.
#include "codec_jpeg_rig.h"

using namespace codec_pictures;

namespace {

struct Rig {
    explicit Rig(unsigned threads = 3) : workers(threads) {}

    Bytes encode(const Bytes &data, pixMPI_Format format, std::uint64_t width, int quality = 90,
                 Subsampling subsampling = Subsampling::s420) {
        const Exact input(data);
        const std::uint64_t pixels = data.size() / static_cast<std::size_t>(format_info(format).bytes);
        Bytes stream;
        EXPECT_EQ(jpeg_encode(workers, {input.data.get(), format, pixels, width}, quality, subsampling, stream), 0)
            << text();
        return stream;
    }

    /// What comes back; nothing when there is an error, which `code` then is.
    Bytes decode(const Bytes &stream, pixMPI_Format format, std::uint64_t pixels) {
        const Exact input(stream);
        Exact out(pixels * static_cast<std::size_t>(format_info(format).bytes));
        code = jpeg_decode(workers, input.view(), format, pixels, out.data.get());
        return code ? Bytes{} : Bytes(out.data.get(), out.data.get() + out.size);
    }

    void refuses(const Bytes &stream, std::uint64_t pixels, const std::string &why, Status expected = PIXMPI_ERR_CODEC,
                 pixMPI_Format format = PIXMPI_RGB8) {
        EXPECT_TRUE(decode(stream, format, pixels).empty()) << why;
        EXPECT_EQ(code, expected) << why;
        EXPECT_NE(text().find(why), std::string::npos) << text();
    }

    Workers workers;
    Status code = PIXMPI_SUCCESS;
};

struct Size {
    int width, height;
};
constexpr Size sizes[] = {{1, 1}, {1, 40}, {40, 1}, {7, 5}, {8, 8}, {16, 16}, {17, 33}, {100, 75}, {253, 515}};

/// The place of a marker's segment, behind its length.
std::size_t segment(const Bytes &stream, unsigned marker) {
    for (std::size_t i = 0; i + 4 < stream.size(); ++i)
        if (stream[i] == std::byte{0xff} && stream[i + 1] == static_cast<std::byte>(marker))
            return i + 4;
    ADD_FAILURE() << "no marker " << marker;
    return 0;
}

Bytes with(Bytes stream, std::size_t at, std::initializer_list<int> bytes) {
    for (const int byte : bytes)
        stream[at++] = static_cast<std::byte>(byte);
    return stream;
}

} // namespace

TEST(codec_jpeg, streams_and_pixels_are_the_librarys) {
    for (const unsigned threads : {1, 2, 5}) {
        Rig rig(threads);
        for (const pixMPI_Format format : jpeg_formats)
            for (const Subsampling subsampling : subsamplings)
                for (const auto [width, height] : sizes) {
                    const Bytes data = picture(format, width, height);
                    const auto w = static_cast<unsigned>(width);
                    const Bytes stream = rig.encode(data, format, w, 75, subsampling);
                    EXPECT_TRUE(stream ==
                                plain_encode(data, format, w, 75, subsampling, restart_rows(w, format, subsampling)))
                        << format_info(format).name << ' ' << width << " x " << height;
                    EXPECT_TRUE(rig.decode(stream, format, static_cast<std::uint64_t>(width * height)) ==
                                plain_decode(stream, format))
                        << format_info(format).name << ' ' << width << " x " << height << ' ' << text();
                }
    }
}

TEST(codec_jpeg, strips_of_large_pictures_fit_together) {
    const Bytes data = noise(3 * 700 * 500);
    for (const Subsampling subsampling : subsamplings) {
        const Bytes expected =
            plain_encode(data, PIXMPI_RGB8, 700, 50, subsampling, restart_rows(700, PIXMPI_RGB8, subsampling));
        const Bytes pixels = plain_decode(expected, PIXMPI_RGB8);
        for (const unsigned threads : {1, 2, 3, 6}) {
            Rig rig(threads);
            EXPECT_TRUE(rig.encode(data, PIXMPI_RGB8, 700, 50, subsampling) == expected) << threads;
            EXPECT_TRUE(rig.decode(expected, PIXMPI_RGB8, 350000) == pixels) << threads << ' ' << text();
        }
    }
}

TEST(codec_jpeg, restart_intervals_may_have_any_length) {
    // None, which leaves one piece; those of a few rows, of less than a row, and of rows and a part of one.
    const Bytes data = picture(PIXMPI_RGB8, 300, 400);
    for (const unsigned threads : {1, 4}) {
        Rig rig(threads);
        for (const Subsampling subsampling : subsamplings)
            for (const unsigned units : {0u, 1u, 4u, 7u, 19u, 38u, 50u, 65535u}) {
                const Bytes stream = plain_encode(data, PIXMPI_RGB8, 300, 90, subsampling, 0, units);
                EXPECT_TRUE(rig.decode(stream, PIXMPI_RGB8, 120000) == plain_decode(stream, PIXMPI_RGB8))
                    << units << ": " << text();
            }
    }
}

TEST(codec_jpeg, quality_90_of_a_rendered_picture_has_38_dB) {
    Rig rig;
    for (const pixMPI_Format format : jpeg_formats) {
        const Bytes data = picture(format, 640, 480);
        for (const Subsampling subsampling : subsamplings) {
            const Bytes stream = rig.encode(data, format, 640, 90, subsampling);
            EXPECT_LT(stream.size() * 10, data.size());
            EXPECT_GE(psnr(rig.decode(stream, format, 640 * 480), data, format), 38) << format_info(format).name;
        }
    }
}

TEST(codec_jpeg, more_quality_is_nearer_and_larger) {
    Rig rig;
    const Bytes data = picture(PIXMPI_RGB8, 320, 240);
    double before = 0;
    std::size_t bytes = 0;
    for (const int quality : {1, 20, 60, 90, 100}) {
        const Bytes stream = rig.encode(data, PIXMPI_RGB8, 320, quality, Subsampling::s444);
        const double now = psnr(rig.decode(stream, PIXMPI_RGB8, 320 * 240), data, PIXMPI_RGB8);
        EXPECT_GT(now, before) << quality;
        EXPECT_GT(stream.size(), bytes) << quality;
        before = now;
        bytes = stream.size();
    }
    EXPECT_GT(before, 45);
}

TEST(codec_jpeg, pixels_of_any_shape) {
    Rig rig;
    const Bytes data = picture(PIXMPI_RGB8, 300, 200);
    // The last row is short.
    for (const std::size_t pixels : {1, 299, 300, 301, 599, 50001}) {
        const Bytes some(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(3 * pixels));
        const Bytes back = rig.decode(rig.encode(some, PIXMPI_RGB8, 300), PIXMPI_RGB8, pixels);
        ASSERT_EQ(back.size(), some.size()) << text();
        EXPECT_GT(psnr(back, some, PIXMPI_RGB8), 35) << pixels;
    }
    // Shapes that are unknown, or more than a JPEG has.
    for (const std::uint64_t width : {std::uint64_t{0}, std::uint64_t{1} << 40})
        EXPECT_EQ(rig.decode(rig.encode(data, PIXMPI_RGB8, width), PIXMPI_RGB8, 60000).size(), data.size()) << text();
    const Bytes grey(70000, std::byte{77});
    for (const std::uint64_t width : {1, 70000, 65500, 65501})
        EXPECT_TRUE(rig.decode(rig.encode(grey, PIXMPI_R8, width), PIXMPI_R8, 70000) == grey) << width << text();
    EXPECT_FALSE(jpeg_size({nullptr, PIXMPI_R8, std::uint64_t{1} << 33, 0}));
    EXPECT_FALSE(jpeg_size({nullptr, PIXMPI_R8, 0, 5}));
    const JpegSize most = jpeg_size({nullptr, PIXMPI_R8, jpeg_most_side * jpeg_most_side, jpeg_most_side});
    EXPECT_EQ(most.width, jpeg_most_side);
    EXPECT_EQ(most.height, jpeg_most_side);
    Bytes stream;
    EXPECT_EQ(jpeg_encode(rig.workers, {nullptr, PIXMPI_R8, 0, 0}, 90, Subsampling::s444, stream), PIXMPI_ERR_FORMAT);
}

TEST(codec_jpeg, chroma_is_averaged_over_neighbours_alone) {
    const auto kept = [](pixMPI_Format format, std::uint64_t pixels, std::uint64_t width, bool apart, Subsampling of) {
        return jpeg_grid({nullptr, format, pixels, width, apart}, of).subsampling;
    };
    EXPECT_EQ(kept(PIXMPI_RGB8, 60000, 300, false, Subsampling::s420), Subsampling::s420);
    EXPECT_EQ(kept(PIXMPI_RGB8, 60000, 300, true, Subsampling::s420), Subsampling::s422);
    EXPECT_EQ(kept(PIXMPI_RGB8, 60000, 300, true, Subsampling::s444), Subsampling::s444);
    EXPECT_EQ(kept(PIXMPI_RGB8, 60000, 8, true, Subsampling::s420), Subsampling::s444) << "narrow";
    EXPECT_EQ(kept(PIXMPI_RGB8, 200, 300, false, Subsampling::s420), Subsampling::s420) << "a part of a row";
    EXPECT_EQ(kept(PIXMPI_R8, 60000, 300, false, Subsampling::s420), Subsampling::s444);
    // Rows that are not known, too long, or too many.
    for (const std::uint64_t width : {0, 65501, 1})
        EXPECT_EQ(kept(PIXMPI_RGB8, 200000, width, false, Subsampling::s420), Subsampling::s444) << width;
}

TEST(codec_jpeg, formats_that_it_cannot_hold_are_errors) {
    for (int i = PIXMPI_FORMAT_NONE; i < PIXMPI_FORMAT_END; ++i) {
        const auto format = static_cast<pixMPI_Format>(i);
        const bool taken =
            std::find(std::begin(jpeg_formats), std::end(jpeg_formats), format) != std::end(jpeg_formats);
        EXPECT_EQ(check_jpeg_format(format), taken ? PIXMPI_SUCCESS : PIXMPI_ERR_FORMAT) << format_info(format).name;
    }
    EXPECT_EQ(check_jpeg_format(PIXMPI_DEPTH32F), PIXMPI_ERR_FORMAT);
    EXPECT_NE(text().find("format: DEPTH32F, expected R8"), std::string::npos) << text();
}

namespace {

/// Small ones at every byte, and some with strips.
struct Case {
    unsigned threads;
    int width, height;
    std::size_t step;
    std::uint64_t pixels() const { return static_cast<std::uint64_t>(width * height); }
};
constexpr Case cases[] = {{1, 40, 30, 1}, {3, 256, 256, 7}};

} // namespace

TEST(codec_jpeg, a_stream_that_is_cut_is_an_error_wherever_it_is) {
    for (const Case &c : cases) {
        Rig rig(c.threads);
        const Bytes stream = rig.encode(noise(3 * c.pixels()), PIXMPI_RGB8, static_cast<std::uint64_t>(c.width), 5);
        ASSERT_FALSE(rig.decode(stream, PIXMPI_RGB8, c.pixels()).empty()) << text();
        for (std::size_t bytes = 0; bytes < stream.size(); bytes += c.step) {
            EXPECT_TRUE(rig.decode({stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(bytes)}, PIXMPI_RGB8,
                                   c.pixels())
                            .empty())
                << bytes;
            EXPECT_EQ(rig.code, PIXMPI_ERR_CODEC);
        }
        Bytes longer = stream;
        longer.push_back({});
        rig.refuses(longer, c.pixels(), "goes on behind its end");
    }
}

TEST(codec_jpeg, a_byte_that_changes_is_an_error_or_another_picture) {
    for (const Case &c : cases) {
        Rig rig(c.threads);
        const Bytes stream =
            rig.encode(picture(PIXMPI_RGB8, c.width, c.height), PIXMPI_RGB8, static_cast<std::uint64_t>(c.width), 10);
        std::size_t errors = 0, changed = 0;
        for (std::size_t i = 0; i < stream.size(); i += c.step)
            for (const int bits : {1, 0x80, 0xff}) {
                Bytes other = stream;
                other[i] ^= static_cast<std::byte>(bits);
                errors += rig.decode(other, PIXMPI_RGB8, c.pixels()).empty();
                ++changed;
            }
        EXPECT_GT(errors, changed / 4);
    }
}

TEST(codec_jpeg, intervals_that_are_damaged_inside_are_errors) {
    // Each strip's own, the last one of a strip, and one that the neighbouring strip also needs.
    Rig rig(4);
    const Bytes stream = rig.encode(noise(3 * 512 * 512), PIXMPI_RGB8, 512, 5);
    std::size_t intervals = 0;
    for (std::size_t i = segment(stream, 0xda); i + 1 < stream.size(); ++i) {
        const auto marker = std::to_integer<unsigned>(stream[i + 1]);
        if (stream[i] != std::byte{0xff} || marker < 0xd0 || marker > 0xd9)
            continue;
        Bytes other = stream;
        other.erase(other.begin() + static_cast<std::ptrdiff_t>(i) - 20,
                    other.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_TRUE(rig.decode(other, PIXMPI_RGB8, 512 * 512).empty()) << i;
        EXPECT_EQ(rig.code, PIXMPI_ERR_CODEC);
        ++intervals;
    }
    EXPECT_EQ(intervals, 16u);
}

TEST(codec_jpeg, lies_are_errors) {
    Rig rig;
    const Bytes data = picture(PIXMPI_RGB8, 256, 300), stream = rig.encode(data, PIXMPI_RGB8, 256);
    constexpr std::uint64_t pixels = 256 * 300;
    const std::size_t frame = segment(stream, 0xc0), scan = segment(stream, 0xda);
    rig.refuses(stream, pixels + 1, "256 x 300 pixels, expected 76801");
    rig.refuses(stream, pixels - 256, "256 x 300 pixels, expected 76544");
    rig.refuses(stream, 3, "expected 3");
    EXPECT_FALSE(rig.decode(stream, PIXMPI_RGB8, pixels - 255).empty()) << "a row that is not full";
    rig.refuses(with(stream, frame + 1, {0xff, 0xdc, 0xff, 0xdc}), pixels, "restart intervals, expected");
    rig.refuses(with(stream, frame + 1, {0xff, 0xff, 0xff, 0xff}), pixels, "65535 x 65535 pixels, expected 1 to 65500");
    rig.refuses(with(stream, frame + 1, {0, 0}), pixels, "256 x 0 pixels");
    rig.refuses(with(stream, frame, {12}), pixels, "components of 8 bits");
    rig.refuses(with(stream, frame + 5, {4}), pixels, "1 or 3 components");
    rig.refuses(with(stream, frame + 7, {0x44}), pixels, "another subsampling");
    rig.refuses(with(stream, frame + 10, {0x21}), pixels, "another subsampling");
    rig.refuses(with(stream, frame - 3, {0xc2}), pixels, "marker c2"); // progressive
    rig.refuses(with(stream, frame - 3, {0xc9}), pixels, "marker c9"); // arithmetic
    rig.refuses(with(stream, frame - 2, {0xff, 0xff}), pixels, "cut or damaged");
    rig.refuses(with(stream, scan, {1}), pixels, "a scan of other");
    for (const std::size_t at : {7, 8, 9}) // the first coefficient, the last one, and how many bits of them
        rig.refuses(with(stream, scan + at, {5}), pixels, "a scan of other");
    rig.refuses(with(stream, segment(stream, 0xdd), {0, 0}), pixels, "restart intervals, expected 1");
    rig.refuses(with(stream, segment(stream, 0xdd), {0, 1}), pixels, "restart intervals, expected 304");
    rig.refuses(with(stream, segment(stream, 0xd0) - 3, {0xd3}), pixels, "marker d3 within");
    rig.refuses(with(stream, frame + 6, {'R'}), pixels, "JPEG: "); // components that the scan does not name
    rig.refuses({}, pixels, "does not begin");
    // A picture of another kind is no damage.
    rig.refuses(stream, pixels, "R8, and the JPEG that came has colours", PIXMPI_ERR_FORMAT, PIXMPI_R8);
    rig.refuses(rig.encode(Bytes(pixels), PIXMPI_R8, 256), pixels, "grey alone", PIXMPI_ERR_FORMAT);
    rig.refuses(stream, pixels, "RGBA32F, expected R8", PIXMPI_ERR_FORMAT, PIXMPI_RGBA32F);
}

TEST(codec_jpeg, colours_arrive_wherever_the_format_has_them) {
    Rig rig;
    const Bytes data = picture(PIXMPI_RGBA8, 64, 64), stream = rig.encode(data, PIXMPI_RGBA8, 64);
    const Bytes red_first = rig.decode(stream, PIXMPI_RGBA8, 4096), blue_first = rig.decode(stream, PIXMPI_BGRA8, 4096);
    ASSERT_EQ(red_first.size(), blue_first.size());
    for (std::size_t i = 0; i < red_first.size(); i += 4) {
        ASSERT_EQ(red_first[i], blue_first[i + 2]);
        ASSERT_EQ(red_first[i + 2], blue_first[i]);
        ASSERT_EQ(red_first[i + 3], std::byte{255});
        ASSERT_EQ(blue_first[i + 3], std::byte{255});
    }
}
