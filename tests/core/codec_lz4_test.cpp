// Pixels by LZ4: the same bits come back, and a stream that is not whole is an error.
#include "codec/lz4_stream.h"
#include "codec_pictures.h"

#include <gtest/gtest.h>

using namespace codec_pictures;

namespace {

constexpr CodecChoice lz4{CodecKind::lz4};

struct Rig {
    explicit Rig(unsigned threads = 3) : workers(threads) {}

    Bytes encode(const Bytes &data, pixMPI_Format format, std::uint64_t width) {
        const std::uint64_t pixels = data.size() / static_cast<std::size_t>(format_info(format).bytes);
        const Exact input(data);
        Exact out(Codec::bound(format, pixels));
        std::size_t bytes = 0;
        EXPECT_EQ(codec.encode(lz4, {input.data.get(), format, pixels, width}, {out.data.get(), out.size}, bytes), 0)
            << text();
        EXPECT_LE(bytes, out.size);
        return {out.data.get(), out.data.get() + bytes};
    }

    /// What comes back; nothing when there is an error.
    Bytes decode(const Bytes &stream, pixMPI_Format format, std::uint64_t pixels) {
        const Exact input(stream);
        Exact out(pixels * static_cast<std::size_t>(format_info(format).bytes));
        const Status status = codec.decode(input.view(), format, pixels, out.data.get());
        EXPECT_TRUE(status == PIXMPI_SUCCESS || status == PIXMPI_ERR_CODEC) << text();
        return status ? Bytes{} : Bytes(out.data.get(), out.data.get() + out.size);
    }

    /// The stream's size.
    std::size_t there_and_back(const Bytes &data, pixMPI_Format format, std::uint64_t width) {
        const Bytes stream = encode(data, format, width);
        EXPECT_TRUE(decode(stream, format, data.size() / static_cast<std::size_t>(format_info(format).bytes)) == data)
            << format_info(format).name << ", rows of " << width;
        return stream.size();
    }

    Workers workers;
    Codec codec{workers};
};

Bytes repeated(std::size_t bytes) {
    Bytes all(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        all[i] = static_cast<std::byte>(i / 64 * 3);
    return all;
}

/// A stream with other words in its header, and the check that belongs to it.
template <class Change> Bytes forged(Bytes stream, Change change) {
    Lz4Header header;
    std::memcpy(&header, stream.data(), sizeof header);
    const std::size_t blocks = (header.pixels + header.block_pixels - 1) / header.block_pixels;
    std::vector<Lz4Block> table(blocks);
    std::memcpy(table.data(), stream.data() + sizeof header, blocks * sizeof(Lz4Block));
    change(header, table, stream);
    std::memcpy(stream.data(), &header, sizeof header);
    std::memcpy(stream.data() + sizeof header, table.data(), blocks * sizeof(Lz4Block));
    header.check = checksum({stream.data() + 8, sizeof header - 8 + blocks * sizeof(Lz4Block)});
    std::memcpy(stream.data(), &header, sizeof header);
    return stream;
}

} // namespace

TEST(codec_lz4, every_format) {
    Rig rig;
    for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i) {
        const auto format = static_cast<pixMPI_Format>(i);
        const auto bytes = static_cast<std::size_t>(format_info(format).bytes);
        for (const std::uint64_t width : {0, 1, 37, 101, 5000}) {
            rig.there_and_back(noise(37 * 101 * bytes), format, width);
            rig.there_and_back(repeated(37 * 101 * bytes), format, width);
        }
    }
}

TEST(codec_lz4, every_size) {
    Rig rig;
    for (std::size_t pixels = 0; pixels <= 70; ++pixels)
        for (const std::uint64_t width : {0, 1, 2, 7, 64, 1000})
            for (const pixMPI_Format format : {PIXMPI_R8, PIXMPI_RGB8, PIXMPI_DEPTH32F, PIXMPI_RGBA16F}) {
                const std::size_t bytes = pixels * static_cast<std::size_t>(format_info(format).bytes);
                rig.there_and_back(noise(bytes), format, width);
                rig.there_and_back(repeated(bytes), format, width);
            }
}

TEST(codec_lz4, many_blocks_and_any_number_of_threads) {
    const Bytes rows = picture(PIXMPI_RGB8, 700, 501), random = noise(3 << 20);
    for (const unsigned threads : {1, 2, 5}) {
        Rig rig(threads);
        rig.there_and_back(rows, PIXMPI_RGB8, 700);
        rig.there_and_back(rows, PIXMPI_RGB8, 0);
        rig.there_and_back(random, PIXMPI_RGBA32F, 256);
    }
}

TEST(codec_lz4, what_is_known_of_pixels_makes_them_smaller) {
    Rig rig;
    const Bytes depth = depths(640, 480);
    EXPECT_LT(rig.there_and_back(depth, PIXMPI_DEPTH32F, 640) * 3, depth.size());
    EXPECT_LT(rig.there_and_back(depth, PIXMPI_DEPTH32F, 640) * 2, rig.there_and_back(depth, PIXMPI_RGBA8, 0));
    std::vector<std::uint32_t> words; // a stencil of few values below a depth that rises
    for (std::uint32_t i = 0; i < 100000; ++i)
        words.push_back(i * 37 << 8 | (i / 5000 & 3));
    Bytes packed(words.size() * 4);
    std::memcpy(packed.data(), words.data(), packed.size());
    EXPECT_LT(rig.there_and_back(packed, PIXMPI_DEPTH24_STENCIL8, 0) * 20, packed.size());
}

