// What shaders/combine.glsl, user_pixels.glsl, combine_buffer.comp and nearest.comp get: which operation on which
// numbers.
#pragma once

#include "base/format.h"
#include "combine/user_operation.h"

#include <compare>
#include <cstdint>

namespace pixmpi {

/// The shader's constants, in the order of their numbers.
struct ShaderCombination {
    std::uint32_t operation = 0, numbers = 0, present_first = 0;
    std::uint64_t user = 0; ///< UserOperation::number, or 0
    auto operator<=>(const ShaderCombination &) const = default;
};

/// What a pixel of such numbers is to a user's GLSL.
inline const char *pixel_type(std::uint32_t numbers) {
    const bool is_uint = (numbers >= 4 && numbers <= 6) || numbers == 13;
    return is_uint ? "uvec4" : numbers >= 7 && numbers <= 9 ? "ivec4" : "vec4";
}

/// False for what the shader does not do. sRGB: its light is a table. Depths and stencils: shaders cannot store to such
/// images. Straight alpha of 16 bits: its products have 48. A user's operation without GLSL; and what check_operation()
/// refuses.
inline bool for_shader(const Combination &how, pixMPI_Format format, ShaderCombination &shader) {
    const FormatInfo &info = format_info(format);
    const auto by_size = [&](std::uint32_t word, std::uint32_t first) {
        return info.channel_bytes == 0 ? word : first + static_cast<std::uint32_t>(info.channel_bytes) / 2;
    };
    const bool over = how.operation == Operation::over || how.operation == Operation::over_straight;
    const bool ordered = over || how.user;
    shader = {static_cast<std::uint32_t>(how.operation), 0, ordered && how.order == Order::present_first ? 1u : 0u};
    if (how.user) {
        if (!how.user->has_shader)
            return false;
        shader.user = how.user->number;
    }
    switch (info.numbers) {
    case Numbers::unorm:
        shader.numbers = how.user && info.bgr ? 15 : by_size(12, 0);
        break;
    case Numbers::snorm:
        shader.numbers = by_size(0, 2);
        break;
    case Numbers::uint:
        shader.numbers = by_size(13, 4);
        break;
    case Numbers::sint:
        shader.numbers = by_size(0, 7);
        break;
    case Numbers::sfloat:
        shader.numbers = by_size(14, 9);
        break;
    default:
        return false;
    }
    const bool wide = info.numbers == Numbers::unorm && info.channel_bytes == 2;
    return !(how.operation == Operation::over_straight && wide);
}

/// WORDS of shaders/combine_buffer.comp: so many are one pixel, or several, for what combines whole pixels; else
/// numbers lie in their own words, of any number.
inline std::uint32_t group_words(const ShaderCombination &how, int pixel_bytes) {
    const auto bytes = static_cast<std::uint32_t>(pixel_bytes);
    const bool whole_pixels = how.user != 0 || how.operation == static_cast<std::uint32_t>(Operation::over) ||
                              how.operation == static_cast<std::uint32_t>(Operation::over_straight);
    if (!whole_pixels)
        return 4;
    return bytes % 4 == 0 ? bytes / 4 : bytes < 3 ? 1 : 3;
}

/// The constants of shaders/nearest.comp in the same order: words of a colour, kind of depth, which pixel comes first.
inline ShaderCombination nearest_for_shader(Order order, pixMPI_Format color, pixMPI_Format depth) {
    const auto words = static_cast<std::uint32_t>(format_info(color).bytes) / 4;
    const std::uint32_t kind = depth == PIXMPI_DEPTH16                                       ? 0
                               : depth == PIXMPI_DEPTH24 || depth == PIXMPI_DEPTH24_STENCIL8 ? 1
                               : depth == PIXMPI_DEPTH32F                                    ? 2
                                                                                             : 3;
    return {words, kind, order == Order::present_first ? 1u : 0u};
}

} // namespace pixmpi
