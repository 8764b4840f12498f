// TIFFs as other programs write them, made here byte by byte: each is read right, or refused by name.
#include "copy/file_names.h"
#include "rig/traffic.h"

#include <cstring>
#include <map>

using namespace api;

namespace {

enum : int {
    width_tag = 256,
    height_tag = 257,
    bits_tag = 258,
    compression_tag = 259,
    photometric_tag = 262,
    fill_order_tag = 266,
    offsets_tag = 273,
    orientation_tag = 274,
    samples_tag = 277,
    rows_tag = 278,
    byte_counts_tag = 279,
    planes_tag = 284,
    colours_tag = 320,
    tile_width_tag = 322,
    tile_height_tag = 323,
    tile_offsets_tag = 324,
    tile_byte_counts_tag = 325,
    numbers_tag = 339,
    subsampling_tag = 530,
    nodata_tag = 42113
};

/// A directory of 32-bit numbers, and pixels, which begin at `pixels_at`.
struct Tiff {
    std::map<int, std::vector<std::uint32_t>> tags;
    std::string nodata; ///< a tag of text, with its end
    Bytes pixels;

    static constexpr std::uint32_t pixels_at = 1000;

    Bytes file() const {
        Bytes all(pixels_at);
        all.insert(all.end(), pixels.begin(), pixels.end());
        Bytes far; // values that have no room in the directory
        std::map<int, std::vector<std::uint32_t>> every = tags;
        if (!nodata.empty())
            every[nodata_tag] = {};
        const std::size_t directory = all.size(), far_at = directory + 2 + 12 * every.size() + 4;
        const auto put = [](Bytes &to, std::size_t value, int bytes) {
            for (int i = 0; i < bytes; ++i)
                to.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
        };
        put(all, every.size(), 2);
        for (const auto &[tag, values] : every) {
            const bool text = values.empty();
            Bytes value(nodata.begin(), text ? nodata.end() : nodata.begin());
            for (const std::uint32_t one : values)
                put(value, one, 4);
            put(all, static_cast<std::size_t>(tag), 2);
            put(all, text ? 2 : 4, 2);
            put(all, text ? nodata.size() : values.size(), 4);
            if (value.size() > 4) {
                put(all, far_at + far.size(), 4);
                far.insert(far.end(), value.begin(), value.end());
            } else {
                value.resize(4);
                all.insert(all.end(), value.begin(), value.end());
            }
        }
        put(all, 0, 4);
        all.insert(all.end(), far.begin(), far.end());
        Bytes header{'I', 'I', 42, 0};
        put(header, directory, 4);
        std::copy(header.begin(), header.end(), all.begin());
        return all;
    }
};

/// 4 x 4 grey pixels of 8 bits, 1 to 16, in two strips.
Tiff grey() {
    Tiff tiff;
    for (std::uint8_t i = 1; i <= 16; ++i)
        tiff.pixels.push_back(i);
    tiff.tags = {{width_tag, {4}},       {height_tag, {4}},      {bits_tag, {8}},
                 {compression_tag, {1}}, {photometric_tag, {1}}, {offsets_tag, {Tiff::pixels_at, Tiff::pixels_at + 8}},
                 {samples_tag, {1}},     {rows_tag, {2}},        {byte_counts_tag, {8, 8}}};
    return tiff;
}

/// 32 x 32 grey pixels in tiles of 16 x 16; the first tile is not in the file; 7 in all others.
Tiff sparse() {
    Tiff tiff = grey();
    tiff.pixels.assign(256, 7);
    tiff.tags[width_tag] = tiff.tags[height_tag] = {32};
    for (const int tag : {offsets_tag, rows_tag, byte_counts_tag})
        tiff.tags.erase(tag);
    tiff.tags[tile_width_tag] = tiff.tags[tile_height_tag] = {16};
    tiff.tags[tile_offsets_tag] = {0, Tiff::pixels_at, Tiff::pixels_at, Tiff::pixels_at};
    tiff.tags[tile_byte_counts_tag] = {0, 256, 256, 256};
    return tiff;
}

/// What a program reads that does as the guide says.
Bytes read(const Name &name, const Tiff &tiff, pixMPI_Picture &picture) {
    put(name, tiff.file());
    pixMPI_File file = open(name, PIXMPI_FILE_READ);
    Bytes seen;
    if (pixMPI_File_picture(file, &picture) == PIXMPI_SUCCESS) {
        const auto end = make_memory(picture.format, picture.width, picture.height);
        end->fill(1);
        CHECK_OK(pixMPI_File_read_at(file, picture, PIXMPI_WHOLE, end->any(), PIXMPI_WHOLE));
        seen = end->read();
    } else {
        CHECK(!"expected a picture");
    }
    CHECK_OK(pixMPI_File_close(&file));
    return seen;
}

Tiff with(Tiff tiff, int tag, std::vector<std::uint32_t> values) {
    tiff.tags[tag] = std::move(values);
    return tiff;
}

/// `words`: of the error that names why.
void refused(const Name &name, const Tiff &tiff, const char *words) {
    note("%s", words);
    put(name, tiff.file());
    pixMPI_File file = open(name, PIXMPI_FILE_READ);
    pixMPI_Picture picture;
    CHECK_FAILS(pixMPI_File_picture(file, &picture), PIXMPI_ERR_FILE, words);
    CHECK_OK(pixMPI_File_close(&file));
}
void refused(const Name &name, Tiff tiff, int tag, std::vector<std::uint32_t> values, const char *words) {
    refused(name, with(std::move(tiff), tag, std::move(values)), words);
}

} // namespace

