// Grey and colours of 8 bits as a JPEG that any decoder reads: baseline, JFIF, with restart markers at ends of rows of
// blocks. What lies between two markers needs nothing of the rest, so strips of a picture are encoded and decoded by
// several threads; the stream and the pixels are those of one thread.
//
// The second half is for devices that do a part of the work, or all of it: coefficients instead of pixels, and what a
// stream is made with (coding/jpeg_coder.h).
#pragma once

#include "codec/codec.h"

#include <array>
#include <vector>

namespace pixmpi {

constexpr std::uint64_t jpeg_most_side = 65500;

/// The picture that packed pixels become: their rows, or our own rows if theirs are not known or too many.
/// 0 x 0: too many pixels, or none.
struct JpegSize {
    unsigned width = 0, height = 0;
    explicit operator bool() const { return width > 0; }
    std::uint64_t pixels() const { return std::uint64_t{width} * height; }
    bool operator==(const JpegSize &) const = default;
};
JpegSize jpeg_size(const PackedPixels &pixels);

/// R8, and RGB and RGBA of 8 bits in either order. Alpha is not looked at.
bool jpeg_supports(pixMPI_Format format);
/// PIXMPI_ERR_FORMAT for others.
Status check_jpeg_format(pixMPI_Format format);
bool is_jpeg(std::span<const std::byte> stream);

/// `quality` and `subsampling`: as in CodecChoice, checked; jpeg_grid() may keep more chroma. The last row is filled up
/// from the one above. `out` is replaced. PIXMPI_ERR_FORMAT, also for pixels that have no jpeg_size().
/// PIXMPI_ERR_MEMORY.
Status jpeg_encode(Workers &workers, const PackedPixels &pixels, int quality, Subsampling subsampling,
                   std::vector<std::byte> &out);
/// As Codec::decode. Alpha becomes one. What jpeg_encode() does not write (progressive, arithmetic, other samplings) is
/// refused.
Status jpeg_decode(Workers &workers, std::span<const std::byte> stream, pixMPI_Format format, std::uint64_t pixels,
                   std::byte *out);

/// Blocks of 8 x 8 coefficients, up to whole units of subsampling: component after component, row of blocks after row
/// of blocks. Blocks have 64 numbers of 16 bits, row by row (no zigzag).
struct JpegGrid {
    struct Component {
        unsigned columns, rows; ///< of blocks
        std::size_t first;      ///< block
        unsigned across, down;  ///< blocks in a unit
    };
    JpegSize size;
    bool grey = false;
    Subsampling subsampling = Subsampling::s444; ///< s444 where it is grey

    unsigned components() const { return grey ? 1 : 3; }
    unsigned unit_width() const { return !grey && subsampling != Subsampling::s444 ? 16 : 8; } ///< pixels
    unsigned unit_height() const { return !grey && subsampling == Subsampling::s420 ? 16 : 8; }
    unsigned units_across() const { return (size.width + unit_width() - 1) / unit_width(); }
    unsigned units_down() const { return (size.height + unit_height() - 1) / unit_height(); }
    Component component(unsigned c) const;
    std::size_t blocks() const;
    bool operator==(const JpegGrid &) const = default;
};

/// For pixels with a jpeg_size() that is not 0 x 0. Chroma is averaged over neighbours alone. So all of it stays if the
/// rows are not known, and all its rows stay if rows are apart.
JpegGrid jpeg_grid(const PackedPixels &pixels, Subsampling wanted);

/// What coefficients are divided by, row by row: of luma, and of both chromas.
using JpegSteps = std::array<std::array<std::uint16_t, 64>, 2>;
/// Throws std::bad_alloc.
JpegSteps jpeg_steps(int quality);

/// Huffman codes by symbol, of luma and of both chromas: the standard's, which encoders use if they look for no better
/// ones. A code has its length in the upper 16 bits; 0: there is none.
struct JpegCodes {
    std::array<std::array<std::uint32_t, 16>, 2> means{};         ///< by bits of the difference
    std::array<std::array<std::uint32_t, 256>, 2> coefficients{}; ///< by 16 * zeros before + bits
};
/// Throws std::bad_alloc.
JpegCodes jpeg_codes();
/// All of a stream that lies before its first restart interval. `interval`: units in one. PIXMPI_ERR_MEMORY.
Status jpeg_header(const JpegGrid &grid, int quality, unsigned interval, std::vector<std::byte> &header);

/// `coefficients`: as the grid says, quantised by jpeg_steps(quality). None is beyond +-1023, which is as far as those
/// of 8-bit samples go. Larger ones are not detected, and make a stream that cannot be read.
Status jpeg_encode_coefficients(Workers &workers, const JpegGrid &grid, int quality, const std::int16_t *coefficients,
                                std::vector<std::byte> &out);
/// What a stream holds, before memory is made for it: refuses what jpeg_decode() refuses by its header.
Status jpeg_read_grid(std::span<const std::byte> stream, pixMPI_Format format, std::uint64_t pixels, JpegGrid &grid);
/// `grid`: jpeg_read_grid()'s of this stream.
Status jpeg_decode_coefficients(Workers &workers, std::span<const std::byte> stream, const JpegGrid &grid,
                                std::int16_t *coefficients, JpegSteps &steps);

} // namespace pixmpi
