#include "object/object.h"

#include "base/format.h"

std::vector<std::byte> test_pixels(pixMPI_Format format, std::int64_t pixels, std::uint32_t seed) {
    const pixmpi::FormatInfo &info = pixmpi::format_info(format);
    // What is kept of each word of random bits, and what is added to it.
    std::uint32_t kept = 0x7f7f7f7f, added = 0;
    if (info.numbers == pixmpi::Numbers::sfloat && info.channel_bytes == 2)
        kept = 0x03ff03ff, added = 0x3c003c00;
    else if (info.numbers == pixmpi::Numbers::sfloat && info.channel_bytes == 4)
        kept = 0x007fffff, added = 0x3f800000;
    else if (format == PIXMPI_R11F_G11F_B10F)
        kept = 0x07c1f83f, added = 0x781e03c0;
    else if (format == PIXMPI_DEPTH32F || format == PIXMPI_DEPTH32F_STENCIL8)
        kept = 0x007fffff, added = 0x3f000000;
    else if (format == PIXMPI_DEPTH24)
        kept = 0xffffff00;
    const std::size_t bytes = static_cast<std::size_t>(pixels) * static_cast<std::size_t>(info.bytes);
    std::vector<std::byte> result(bytes + 4);
    std::uint32_t random = seed * 2654435761U + 1;
    for (std::size_t i = 0; i < bytes; i += 4) {
        random = random * 1664525U + 1013904223U;
        const std::uint32_t bits = random ^ random >> 13;
        const bool stencil = format == PIXMPI_DEPTH32F_STENCIL8 && i % 8 == 4;
        const std::uint32_t word = stencil ? bits & 0xff : (bits & kept) | added;
        for (std::size_t k = 0; k < 4; ++k)
            result[i + k] = static_cast<std::byte>(word >> 8 * k);
    }
    result.resize(bytes);
    return result;
}