RANK_CASE(file, tiffs_of_others, 1) {
    const Name name("tiffs");
    pixMPI_Picture picture;
    CHECK(read(name, grey(), picture) == grey().pixels);
    CHECK_EQ(picture.upside_down, 0);
    // One strip, as many programs write it.
    Tiff one = with(with(grey(), offsets_tag, {Tiff::pixels_at}), byte_counts_tag, {16});
    one.tags[rows_tag] = {4};
    CHECK(read(name, one, picture) == grey().pixels);
    // Grey with further data is not RGB, but its numbers are.
    Tiff bands = with(with(grey(), samples_tag, {4}), width_tag, {1});
    bands.tags[bits_tag] = {8, 8, 8, 8};
    CHECK(read(name, bands, picture) == grey().pixels);
    CHECK_EQ(picture.format, PIXMPI_RGBA8);
    bands.tags[photometric_tag] = {2};
    CHECK(read(name, bands, picture) == grey().pixels);
}

RANK_CASE(file, tiffs_that_are_refused, 1) {
    const Name name("tiffs_refused");
    refused(name, grey(), compression_tag, {5}, "compressed expected");
    refused(name, grey(), fill_order_tag, {2}, "FillOrder 2 expected FillOrder 1");
    const std::pair<std::uint32_t, const char *> kinds[] = {{0, "white"},  {3, "palette"}, {4, "mask"},    {5, "CMYK"},
                                                            {8, "L*a*b*"}, {9, "L*a*b*"},  {32803, "kind"}};
    for (const auto &[kind, word] : kinds)
        refused(name, with(grey(), colours_tag, std::vector<std::uint32_t>(3 * 256)), photometric_tag, {kind},
                (std::string(word) + " expected grey RGB").c_str());
    refused(name, grey(), photometric_tag, {2}, "RGB fewer than 3");
    for (const std::uint32_t turned : {2u, 3u, 5u, 6u, 7u, 8u})
        refused(name, grey(), orientation_tag, {turned},
                ("mirrored turned Orientation " + std::to_string(turned)).c_str());
    refused(name, grey(), byte_counts_tag, {8, 7}, "tile 1 has 7 bytes at offset 1008, expected 2 rows of 4");
    refused(name, grey(), byte_counts_tag, {8, 0}, "tile 1 has 0 bytes at offset 1008");
    refused(name, grey(), offsets_tag, {Tiff::pixels_at, 0}, "tile 1 has 8 bytes at offset 0 header");
    refused(name, grey(), numbers_tag, {4}, "1 channels of 8 bits SampleFormat 4");
    refused(name, grey(), bits_tag, {4}, "channels of 4 bits");
    // Samples of two kinds, and planes.
    Tiff two = with(with(grey(), samples_tag, {2}), width_tag, {2});
    refused(name, two, bits_tag, {8, 16}, "BitsPerSample");
    two.tags[bits_tag] = {8, 8};
    refused(name, two, numbers_tag, {1, 2}, "SampleFormat");
    refused(name, two, planes_tag, {2}, "planes");
    // Subsampled YCbCr has fewer bytes than pixels of three: nothing behind its strip is shown.
    Tiff chroma = with(with(grey(), samples_tag, {3}), bits_tag, {8, 8, 8});
    chroma.tags[photometric_tag] = {6};
    chroma.tags[subsampling_tag] = {2, 2};
    refused(name, chroma, "YCbCr expected");
    chroma.tags[photometric_tag] = {2};
    refused(name, chroma, "tile 0 has 8 bytes expected 2 rows of 12");
}

RANK_CASE(file, tiff_with_its_last_row_first, 1) {
    const Name name("tiff_turned");
    pixMPI_Picture picture;
    Bytes expected;
    for (const int row : {3, 2, 1, 0})
        for (int x = 0; x < 4; ++x)
            expected.push_back(static_cast<std::uint8_t>(4 * row + x + 1));
    CHECK(read(name, with(grey(), orientation_tag, {4}), picture) == expected);
    CHECK_EQ(picture.upside_down, 1);
}

RANK_CASE(file, tiffs_with_tiles_that_were_never_written, 1) {
    const Name name("tiff_sparse");
    pixMPI_Picture picture;
    const auto expected = [](int unwritten) {
        Bytes pixels;
        for (int i = 0; i < 32 * 32; ++i)
            pixels.push_back(static_cast<std::uint8_t>(i % 32 < 16 && i < 16 * 32 ? unwritten : 7));
        return pixels;
    };
    CHECK(read(name, sparse(), picture) == expected(0));
    CHECK_EQ(picture.tile_width, 16);
    Tiff with_value = sparse();
    with_value.nodata = std::string("200\0", 4);
    CHECK(read(name, with_value, picture) == expected(200));
    with_value.nodata = std::string("-9999\0", 6);
    refused(name, with_value, "GDAL_NODATA -9999 expected");
    // All of them: no byte is read.
    Tiff empty = with(with(sparse(), tile_offsets_tag, {0, 0, 0, 0}), tile_byte_counts_tag, {0, 0, 0, 0});
    CHECK(read(name, empty, picture) == Bytes(32 * 32));
    // A write would lie in the header.
    put(name, sparse().file());
    const auto end = make_memory(PIXMPI_R8, 32, 32);
    pixMPI_File file = open(name, read_write);
    NEED_OK(pixMPI_File_picture(file, &picture));
    CHECK_OK(pixMPI_File_read_at(file, picture, PIXMPI_WHOLE, end->any(), PIXMPI_WHOLE));
    CHECK_FAILS(pixMPI_File_write_at(file, picture, PIXMPI_WHOLE, end->any(), PIXMPI_WHOLE), PIXMPI_ERR_FILE,
                "never written");
    CHECK_OK(pixMPI_File_close(&file));
    CHECK(get(name) == sparse().file());
}
