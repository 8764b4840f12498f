// The directory of a TIFF that is to be written: libtiff writes a file without its pixels.
#include "file/tiff.h"

#ifdef PIXMPI_WITH_TIFF
#include "file/tiff_library.h"

#include <algorithm>
#include <cstring>
#endif

namespace pixmpi {

#ifdef PIXMPI_WITH_TIFF
namespace {

constexpr std::int64_t first_pixel = 4096; // where direct writes may begin

/// What libtiff writes, except the pixels.
struct Sink {
    TiffDirectory &directory;
    std::int64_t at = 0, end = 0;
    bool pixels = false; ///< writes are those of pixels now
    Status put(const std::byte *bytes, std::int64_t count) {
        if (!pixels && at < first_pixel) {
            auto &header = directory.header;
            header.resize(std::max(header.size(), static_cast<std::size_t>(at + count)));
            std::memcpy(header.data() + at, bytes, static_cast<std::size_t>(count));
        } else if (!pixels) {
            auto &rest = directory.directory;
            const auto place = static_cast<std::size_t>(at - directory.directory_offset);
            rest.resize(std::max(rest.size(), place + static_cast<std::size_t>(count)));
            std::memcpy(rest.data() + place, bytes, static_cast<std::size_t>(count));
        }
        at += count;
        end = std::max(end, at);
        return PIXMPI_SUCCESS;
    }
};

tmsize_t sink_read(thandle_t, void *, tmsize_t) { return -1; }
tmsize_t sink_write(thandle_t handle, void *bytes, tmsize_t count) {
    auto &sink = *static_cast<Sink *>(handle);
    return without_throwing([&] { return sink.put(static_cast<const std::byte *>(bytes), count); }) ? -1 : count;
}
toff_t sink_seek(thandle_t handle, toff_t offset, int whence) {
    auto &sink = *static_cast<Sink *>(handle);
    const auto by = static_cast<std::int64_t>(offset);
    sink.at = whence == SEEK_SET ? by : whence == SEEK_CUR ? sink.at + by : sink.end + by;
    return static_cast<toff_t>(sink.at);
}
int sink_close(thandle_t) { return 0; }
toff_t sink_size(thandle_t handle) { return static_cast<toff_t>(static_cast<Sink *>(handle)->end); }

void set_fields(TIFF *tiff, const pixMPI_Picture &picture, const TiffChannels &channels, int rows_of_strip) {
    const bool color = channels.count >= 3, alpha = channels.count % 2 == 0;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(picture.width));
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(picture.height));
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, channels.bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, channels.count);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, channels.numbers);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, color ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    if (alpha) {
        const std::uint16_t kind = EXTRASAMPLE_UNASSALPHA;
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
    }
    if (picture.tile_width) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, static_cast<std::uint32_t>(picture.tile_width));
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, static_cast<std::uint32_t>(picture.tile_height));
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(rows_of_strip));
    }
}

Status check_tiles(const pixMPI_Picture &picture) {
    const bool strips = picture.tile_width == 0 && picture.tile_height == 0;
    const bool tiles = picture.tile_width > 0 && picture.tile_height > 0 && picture.tile_width % 16 == 0 &&
                       picture.tile_height % 16 == 0;
    if (!strips && !tiles)
        return fail(PIXMPI_ERR_ARGUMENT,
                    "picture.tile_width, tile_height: %d, %d, expected multiples of 16, or 0 and 0", picture.tile_width,
                    picture.tile_height);
    if (picture.width == 0 || picture.height == 0)
        return fail(PIXMPI_ERR_ARGUMENT, "picture: %dx%d pixels, expected some: a TIFF is never empty", picture.width,
                    picture.height);
    return PIXMPI_SUCCESS;
}

} // namespace

// libtiff writes a file without its pixels: each tile is appended, and what is appended is left out.
Status lay_out_tiff(const pixMPI_Picture &picture, Grid &grid, TiffDirectory &directory) {
    constexpr std::int64_t strip_bytes = 1 << 20, classic = std::int64_t{4000} << 20;
    if (const Status error = check_tiles(picture))
        return error;
    TiffChannels channels{};
    if (!channels_of(picture.format, channels))
        return fail(PIXMPI_ERR_FORMAT, "picture.format: %s, expected one of those that TIFF has",
                    format_info(picture.format).name);
    const std::int64_t row = picture.width * std::int64_t{format_info(picture.format).bytes};
    grid = {};
    grid.extent = {picture.width, picture.height};
    grid.format = picture.format;
    grid.upside_down = picture.upside_down != 0;
    grid.is_tiff = true;
    grid.tile_width = picture.tile_width ? picture.tile_width : picture.width;
    grid.tile_height = picture.tile_height
                           ? picture.tile_height
                           : static_cast<int>(std::clamp<std::int64_t>(strip_bytes / row, 1, picture.height));
    grid.row_bytes = grid.tile_width * grid.pixel_bytes();
    const std::int64_t tiles = std::int64_t{grid.across()} * grid.down();
    if (tiles > (1 << 24) || grid.row_bytes > INT32_MAX / grid.tile_height)
        return fail(PIXMPI_ERR_ARGUMENT,
                    "picture: %lld tiles of %lld x %d bytes, expected at most 16777216 of less than 2 GiB",
                    static_cast<long long>(tiles), static_cast<long long>(grid.row_bytes), grid.tile_height);
    const std::int64_t tile_bytes = grid.row_bytes * grid.tile_height;
    const TiffListening listening;
    Sink sink{directory};
    const bool big = tiles * tile_bytes > classic;
    Tiff tiff(TIFFClientOpen("picture", big ? "w8" : "w", &sink, sink_read, sink_write, sink_seek, sink_close,
                             sink_size, nullptr, nullptr));
    if (!tiff)
        return fail(PIXMPI_ERR_MEMORY, "TIFF: %s", tiff_said);
    set_fields(tiff.get(), picture, channels, grid.tile_height);
    std::vector<std::byte> nothing(static_cast<std::size_t>(tile_bytes));
    sink.end = first_pixel;
    sink.pixels = true;
    for (std::int64_t i = 0; i < tiles; ++i) {
        const std::int64_t rows = picture.tile_width
                                      ? grid.tile_height
                                      : std::min<std::int64_t>(grid.tile_height, picture.height - i * grid.tile_height);
        grid.tiles.push_back(sink.end);
        const auto number = static_cast<std::uint32_t>(i);
        const tmsize_t bytes = rows * grid.row_bytes;
        const tmsize_t written = picture.tile_width ? TIFFWriteRawTile(tiff.get(), number, nothing.data(), bytes)
                                                    : TIFFWriteRawStrip(tiff.get(), number, nothing.data(), bytes);
        if (written != bytes)
            return fail(PIXMPI_ERR_MEMORY, "TIFF: %s", tiff_said);
    }
    sink.pixels = false;
    directory.directory_offset = sink.end;
    if (!TIFFWriteDirectory(tiff.get()))
        return fail(PIXMPI_ERR_MEMORY, "TIFF: %s", tiff_said);
    return PIXMPI_SUCCESS;
}
#else
Status lay_out_tiff(const pixMPI_Picture &, Grid &, TiffDirectory &) {
    return fail(PIXMPI_ERR_FILE, "picture.container: this libpixmpi was built without libtiff, expected one with it");
}
#endif

} // namespace pixmpi
