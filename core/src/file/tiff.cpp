// The one file that includes libtiff.
#include "file/tiff.h"

#include <cstdarg>
#include <cstring>

#ifdef PIXMPI_WITH_TIFF
#include <tiffio.h>
#endif

namespace pixmpi {

#ifdef PIXMPI_WITH_TIFF
namespace {

constexpr std::int64_t first_pixel = 4096; // where direct writes may begin

struct Close {
    void operator()(TIFF *tiff) const { TIFFClose(tiff); }
};
using Tiff = std::unique_ptr<TIFF, Close>;

/// What libtiff says last, in this thread; it prints nothing.
thread_local char said[256];

void hear(const char *, const char *format, va_list arguments) { std::vsnprintf(said, sizeof said, format, arguments); }

/// While it lives, libtiff's errors go to `said`.
class Listening {
  public:
    Listening() : error_(TIFFSetErrorHandler(hear)), warning_(TIFFSetWarningHandler(nullptr)) { said[0] = 0; }
    ~Listening() {
        TIFFSetErrorHandler(error_);
        TIFFSetWarningHandler(warning_);
    }
    Listening(const Listening &) = delete;
    Listening &operator=(const Listening &) = delete;

  private:
    const TIFFErrorHandler error_, warning_;
};

struct Channels {
    std::uint16_t count, bits, numbers; ///< SAMPLEFORMAT_*
    bool operator==(const Channels &) const = default;
};

/// False for formats that TIFF does not have.
bool channels_of(pixMPI_Format format, Channels &channels) {
    const FormatInfo &info = format_info(format);
    std::uint16_t numbers = SAMPLEFORMAT_UINT;
    switch (info.numbers) {
    case Numbers::unorm:
    case Numbers::uint:
    case Numbers::srgb:
        break;
    case Numbers::snorm:
    case Numbers::sint:
        numbers = SAMPLEFORMAT_INT;
        break;
    case Numbers::sfloat:
        numbers = SAMPLEFORMAT_IEEEFP;
        break;
    case Numbers::depth: // of words, but one number
        if (format != PIXMPI_DEPTH16 && format != PIXMPI_DEPTH32F)
            return false;
        channels = {1, static_cast<std::uint16_t>(8 * info.bytes),
                    static_cast<std::uint16_t>(format == PIXMPI_DEPTH16 ? SAMPLEFORMAT_UINT : SAMPLEFORMAT_IEEEFP)};
        return true;
    default:
        return false;
    }
    channels = {static_cast<std::uint16_t>(info.channels), static_cast<std::uint16_t>(8 * info.channel_bytes), numbers};
    return info.channel_bytes > 0 && !info.bgr;
}

/// The first one in the order of pixMPI_Format: numbers from 0 to 1 before integers.
pixMPI_Format format_of(const Channels &channels) {
    for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i) {
        const auto format = static_cast<pixMPI_Format>(i);
        Channels one{};
        if (channels_of(format, one) && one == channels)
            return format;
    }
    return PIXMPI_FORMAT_NONE;
}

Status no_tiff(const std::string &path, const char *what) {
    return fail(PIXMPI_ERR_FILE, "%s: %s%s%s, expected an uncompressed TIFF", path.c_str(), what, said[0] ? ": " : "",
                said);
}

Status read_tiles(TIFF *tiff, const std::string &path, Grid &grid) {
    std::uint32_t columns = 0, rows = 0;
    const bool tiled = TIFFIsTiled(tiff) != 0;
    if (tiled) {
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &columns);
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &rows);
    } else {
        columns = static_cast<std::uint32_t>(grid.extent.width);
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
        rows = std::min(rows, static_cast<std::uint32_t>(grid.extent.height));
    }
    if (columns == 0 || rows == 0 || columns > INT32_MAX || rows > INT32_MAX)
        return no_tiff(path, "its tiles have no size");
    grid.tile_width = static_cast<int>(columns);
    grid.tile_height = static_cast<int>(rows);
    grid.row_bytes = static_cast<std::int64_t>(columns) * grid.pixel_bytes();
    const auto count = static_cast<std::uint64_t>(grid.across()) * static_cast<std::uint64_t>(grid.down());
    if (count != (tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff)))
        return no_tiff(path, "it has another number of tiles than its size says");
    constexpr std::uint64_t most = INT64_MAX / 4;
    for (std::uint64_t i = 0; i < count; ++i) {
        int failed = 0;
        const std::uint64_t offset = TIFFGetStrileOffsetWithErr(tiff, static_cast<std::uint32_t>(i), &failed);
        if (failed || offset > most)
            return no_tiff(path, "the place of a tile is not known");
        grid.tiles.push_back(static_cast<std::int64_t>(offset));
    }
    return PIXMPI_SUCCESS;
}

