// What a pixel is: its channels and their bits. One table for all APIs; each device adds a table of the API's names for
// them.
#pragma once

#include "pixmpi.h"

#include <array>

namespace pixmpi {

enum class Numbers { none, unorm, snorm, uint, sint, sfloat, srgb, depth, stencil, depth_stencil };

struct FormatInfo {
    const char *name = "?";
    int bytes = 0;         ///< of a pixel; 0: no such format
    int channels = 0;      ///< 1 to 4; depth-stencil 2
    int channel_bytes = 0; ///< 0: a packed word
    Numbers numbers = Numbers::none;
    bool bgr = false; ///< blue comes first
};

namespace detail {

using FormatTable = std::array<FormatInfo, PIXMPI_FORMAT_END>;

constexpr FormatTable make_format_table() {
    FormatTable table;
    const auto set = [&](pixMPI_Format f, const char *name, int channels, int channel_bytes, Numbers numbers,
                         bool bgr = false) {
        table[f] = {name, channels * channel_bytes, channels, channel_bytes, numbers, bgr};
    };
    const auto word = [&](pixMPI_Format f, const char *name, int bytes, int channels, Numbers numbers) {
        table[f] = {name, bytes, channels, 0, numbers, false};
    };
#define PLAIN(R, n, suffix, bytes, numbers) set(PIXMPI_##R##suffix, #R #suffix, n, bytes, Numbers::numbers);
#define ALL(R, n)                                                                                                      \
    PLAIN(R, n, 8, 1, unorm)                                                                                           \
    PLAIN(R, n, 8_SNORM, 1, snorm)                                                                                     \
    PLAIN(R, n, 8UI, 1, uint)                                                                                          \
    PLAIN(R, n, 8I, 1, sint)                                                                                           \
    PLAIN(R, n, 16, 2, unorm)                                                                                          \
    PLAIN(R, n, 16_SNORM, 2, snorm)                                                                                    \
    PLAIN(R, n, 16UI, 2, uint)                                                                                         \
    PLAIN(R, n, 16I, 2, sint)                                                                                          \
    PLAIN(R, n, 16F, 2, sfloat)                                                                                        \
    PLAIN(R, n, 32UI, 4, uint)                                                                                         \
    PLAIN(R, n, 32I, 4, sint)                                                                                          \
    PLAIN(R, n, 32F, 4, sfloat)
    ALL(R, 1)
    ALL(RG, 2)
    ALL(RGB, 3)
    ALL(RGBA, 4)
#undef ALL
#undef PLAIN
    set(PIXMPI_BGR8, "BGR8", 3, 1, Numbers::unorm, true);
    set(PIXMPI_BGRA8, "BGRA8", 4, 1, Numbers::unorm, true);
    set(PIXMPI_RGB8_SRGB, "RGB8_SRGB", 3, 1, Numbers::srgb);
    set(PIXMPI_RGBA8_SRGB, "RGBA8_SRGB", 4, 1, Numbers::srgb);
    set(PIXMPI_BGRA8_SRGB, "BGRA8_SRGB", 4, 1, Numbers::srgb, true);
    word(PIXMPI_RGB10_A2, "RGB10_A2", 4, 4, Numbers::unorm);
    word(PIXMPI_RGB10_A2UI, "RGB10_A2UI", 4, 4, Numbers::uint);
    word(PIXMPI_R11F_G11F_B10F, "R11F_G11F_B10F", 4, 3, Numbers::sfloat);
    word(PIXMPI_DEPTH16, "DEPTH16", 2, 1, Numbers::depth);
    word(PIXMPI_DEPTH24, "DEPTH24", 4, 1, Numbers::depth);
    word(PIXMPI_DEPTH32F, "DEPTH32F", 4, 1, Numbers::depth);
    word(PIXMPI_DEPTH24_STENCIL8, "DEPTH24_STENCIL8", 4, 2, Numbers::depth_stencil);
    word(PIXMPI_DEPTH32F_STENCIL8, "DEPTH32F_STENCIL8", 8, 2, Numbers::depth_stencil);
    word(PIXMPI_STENCIL8, "STENCIL8", 1, 1, Numbers::stencil);
    return table;
}

inline constexpr FormatTable format_table = make_format_table();

} // namespace detail

/// For any value of the enumeration or beyond; what does not exist has zero bytes.
inline const FormatInfo &format_info(pixMPI_Format format) {
    const auto i = static_cast<unsigned>(format);
    return detail::format_table[i < PIXMPI_FORMAT_END ? i : 0];
}

} // namespace pixmpi
