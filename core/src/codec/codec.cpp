#include "codec/codec.h"

#include "base/format.h"
#include "codec/jpeg.h"
#include "codec/lz4_stream.h"

#include <algorithm>
#include <cstring>

namespace pixmpi {
namespace {

/// In front of a JPEG: this, and the alphas as an LZ4 stream of R8.
struct AlphaHeader {
    std::uint64_t magic;
    std::uint64_t bytes; ///< of the LZ4 stream
};
constexpr std::uint64_t alpha_magic = 0x316168706c617870; // "pxalpha1"

bool has_alpha(pixMPI_Format format) { return format_info(format).channels == 4; }

bool begins_with_alpha(std::span<const std::byte> stream) {
    return stream.size() >= sizeof(AlphaHeader) && std::memcmp(stream.data(), &alpha_magic, sizeof alpha_magic) == 0;
}

} // namespace

const char *codec_name(CodecKind kind) {
    switch (kind) {
    case CodecKind::none:
        return "none";
    case CodecKind::lz4:
        return "lz4";
    case CodecKind::jpeg:
        return "jpeg";
    }
    return "?";
}

Status read_wish(const pixMPI_Codec &codec, CodecWish &wish) {
    constexpr CodecKind kinds[] = {CodecKind::none, CodecKind::none, CodecKind::lz4, CodecKind::jpeg, CodecKind::jpeg};
    constexpr Subsampling subsamplings[] = {Subsampling::s420, Subsampling::s422, Subsampling::s444};
    constexpr Alpha alphas[] = {Alpha::refuse, Alpha::opaque, Alpha::beside};
    constexpr int usual_quality = 90;
    if (codec.kind > PIXMPI_CODEC_AUTO)
        return fail(PIXMPI_ERR_ARGUMENT, "codec.kind: %d, expected PIXMPI_CODEC_DEFAULT to PIXMPI_CODEC_AUTO",
                    codec.kind);
    if (codec.quality > 100)
        return fail(PIXMPI_ERR_ARGUMENT, "codec.quality: %d, expected 1 to 100, or 0", codec.quality);
    if (codec.subsampling > PIXMPI_SUBSAMPLING_444)
        return fail(PIXMPI_ERR_ARGUMENT, "codec.subsampling: %d, expected one of PIXMPI_SUBSAMPLING_*",
                    codec.subsampling);
    if (codec.alpha > PIXMPI_ALPHA_BESIDE)
        return fail(PIXMPI_ERR_ARGUMENT, "codec.alpha: %d, expected one of PIXMPI_ALPHA_*", codec.alpha);
    wish.choice = {kinds[codec.kind], codec.quality ? codec.quality : usual_quality, subsamplings[codec.subsampling],
                   codec.kind == PIXMPI_CODEC_LZ4 ? Alpha::refuse : alphas[codec.alpha]}; // LZ4 loses nothing
    wish.automatic = codec.kind == PIXMPI_CODEC_AUTO;
    wish.may_lose = wish.automatic && codec.quality > 0;
    return PIXMPI_SUCCESS;
}

Status check(const CodecChoice &choice, pixMPI_Format format) {
    if (choice.kind > CodecKind::jpeg)
        return fail(PIXMPI_ERR_ARGUMENT, "codec: %d, expected none, lz4 or jpeg", static_cast<int>(choice.kind));
    if (format_info(format).bytes == 0)
        return fail(PIXMPI_ERR_FORMAT, "format: %d, there is no such format", static_cast<int>(format));
    if (choice.kind != CodecKind::jpeg)
        return PIXMPI_SUCCESS;
    if (choice.quality < 1 || choice.quality > 100)
        return fail(PIXMPI_ERR_ARGUMENT, "quality: %d, expected 1 to 100", choice.quality);
    if (choice.subsampling > Subsampling::s420)
        return fail(PIXMPI_ERR_ARGUMENT, "subsampling: %d, expected 4:4:4, 4:2:2 or 4:2:0",
                    static_cast<int>(choice.subsampling));
    if (choice.alpha > Alpha::beside)
        return fail(PIXMPI_ERR_ARGUMENT, "alpha: %d, expected refuse, opaque or beside",
                    static_cast<int>(choice.alpha));
    if (const Status status = check_jpeg_format(format))
        return status;
    if (has_alpha(format) && choice.alpha == Alpha::refuse)
        return fail(PIXMPI_ERR_FORMAT, "format: %s, and JPEG has no alpha: drop it (opaque), or send it beside",
                    format_info(format).name);
    return PIXMPI_SUCCESS;
}

bool drops_alpha(const CodecChoice &choice, pixMPI_Format format) {
    return choice.kind != CodecKind::none && choice.alpha == Alpha::opaque && jpeg_supports(format) &&
           has_alpha(format);
}

void make_opaque(std::byte *pixels, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
        pixels[4 * i + 3] = std::byte{255};
}

std::size_t Codec::bound(pixMPI_Format format, std::uint64_t pixels) { return lz4_bound(format, pixels); }

Status Codec::encode(const CodecChoice &choice, const PackedPixels &pixels, std::span<std::byte> out,
                     std::size_t &bytes) {
    bytes = 0;
    if (choice.kind == CodecKind::jpeg && jpeg_size(pixels)) {
        if (const Status status = without_throwing([&] { return encode_jpeg(choice, pixels, out, bytes); }))
            return status;
        if (bytes)
            return PIXMPI_SUCCESS;
    }
    if (!drops_alpha(choice, pixels.format))
        return lz4_encode(workers_, pixels, out, bytes);
    return without_throwing([&] {
        opaque_.assign(pixels.data, pixels.data + 4 * pixels.pixels);
        make_opaque(opaque_.data(), pixels.pixels);
        PackedPixels without = pixels;
        without.data = opaque_.data();
        return lz4_encode(workers_, without, out, bytes);
    });
}

/// `bytes` stays 0 when nothing is gained.
Status Codec::encode_jpeg(const CodecChoice &choice, const PackedPixels &pixels, std::span<std::byte> out,
                          std::size_t &bytes) {
    if (const Status status = jpeg_encode(workers_, pixels, choice.quality, choice.subsampling, jpeg_))
        return status;
    AlphaHeader header{alpha_magic, 0};
    if (choice.alpha == Alpha::beside && has_alpha(pixels.format)) {
        alpha_.resize(pixels.pixels);
        for (std::uint64_t i = 0; i < pixels.pixels; ++i)
            alpha_[i] = pixels.data[4 * i + 3];
        alpha_stream_.resize(lz4_bound(PIXMPI_R8, pixels.pixels));
        if (const Status status = lz4_encode(workers_, {alpha_.data(), PIXMPI_R8, pixels.pixels, pixels.width},
                                             alpha_stream_, header.bytes))
            return status;
    }
    const std::size_t all = jpeg_.size() + (header.bytes ? sizeof header + header.bytes : 0);
    if (all >= pixels.pixels * static_cast<std::size_t>(format_info(pixels.format).bytes))
        return PIXMPI_SUCCESS;
    std::byte *at = out.data();
    if (header.bytes) {
        std::memcpy(at, &header, sizeof header);
        at = std::copy_n(alpha_stream_.data(), header.bytes, at + sizeof header);
    }
    std::copy(jpeg_.begin(), jpeg_.end(), at);
    bytes = all;
    return PIXMPI_SUCCESS;
}

Status Codec::decode(std::span<const std::byte> stream, pixMPI_Format format, std::uint64_t pixels, std::byte *out) {
    if (is_lz4(stream))
        return lz4_decode(workers_, stream, format, pixels, out);
    if (is_jpeg(stream))
        return jpeg_decode(workers_, stream, format, pixels, out);
    if (begins_with_alpha(stream))
        return without_throwing([&] { return decode_with_alpha(stream, format, pixels, out); });
    return fail(PIXMPI_ERR_CODEC, "a stream of %zu bytes that begins neither as LZ4 nor as JPEG", stream.size());
}

Status Codec::decode_with_alpha(std::span<const std::byte> stream, pixMPI_Format format, std::uint64_t pixels,
                                std::byte *out) {
    AlphaHeader header;
    std::memcpy(&header, stream.data(), sizeof header);
    stream = stream.subspan(sizeof header);
    if (header.bytes > stream.size())
        return fail(PIXMPI_ERR_CODEC, "JPEG: %llu bytes of alpha before it, expected %zu at most",
                    static_cast<unsigned long long>(header.bytes), stream.size());
    if (!has_alpha(format))
        return fail(PIXMPI_ERR_FORMAT, "format: %s, and the JPEG that arrived has a separate alpha",
                    format_info(format).name);
    if (const Status status = jpeg_decode(workers_, stream.subspan(header.bytes), format, pixels, out))
        return status;
    alpha_.resize(pixels);
    if (const Status status = lz4_decode(workers_, stream.first(header.bytes), PIXMPI_R8, pixels, alpha_.data()))
        return status;
    for (std::uint64_t i = 0; i < pixels; ++i)
        out[4 * i + 3] = alpha_[i];
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
