// The directory of a TIFF that exists: where its pixels lie, or why they cannot be read.
#include "file/tiff.h"

#ifdef PIXMPI_WITH_TIFF
#include "file/tiff_library.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#endif

namespace pixmpi {

#ifdef PIXMPI_WITH_TIFF
namespace {

constexpr std::uint64_t least_offset = 8; // the header has so many bytes

/// The first one in the order of pixMPI_Format: numbers from 0 to 1 before integers.
pixMPI_Format format_of(const TiffChannels &channels) {
    for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i) {
        const auto format = static_cast<pixMPI_Format>(i);
        TiffChannels one{};
        if (channels_of(format, one) && one == channels)
            return format;
    }
    return PIXMPI_FORMAT_NONE;
}

Status no_tiff(const std::string &path, const char *what, const char *expected = "an uncompressed TIFF") {
    return fail(PIXMPI_ERR_FILE, "%s: %s%s%s, expected %s", path.c_str(), what, tiff_said[0] ? ": " : "", tiff_said,
                expected);
}

const char *photometric_name(std::uint16_t photometric) {
    switch (photometric) {
    case PHOTOMETRIC_MINISWHITE:
        return "grey with white as 0";
    case PHOTOMETRIC_PALETTE:
        return "numbers of a palette";
    case PHOTOMETRIC_MASK:
        return "a mask";
    case PHOTOMETRIC_SEPARATED:
        return "CMYK or other inks";
    case PHOTOMETRIC_YCBCR:
        return "YCbCr";
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
    case PHOTOMETRIC_ITULAB:
        return "L*a*b*";
    default:
        return "of another kind";
    }
}

/// Whether the bytes of a file are pixels as surfaces have them.
Status check_pixels(TIFF *tiff, const std::string &path, const TiffChannels &channels) {
    std::uint16_t compression = 0, planes = 0, bit_order = 0, photometric = 0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planes);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_FILLORDER, &bit_order);
    if (compression != COMPRESSION_NONE)
        return no_tiff(path, "its pixels are compressed");
    if (planes != PLANARCONFIG_CONTIG && channels.count > 1)
        return no_tiff(path, "its channels are in separate planes", "the channels of a pixel together");
    if (bit_order != FILLORDER_MSB2LSB)
        return no_tiff(path, "the bits of its bytes lie in the other order (FillOrder 2)", "FillOrder 1");
    if (channels.bits > 8 && TIFFIsByteSwapped(tiff))
        return no_tiff(path, "its numbers have the other byte order", "this machine's");
    const bool named = TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric) != 0; // files without it do exist
    if (named && photometric != PHOTOMETRIC_MINISBLACK && photometric != PHOTOMETRIC_RGB)
        return fail(PIXMPI_ERR_FILE, "%s: its pixels are %s (PhotometricInterpretation %d), expected grey or RGB",
                    path.c_str(), photometric_name(photometric), photometric);
    if (named && photometric == PHOTOMETRIC_RGB && channels.count < 3)
        return no_tiff(path, "its pixels are RGB of fewer than 3 channels", "3 or 4");
    return PIXMPI_SUCCESS;
}

/// The file's rows may begin at the top or at the bottom.
Status read_orientation(TIFF *tiff, const std::string &path, pixMPI_Picture &picture) {
    std::uint16_t orientation = ORIENTATION_TOPLEFT;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
    if (orientation != ORIENTATION_TOPLEFT && orientation != ORIENTATION_BOTLEFT)
        return fail(PIXMPI_ERR_FILE,
                    "%s: its picture is stored mirrored or turned (Orientation %d), expected rows from left to right "
                    "(Orientation 1 or 4)",
                    path.c_str(), orientation);
    picture.upside_down = orientation == ORIENTATION_BOTLEFT;
    return PIXMPI_SUCCESS;
}

/// The text of GDAL's tag that says what pixels without a value are.
std::optional<std::string> nodata_text(TIFF *tiff) {
    constexpr std::uint32_t gdal_nodata = 42113;
    const TIFFField *const field = TIFFFindField(tiff, gdal_nodata, TIFF_ASCII);
    if (!field) // libtiff does not know the tag by itself, and the file has none
        return std::nullopt;
    const char *text = nullptr;
    std::uint32_t count = 0;
    int found = 0;
    if (!TIFFFieldPassCount(field)) { // the program's GDAL has tiff_said what it is
        found = TIFFGetField(tiff, gdal_nodata, &text);
        count = found ? static_cast<std::uint32_t>(std::strlen(text)) : 0;
    } else if (TIFFFieldReadCount(field) == TIFF_VARIABLE2) {
        found = TIFFGetField(tiff, gdal_nodata, &count, &text);
    }
    return found ? std::optional<std::string>(std::in_place, text, strnlen(text, count)) : std::nullopt;
}

/// The number that a tag says, whatever the program's locale; what is none is one that no format has.
double number_of(const std::string &text) {
    constexpr double none = std::numeric_limits<double>::max();
    const auto begin = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
    if (begin == std::string::npos)
        return none;
    double value = none;
    const char *const end = text.data() + last + 1;
    return std::from_chars(text.data() + begin, end, value).ptr == end ? value : none;
}