TEST(codec_lz4, noise_is_stored) {
    Rig rig;
    for (const std::size_t bytes : {1, 1000, 1 << 20}) {
        const Bytes data = noise(bytes);
        EXPECT_LE(rig.there_and_back(data, PIXMPI_R8, 0), Codec::bound(PIXMPI_R8, bytes));
        EXPECT_LE(Codec::bound(PIXMPI_R8, bytes), bytes + bytes / 4096 + 64);
    }
}

TEST(codec_lz4, another_format_of_as_many_bytes_receives_the_bits) {
    Rig rig;
    const Bytes data = depths(64, 48);
    EXPECT_TRUE(rig.decode(rig.encode(data, PIXMPI_DEPTH32F, 64), PIXMPI_RGBA8, 64 * 48) == data);
    EXPECT_TRUE(rig.decode(rig.encode(data, PIXMPI_DEPTH32F, 64), PIXMPI_RG8, 64 * 48).empty());
    EXPECT_NE(text().find("pixels of 4 bytes, expected 3072 of 2"), std::string::npos) << text();
}

TEST(codec_lz4, a_stream_that_is_cut_is_an_error_wherever_it_is) {
    Rig rig;
    const Bytes data = picture(PIXMPI_RGB8, 30, 20), stream = rig.encode(data, PIXMPI_RGB8, 30);
    ASSERT_TRUE(rig.decode(stream, PIXMPI_RGB8, 600) == data);
    for (std::size_t bytes = 0; bytes < stream.size(); ++bytes)
        EXPECT_TRUE(
            rig.decode({stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(bytes)}, PIXMPI_RGB8, 600).empty())
            << bytes;
    Bytes longer = stream;
    longer.push_back({});
    EXPECT_TRUE(rig.decode(longer, PIXMPI_RGB8, 600).empty());
}

TEST(codec_lz4, a_byte_that_changes_is_an_error_wherever_it_is) {
    Rig rig;
    const Bytes data = picture(PIXMPI_RGB8, 40, 30), stream = rig.encode(data, PIXMPI_RGB8, 40);
    for (std::size_t i = 0; i < stream.size(); ++i)
        for (const int bits : {1, 0x80, 0xff}) {
            Bytes other = stream;
            other[i] ^= static_cast<std::byte>(bits);
            EXPECT_TRUE(rig.decode(other, PIXMPI_RGB8, 1200).empty()) << i;
        }
}

TEST(codec_lz4, lies_with_the_right_checks_are_errors) {
    Rig rig;
    const Bytes data = picture(PIXMPI_RGBA8, 300, 300), stream = rig.encode(data, PIXMPI_RGBA8, 300);
    using Table = std::vector<Lz4Block>;
    const auto refuses = [&](auto change, const char *why) {
        EXPECT_TRUE(rig.decode(forged(stream, change), PIXMPI_RGBA8, 90000).empty()) << why;
        EXPECT_NE(text().find(why), std::string::npos) << text();
    };
    EXPECT_TRUE(rig.decode(forged(stream, [](Lz4Header &, Table &, Bytes &) {}), PIXMPI_RGBA8, 90000) == data);
    refuses([](Lz4Header &h, Table &, Bytes &) { h.pixels = 89999; }, "89999 pixels of 4 bytes, expected 90000 of 4");
    refuses([](Lz4Header &h, Table &, Bytes &) { h.pixels = UINT64_MAX; }, "expected 90000");
    refuses([](Lz4Header &h, Table &, Bytes &) { h.block_pixels = 0; }, "header");
    refuses([](Lz4Header &h, Table &, Bytes &) { h.block_pixels = 1, h.width = 0; }, "within its table");
    refuses([](Lz4Header &h, Table &, Bytes &) { h.block_pixels = 65537; }, "expected 65536 at most");
    refuses([](Lz4Header &h, Table &, Bytes &) { h.width = h.block_pixels + 1; }, "header");
    refuses([](Lz4Header &h, Table &, Bytes &) { h.format = 60000; }, "header");
    refuses([](Lz4Header &h, Table &, Bytes &) { h.filter = 5; }, "header");
    refuses([](Lz4Header &, Table &t, Bytes &) { t[1].bytes = 0; }, "block 1 has 0 bytes");
    refuses([](Lz4Header &, Table &t, Bytes &) { t[1].bytes = UINT32_MAX; }, "block 1 has 4294967295 bytes");
    refuses([](Lz4Header &, Table &t, Bytes &) { t[1].bytes += 1; }, "expected");
    refuses([](Lz4Header &, Table &t, Bytes &) { t[1].check ^= 1; }, "block 1 of the stream is damaged");
    // Bytes of a block that are no LZ4, or expand to too little.
    refuses(
        [](Lz4Header &h, Table &t, Bytes &s) {
            std::byte *const block = s.data() + sizeof h + t.size() * sizeof(Lz4Block);
            std::fill(block, block + t[0].bytes, std::byte{0xff});
            t[0].check = checksum({block, t[0].bytes});
        },
        "block 0 of the stream is damaged");
    refuses(
        [](Lz4Header &h, Table &t, Bytes &s) {
            std::byte *const block = s.data() + sizeof h + t.size() * sizeof(Lz4Block);
            std::fill(block, block + t[0].bytes, std::byte{0});
            t[0].check = checksum({block, t[0].bytes});
        },
        "block 0 of the stream is damaged");
    // Another filter, or other rows, are other pixels, and nothing worse.
    for (std::uint8_t filter = 0; filter < 5; ++filter)
        for (const std::uint32_t width : {0, 1, 7, 1000})
            EXPECT_EQ(rig.decode(forged(stream,
                                        [&](Lz4Header &h, Table &, Bytes &) {
                                            h.filter = filter;
                                            h.width = width;
                                        }),
                                 PIXMPI_RGBA8, 90000)
                          .size(),
                      data.size());
}
