#include "codec/codec.h"

#include "base/format.h"
#include "codec/lz4_stream.h"

namespace pixmpi {

const char *codec_name(CodecKind kind) {
    switch (kind) {
    case CodecKind::none:
        return "none";
    case CodecKind::lz4:
        return "lz4";
    }
    return "?";
}

Status check(const CodecChoice &choice, pixMPI_Format format) {
    if (choice.kind > CodecKind::lz4)
        return fail(PIXMPI_ERR_ARGUMENT, "codec: %d, expected none or lz4", static_cast<int>(choice.kind));
    if (format_info(format).bytes == 0)
        return fail(PIXMPI_ERR_FORMAT, "format: %d, there is no such format", static_cast<int>(format));
    return PIXMPI_SUCCESS;
}

std::size_t Codec::bound(pixMPI_Format format, std::uint64_t pixels) { return lz4_bound(format, pixels); }

Status Codec::encode(const CodecChoice &, const PackedPixels &pixels, std::span<std::byte> out, std::size_t &bytes) {
    return lz4_encode(workers_, pixels, out, bytes);
}

Status Codec::decode(std::span<const std::byte> stream, pixMPI_Format format, std::uint64_t pixels, std::byte *out) {
    return lz4_decode(workers_, stream, format, pixels, out);
}

} // namespace pixmpi
