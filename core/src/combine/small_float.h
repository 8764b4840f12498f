// Floats of 16, 11 and 10 bits: five bits of exponent each. No step has a subnormal single that matters, so that the
// processor's state (subnormals taken for zero) changes no bit.
#pragma once

#include <bit>
#include <cstdint>

namespace pixmpi {

/// A choice by masks: what the compiler sees as a branch keeps it from making vector code.
constexpr std::uint32_t choose(bool first, std::uint32_t a, std::uint32_t b) {
    return b ^ ((a ^ b) & (0u - static_cast<std::uint32_t>(first)));
}

template <int mantissa_bits, bool has_sign> struct SmallFloat {
    static constexpr int shift = 23 - mantissa_bits;
    static constexpr std::uint32_t sign = has_sign ? 1u << (mantissa_bits + 5) : 0;
    static constexpr std::uint32_t infinity = 31u << mantissa_bits, quiet = infinity | 1u << (mantissa_bits - 1);
    static constexpr bool is_nan(std::uint32_t bits) { return (bits & ~sign) > infinity; }

    static constexpr float decode(std::uint32_t bits) {
        constexpr std::uint32_t rebias = (127u - 15u) << 23;
        const std::uint32_t plain = (bits & ~sign) << shift, exponent = plain >> 23;
        const std::uint32_t normal = plain + rebias + choose(exponent == 31, rebias, 0);
        // Below the normal numbers: with the exponent of the least one, less that one.
        constexpr std::uint32_t least = rebias + (1u << 23);
        const float small = std::bit_cast<float>(plain + least) - std::bit_cast<float>(least);
        const std::uint32_t number = choose(exponent == 0, std::bit_cast<std::uint32_t>(small), normal);
        return std::bit_cast<float>(number | choose(bits & sign, 1u << 31, 0));
    }

    /// Rounded to nearest even; what is too large becomes infinity, any NaN the one without payload.
    static constexpr std::uint32_t encode(float value) {
        constexpr std::uint32_t least = (127u - 14u) << 23, beyond = (127u + 16u) << 23;
        const std::uint32_t all = std::bit_cast<std::uint32_t>(value), plain = all & 0x7fffffffu;
        const std::uint32_t odd = plain >> shift & 1;
        const std::uint32_t normal = (plain - ((127u - 15u) << 23) + (1u << (shift - 1)) - 1 + odd) >> shift;
        // To round, add a number that ends at our last bit: below it nothing is left.
        constexpr std::uint32_t magic = (127u - 14u - mantissa_bits + 23u) << 23;
        const float rounded = std::bit_cast<float>(choose(plain < least, plain, 0)) + std::bit_cast<float>(magic);
        const std::uint32_t small = std::bit_cast<std::uint32_t>(rounded) - magic;
        const std::uint32_t finite = choose(plain < least, small, normal);
        const std::uint32_t bits = choose(plain >= beyond, infinity, finite) | choose(all >> 31, sign, 0);
        return choose(plain > 0x7f800000u, quiet, bits);
    }
};

using Half = SmallFloat<10, true>;
using Float11 = SmallFloat<6, false>;
using Float10 = SmallFloat<5, false>;

} // namespace pixmpi