/// What libtiff writes, but for the pixels.
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

void set_fields(TIFF *tiff, const pixMPI_Picture &picture, const Channels &channels, int rows_of_strip) {
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

Status read_tiff(const std::string &path, Grid &grid, pixMPI_Picture &picture) {
    const Listening listening;
    const Tiff tiff(TIFFOpen(path.c_str(), "r"));
    if (!tiff)
        return no_tiff(path, "cannot be read");
    std::uint32_t width = 0, height = 0;
    std::uint16_t compression = 0, planes = 0;
    Channels channels{};
    TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_COMPRESSION, &compression);
    TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_PLANARCONFIG, &planes);
    TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_SAMPLESPERPIXEL, &channels.count);
    TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_BITSPERSAMPLE, &channels.bits);
    TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_SAMPLEFORMAT, &channels.numbers);
    if (compression != COMPRESSION_NONE)
        return no_tiff(path, "its pixels are compressed");
    if (planes != PLANARCONFIG_CONTIG && channels.count > 1)
        return no_tiff(path, "its channels lie in planes of their own");
    if (channels.bits > 8 && TIFFIsByteSwapped(tiff.get()))
        return no_tiff(path, "its numbers have the other byte order");
    const pixMPI_Format format = format_of(channels);
    if (format == PIXMPI_FORMAT_NONE || width == 0 || height == 0 || width > INT32_MAX || height > INT32_MAX)
        return fail(PIXMPI_ERR_FILE,
                    "%s: %ux%u pixels of %d channels of %d bits, expected a size and format that pixmpi.h has",
                    path.c_str(), width, height, channels.count, channels.bits);
    grid = {};
    grid.extent = {static_cast<int>(width), static_cast<int>(height)};
    grid.format = format;
    grid.is_tiff = true;
    if (const Status error = read_tiles(tiff.get(), path, grid))
        return error;
    const bool tiled = TIFFIsTiled(tiff.get()) != 0;
    picture = pixMPI_Tiff_picture(format, grid.extent.width, grid.extent.height, tiled ? grid.tile_width : 0,
                                  tiled ? grid.tile_height : 0);
    return PIXMPI_SUCCESS;
}

// libtiff writes a file without its pixels: each tile is appended, and what is appended is left out.
Status lay_out_tiff(const pixMPI_Picture &picture, Grid &grid, TiffDirectory &directory) {
    constexpr std::int64_t strip_bytes = 1 << 20, classic = std::int64_t{4000} << 20;
    if (const Status error = check_tiles(picture))
        return error;
    Channels channels{};
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
    const std::int64_t tile_bytes = grid.row_bytes * grid.tile_height;
    const std::int64_t tiles = std::int64_t{grid.across()} * grid.down();
    if (tiles > (1 << 24) || tile_bytes > INT32_MAX)
        return fail(PIXMPI_ERR_ARGUMENT,
                    "picture: %lld tiles of %lld bytes, expected at most 16777216 of less than 2 GiB",
                    static_cast<long long>(tiles), static_cast<long long>(tile_bytes));
    const Listening listening;
    Sink sink{directory};
    const bool big = tiles * tile_bytes > classic;
    Tiff tiff(TIFFClientOpen("picture", big ? "w8" : "w", &sink, sink_read, sink_write, sink_seek, sink_close,
                             sink_size, nullptr, nullptr));
    if (!tiff)
        return fail(PIXMPI_ERR_MEMORY, "TIFF: %s", said);
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
            return fail(PIXMPI_ERR_MEMORY, "TIFF: %s", said);
    }
    sink.pixels = false;
    directory.directory_offset = sink.end;
    if (!TIFFWriteDirectory(tiff.get()))
        return fail(PIXMPI_ERR_MEMORY, "TIFF: %s", said);
    return PIXMPI_SUCCESS;
}
#else
Status read_tiff(const std::string &path, Grid &, pixMPI_Picture &) {
    return fail(PIXMPI_ERR_FILE, "%s: this libpixmpi was built without libtiff, expected one with it", path.c_str());
}
Status lay_out_tiff(const pixMPI_Picture &, Grid &, TiffDirectory &) {
    return fail(PIXMPI_ERR_FILE, "picture.container: this libpixmpi was built without libtiff, expected one with it");
}
#endif

} // namespace pixmpi
