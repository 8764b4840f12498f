// Packed pixels as fewer bytes, and back. Streams say themselves what they are, so the receiver need not know what the
// sender chose. It knows the number of pixels and their format, and that bounds the memory that a stream can ask for.
//
// LZ4 loses nothing and supports every format (lz4_stream.h). JPEG supports grey and colours of 8 bits; its stream is
// an ordinary JPEG (jpeg.h). Pixels that do not get smaller by JPEG go by LZ4, or are stored.
#pragma once

#include "base/status.h"
#include "codec/workers.h"

#include <cstdint>
#include <span>
#include <vector>

namespace pixmpi {

enum class CodecKind : std::uint8_t { none, lz4, jpeg };
enum class Subsampling : std::uint8_t { s444, s422, s420 };

/// What JPEG, which has none, does with the alpha of a format.
enum class Alpha : std::uint8_t {
    refuse, ///< PIXMPI_ERR_FORMAT
    opaque, ///< it is dropped, and arrives as one, also where LZ4 takes the place of JPEG
    beside  ///< it travels in front of the JPEG by LZ4
};

struct CodecChoice {
    CodecKind kind = CodecKind::none;
    // Of JPEG:
    int quality = 90; ///< 1 to 100, the Independent JPEG Group's scale
    Subsampling subsampling = Subsampling::s420;
    Alpha alpha = Alpha::refuse;
    bool operator==(const CodecChoice &) const = default;
};

/// "none", "lz4", "jpeg".
const char *codec_name(CodecKind kind);

/// Whether the pixels' alpha arrives as one, whichever codec compresses them in the end.
bool drops_alpha(const CodecChoice &choice, pixMPI_Format format);
/// Packed pixels of a format with alpha that JPEG supports.
void make_opaque(std::byte *pixels, std::uint64_t count);

/// PIXMPI_ERR_ARGUMENT with the name of the member, or PIXMPI_ERR_FORMAT where the codec does not support the format.
Status check(const CodecChoice &choice, pixMPI_Format format);

/// What the program asks for.
struct CodecWish {
    CodecChoice choice;     ///< of automatic ones: the JPEG that may be used
    bool automatic = false; ///< what is soonest there (choose.h)
    bool may_lose = false;  ///< of automatic ones: JPEG may be used
};
/// PIXMPI_ERR_ARGUMENT with the name of the member. PIXMPI_CODEC_DEFAULT is none.
Status read_wish(const pixMPI_Codec &codec, CodecWish &wish);

/// Pixels in host memory without gaps: rows of `width`; the last one may be shorter. `width` 0: their shape is not
/// known. `apart`: rows below each other need not be neighbours.
struct PackedPixels {
    const std::byte *data = nullptr;
    pixMPI_Format format = PIXMPI_FORMAT_NONE;
    std::uint64_t pixels = 0, width = 0;
    bool apart = false;
};

/// Encodes and decodes; all in host memory. Not for two threads at once.
class Codec {
  public:
    explicit Codec(Workers &workers) : workers_(workers) {}

    /// The most bytes that encode() makes of so many pixels, whatever the choice: little more than the pixels have.
    static std::size_t bound(pixMPI_Format format, std::uint64_t pixels);

    /// `out`: bound() bytes at least. `bytes`: how many of them are the stream. The choice has been checked; its kind
    /// is not `none`. PIXMPI_ERR_MEMORY.
    Status encode(const CodecChoice &choice, const PackedPixels &pixels, std::span<std::byte> out, std::size_t &bytes);

    /// Writes `pixels` pixels to `out` when `stream` holds that many. No other process writes to `stream` meanwhile:
    /// bytes that one may change are copied first. LZ4 restores bits, and needs the same number of bytes per pixel as
    /// the sender's; JPEG restores red, green and blue, wherever the format has them.
    /// PIXMPI_ERR_CODEC: the stream is damaged, or holds other pixels; some of `out` may have been written.
    /// PIXMPI_ERR_FORMAT: JPEG does not fill the format. PIXMPI_ERR_MEMORY.
    Status decode(std::span<const std::byte> stream, pixMPI_Format format, std::uint64_t pixels, std::byte *out);

  private:
    Status encode_jpeg(const CodecChoice &choice, const PackedPixels &pixels, std::span<std::byte> out,
                       std::size_t &bytes);
    Status decode_with_alpha(std::span<const std::byte> stream, pixMPI_Format format, std::uint64_t pixels,
                             std::byte *out);

    Workers &workers_;
    std::vector<std::byte> jpeg_, alpha_, alpha_stream_, opaque_; ///< kept for their memory
};

} // namespace pixmpi