/// One pixel of a tile that was never written. False where `value` does not fit.
bool find_unwritten(double value, const TiffChannels &channels, std::vector<std::byte> &pixel) {
    std::array<std::byte, 4> bytes{};
    const std::size_t size = channels.bits / 8;
    if (channels.numbers == SAMPLEFORMAT_IEEEFP && size == sizeof(float)) {
        if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max())
            return false;
        const auto number = static_cast<float>(value);
        std::memcpy(bytes.data(), &number, sizeof number);
    } else if (channels.numbers == SAMPLEFORMAT_IEEEFP) {
        if (value != 0)
            return false;
    } else {
        const bool has_sign = channels.numbers == SAMPLEFORMAT_INT;
        const double low = has_sign ? -std::ldexp(1, channels.bits - 1) : 0;
        const double high = std::ldexp(1, channels.bits - (has_sign ? 1 : 0)) - 1;
        if (!(value >= low && value <= high) || value != std::floor(value))
            return false;
        auto number = static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
        for (std::size_t i = 0; i < size; ++i, number >>= 8)
            bytes[std::endian::native == std::endian::little ? i : size - 1 - i] = static_cast<std::byte>(number);
    }
    for (int i = 0; i < channels.count; ++i)
        pixel.insert(pixel.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    return true;
}

/// Where tile `i` lies, if it was ever written. All of its bytes have to be there: those of a tile at the right or the
/// bottom are whole, a strip ends with the picture.
Status read_place(TIFF *tiff, const std::string &path, std::uint32_t i, Grid &grid) {
    constexpr std::uint64_t most = INT64_MAX / 4;
    int no_offset = 0, no_bytes = 0;
    const std::uint64_t offset = TIFFGetStrileOffsetWithErr(tiff, i, &no_offset),
                        bytes = TIFFGetStrileByteCountWithErr(tiff, i, &no_bytes);
    if (no_offset || no_bytes || offset > most)
        return no_tiff(path, "the place of a tile is not known");
    if (offset == 0 && bytes == 0) {
        grid.tiles.push_back(Grid::unwritten);
        return PIXMPI_SUCCESS;
    }
    const std::uint64_t row = static_cast<std::uint64_t>(grid.row_bytes);
    const int top = static_cast<int>(i / static_cast<std::uint32_t>(grid.across())) * grid.tile_height;
    const auto rows = static_cast<std::uint64_t>(
        TIFFIsTiled(tiff) ? grid.tile_height : std::min(grid.tile_height, grid.extent.height - top));
    if (offset < least_offset || bytes > most || bytes / row < rows)
        return fail(PIXMPI_ERR_FILE,
                    "%s: tile %u has %llu bytes at offset %llu, expected %llu rows of %llu bytes behind the header",
                    path.c_str(), i, static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(offset),
                    static_cast<unsigned long long>(rows), static_cast<unsigned long long>(row));
    grid.tiles.push_back(static_cast<std::int64_t>(offset));
    return PIXMPI_SUCCESS;
}

Status read_tiles(TIFF *tiff, const std::string &path, const TiffChannels &channels, Grid &grid) {
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
    for (std::uint64_t i = 0; i < count; ++i)
        if (const Status error = read_place(tiff, path, static_cast<std::uint32_t>(i), grid))
            return error;
    if (std::find(grid.tiles.begin(), grid.tiles.end(), Grid::unwritten) == grid.tiles.end())
        return PIXMPI_SUCCESS;
    const std::optional<std::string> nodata = nodata_text(tiff);
    return find_unwritten(nodata ? number_of(*nodata) : 0, channels, grid.unwritten_pixel)
               ? PIXMPI_SUCCESS
               : fail(PIXMPI_ERR_FILE,
                      "%s: its tiles that were never written stand for %.40s (GDAL_NODATA), expected a number that its "
                      "format has",
                      path.c_str(), nodata->c_str());
}

} // namespace

Status read_tiff(const std::string &path, Grid &grid, pixMPI_Picture &picture) {
    const TiffListening listening;
    const Tiff tiff(TIFFOpen(path.c_str(), "rc")); // c: strips as the file has them, with their own byte counts
    if (!tiff)
        return no_tiff(path, "cannot be read");
    std::uint32_t width = 0, height = 0;
    TiffChannels channels{};
    TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_SAMPLESPERPIXEL, &channels.count);
    TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_BITSPERSAMPLE, &channels.bits);
    TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_SAMPLEFORMAT, &channels.numbers);
    if (const Status error = check_pixels(tiff.get(), path, channels))
        return error;
    const pixMPI_Format format = format_of(channels);
    if (format == PIXMPI_FORMAT_NONE || width == 0 || height == 0 || width > INT32_MAX || height > INT32_MAX)
        return fail(PIXMPI_ERR_FILE,
                    "%s: %ux%u pixels of %d channels of %d bits (SampleFormat %d), expected a size and format that "
                    "pixmpi.h has",
                    path.c_str(), width, height, channels.count, channels.bits, channels.numbers);
    grid = {};
    grid.extent = {static_cast<int>(width), static_cast<int>(height)};
    grid.format = format;
    grid.is_tiff = true;
    if (const Status error = read_tiles(tiff.get(), path, channels, grid))
        return error;
    const bool tiled = TIFFIsTiled(tiff.get()) != 0;
    picture = pixMPI_Tiff_picture(format, grid.extent.width, grid.extent.height, tiled ? grid.tile_width : 0,
                                  tiled ? grid.tile_height : 0);
    return read_orientation(tiff.get(), path, picture);
}
#else
Status read_tiff(const std::string &path, Grid &, pixMPI_Picture &) {
    return fail(PIXMPI_ERR_FILE, "%s: this libpixmpi was built without libtiff, expected one with it", path.c_str());
}
#endif

} // namespace pixmpi
