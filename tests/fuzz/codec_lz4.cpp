// A stream that claims to be pixels by LZ4; or any pixels, which have to come back.
#include "entries.h"

#include "base/format.h"
#include "codec/lz4_stream.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

using namespace pixmpi;

namespace {

struct Announced {
    std::uint8_t kind,
        format;           ///< kind: bit 0: what follows are pixels; 1: the stream gets the checks that belong to it
    std::uint16_t pixels; ///< of a stream; else the width of rows
};

/// As many bytes as are read or written, so that sanitizers see the next one.
std::unique_ptr<std::byte[]> exactly(std::span<const std::byte> bytes) {
    auto copy = std::make_unique<std::byte[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), copy.get());
    return copy;
}

/// Damage is found by checks; malice writes the right ones.
void seal(std::span<std::byte> stream) {
    Lz4Header header;
    if (stream.size() < sizeof header)
        return;
    std::memcpy(&header, stream.data(), sizeof header);
    const std::uint64_t blocks =
        header.block_pixels ? header.pixels / header.block_pixels + (header.pixels % header.block_pixels != 0) : 0;
    if (blocks > (stream.size() - sizeof header) / sizeof(Lz4Block))
        return;
    std::size_t at = sizeof header + blocks * sizeof(Lz4Block);
    for (std::uint64_t k = 0; k < blocks; ++k) {
        Lz4Block block;
        std::byte *const entry = stream.data() + sizeof header + k * sizeof block;
        std::memcpy(&block, entry, sizeof block);
        const std::size_t bytes = std::min<std::size_t>(block.bytes, stream.size() - at);
        block.check = checksum(stream.subspan(at, bytes));
        at += bytes;
        std::memcpy(entry, &block, sizeof block);
    }
    const std::size_t from = offsetof(Lz4Header, pixels);
    header.check = checksum(stream.subspan(from, sizeof header - from + blocks * sizeof(Lz4Block)));
    std::memcpy(stream.data(), &header, sizeof header);
}

void there_and_back(Workers &workers, pixMPI_Format format, std::uint16_t width, std::span<const std::byte> data) {
    const auto pixel_bytes = static_cast<std::size_t>(format_info(format).bytes);
    const std::size_t pixels = data.size() / pixel_bytes, bound = lz4_bound(format, pixels);
    data = data.first(pixels * pixel_bytes);
    const auto input = exactly(data);
    const auto stream = std::make_unique<std::byte[]>(bound), out = std::make_unique<std::byte[]>(data.size());
    std::size_t bytes = 0;
    fuzz::require(lz4_encode(workers, {input.get(), format, pixels, width}, {stream.get(), bound}, bytes) == 0,
                  "any pixels can be encoded");
    fuzz::require(bytes <= bound, "a stream is within its bound");
    fuzz::require(lz4_decode(workers, {stream.get(), bytes}, format, pixels, out.get()) == 0,
                  "what was encoded is decoded");
    fuzz::require(std::equal(data.begin(), data.end(), out.get()), "the pixels come back");
}

} // namespace

void fuzz::codec_lz4(Input input) {
    static Workers workers(1);
    Announced announced;
    if (input.size() < sizeof announced)
        return;
    std::memcpy(&announced, input.data(), sizeof announced);
    const auto format = static_cast<pixMPI_Format>(1 + announced.format % (PIXMPI_FORMAT_END - 1));
    const std::span<const std::byte> rest = std::as_bytes(input.subspan(sizeof announced));
    if (announced.kind & 1)
        return there_and_back(workers, format, announced.pixels, rest);
    const auto stream = exactly(rest);
    if (announced.kind & 2)
        seal({stream.get(), rest.size()});
    const auto out =
        std::make_unique<std::byte[]>(announced.pixels * static_cast<std::size_t>(format_info(format).bytes));
    const Status status = lz4_decode(workers, {stream.get(), rest.size()}, format, announced.pixels, out.get());
    require(status == PIXMPI_SUCCESS || status == PIXMPI_ERR_CODEC, "pixels, or an error of the stream");
    require(status == PIXMPI_SUCCESS || pixmpi::error_text()[0], "an error has a text");
}
