// Arithmetic of one channel: a type for each kind of number, with sum, prod, least and most. All of it is without
// branches, so that loops over it become vector code.
#pragma once

#include "combine/small_float.h"
#include "combine/srgb.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace pixmpi {

/// Integers from 0 to `most`, which means 1; `most` is odd, so that no rounding has ties.
constexpr std::uint32_t rounded_product(std::uint32_t a, std::uint32_t b, std::uint32_t most) {
    return (a * b + most / 2) / most;
}

template <class W> struct Unorm {
    using Word = W;
    static constexpr std::uint32_t one = std::numeric_limits<Word>::max();
    static constexpr Word sum(Word a, Word b) {
        const auto wrapped = static_cast<Word>(a + b);
        return static_cast<Word>(wrapped | (wrapped < a ? one : 0));
    }
    /// (a * b) / one, rounded: exact for these two sizes.
    static constexpr Word prod(Word a, Word b) {
        constexpr int bits = std::numeric_limits<Word>::digits;
        const std::uint32_t t = std::uint32_t{a} * b + (1u << (bits - 1));
        return static_cast<Word>((t + (t >> bits)) >> bits);
    }
    static constexpr Word least(Word a, Word b) { return a < b ? a : b; }
    static constexpr Word most(Word a, Word b) { return a > b ? a : b; }
};

template <class W> struct Snorm {
    using Word = W;
    static constexpr std::int32_t one = std::numeric_limits<Word>::max();
    static constexpr std::int32_t clamped(std::int32_t a) { return a < -one ? -one : a > one ? one : a; }
    static constexpr Word sum(Word a, Word b) { return static_cast<Word>(clamped(clamped(a) + clamped(b))); }
    static constexpr Word prod(Word a, Word b) {
        const std::int32_t t = clamped(a) * clamped(b);
        return static_cast<Word>((t + (t < 0 ? -one / 2 : one / 2)) / one);
    }
    static constexpr Word least(Word a, Word b) { return static_cast<Word>(clamped(a < b ? a : b)); }
    static constexpr Word most(Word a, Word b) { return static_cast<Word>(clamped(a > b ? a : b)); }
};

template <class W> struct Integer {
    using Word = W;
    using Wrapping = std::make_unsigned_t<Word>;
    static constexpr Word sum(Word a, Word b) {
        return static_cast<Word>(static_cast<Wrapping>(static_cast<Wrapping>(a) + static_cast<Wrapping>(b)));
    }
    static constexpr Word prod(Word a, Word b) {
        return static_cast<Word>(
            static_cast<Wrapping>(std::uint32_t{static_cast<Wrapping>(a)} * static_cast<Wrapping>(b)));
    }
    static constexpr Word least(Word a, Word b) { return a < b ? a : b; }
    static constexpr Word most(Word a, Word b) { return a > b ? a : b; }
};

/// IEEE 754 numbers of 16 or 32 bits, as bits.
template <class W> struct Float {
    using Word = W;
    using Signed = std::make_signed_t<Word>;
    static constexpr Word sign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
    static constexpr Word infinity = static_cast<Word>(sizeof(Word) == 2 ? 0x7c00u : 0x7f800000u);
    static constexpr Word quiet = static_cast<Word>(sizeof(Word) == 2 ? 0x7e00u : 0x7fc00000u);

    static constexpr float number(Word a) {
        if constexpr (sizeof(Word) == 2)
            return Half::decode(a);
        else
            return std::bit_cast<float>(a);
    }
    static constexpr Word bits(float a) {
        if constexpr (sizeof(Word) == 2)
            return static_cast<Word>(Half::encode(a));
        else
            return a == a ? std::bit_cast<Word>(a) : quiet;
    }
    static constexpr Word sum(Word a, Word b) { return bits(number(a) + number(b)); }
    static constexpr Word prod(Word a, Word b) { return bits(number(a) * number(b)); }
    static constexpr Word least(Word a, Word b) { return chosen(a, b, key(a) < key(b)); }
    static constexpr Word most(Word a, Word b) { return chosen(a, b, key(a) > key(b)); }

  private:
    static constexpr bool is_nan(Word a) { return static_cast<Word>(a & ~sign) > infinity; }
    /// In the order of the numbers.
    static constexpr Signed key(Word a) {
        return static_cast<Signed>(a ^ (static_cast<Signed>(a) < 0 ? static_cast<Word>(~sign) : Word{0}));
    }
    static constexpr Word chosen(Word a, Word b, bool first) {
        const Word number = first ? a : b, other = is_nan(b) ? quiet : b;
        return is_nan(a) ? other : is_nan(b) ? a : number;
    }
};

/// sRGB's bytes, as light.
struct Srgb {
    using Word = std::uint8_t;
    using Light = Unorm<std::uint16_t>;
    static constexpr Word sum(Word a, Word b) { return srgb_nearest(Light::sum(srgb_light[a], srgb_light[b])); }
    static constexpr Word prod(Word a, Word b) { return srgb_nearest(Light::prod(srgb_light[a], srgb_light[b])); }
    static constexpr Word least(Word a, Word b) { return a < b ? a : b; }
    static constexpr Word most(Word a, Word b) { return a > b ? a : b; }
};

/// Three of them, and alpha.
struct SrgbAlpha {
    using Word = std::uint32_t;
    using Alpha = Unorm<std::uint8_t>;
    template <class Rgb, class A> static constexpr Word channels(Word a, Word b, Rgb rgb, A alpha) {
        Word all = 0;
        for (int at = 0; at < 32; at += 8) {
            const auto x = static_cast<std::uint8_t>(a >> at), y = static_cast<std::uint8_t>(b >> at);
            all |= Word{at < 24 ? rgb(x, y) : alpha(x, y)} << at;
        }
        return all;
    }
    static constexpr Word sum(Word a, Word b) { return channels(a, b, Srgb::sum, Alpha::sum); }
    static constexpr Word prod(Word a, Word b) { return channels(a, b, Srgb::prod, Alpha::prod); }
    static constexpr Word least(Word a, Word b) { return channels(a, b, Srgb::least, Alpha::least); }
    static constexpr Word most(Word a, Word b) { return channels(a, b, Srgb::most, Alpha::most); }
};

/// Depths in the upper 24 bits.
struct Depth24 {
    using Word = std::uint32_t;
    static constexpr Word least(Word a, Word b) { return (a < b ? a : b) & 0xffffff00u; }
    static constexpr Word most(Word a, Word b) { return (a > b ? a : b) & 0xffffff00u; }
};

/// Ten bits for each colour, two for alpha.
template <bool normalised> struct Word10 {
    using Word = std::uint32_t;
    template <class Field> static constexpr Word fields(Word a, Word b, Field field) {
        Word all = 0;
        for (int at = 0; at < 40; at += 10) {
            const std::uint32_t one = at < 30 ? 1023 : 3;
            all |= field(a >> at & one, b >> at & one, one) << at;
        }
        return all;
    }
    static constexpr Word sum(Word a, Word b) {
        return fields(a, b, [](std::uint32_t x, std::uint32_t y, std::uint32_t one) {
            return normalised ? (x + y < one ? x + y : one) : (x + y) & one;
        });
    }
    static constexpr Word prod(Word a, Word b) {
        return fields(a, b, [](std::uint32_t x, std::uint32_t y, std::uint32_t one) {
            return normalised ? rounded_product(x, y, one) : x * y & one;
        });
    }
    static constexpr Word least(Word a, Word b) {
        return fields(a, b, [](std::uint32_t x, std::uint32_t y, std::uint32_t) { return x < y ? x : y; });
    }
    static constexpr Word most(Word a, Word b) {
        return fields(a, b, [](std::uint32_t x, std::uint32_t y, std::uint32_t) { return x > y ? x : y; });
    }
};

/// Floats of 11, 11 and 10 bits without a sign.
struct Word11 {
    using Word = std::uint32_t;
    template <class Field> static constexpr Word fields(Word a, Word b, Field field) {
        const std::uint32_t red = field(Float11(), a & 0x7ff, b & 0x7ff);
        const std::uint32_t green = field(Float11(), a >> 11 & 0x7ff, b >> 11 & 0x7ff);
        const std::uint32_t blue = field(Float10(), a >> 22, b >> 22);
        return red | green << 11 | blue << 22;
    }
    static constexpr Word sum(Word a, Word b) {
        return fields(a, b, [](auto format, std::uint32_t x, std::uint32_t y) {
            return format.encode(format.decode(x) + format.decode(y));
        });
    }
    static constexpr Word prod(Word a, Word b) {
        return fields(a, b, [](auto format, std::uint32_t x, std::uint32_t y) {
            return format.encode(format.decode(x) * format.decode(y));
        });
    }
    template <class Format>
    static constexpr std::uint32_t chosen(Format format, std::uint32_t x, std::uint32_t y, bool first) {
        const std::uint32_t other = format.is_nan(y) ? format.quiet : y;
        return format.is_nan(x) ? other : format.is_nan(y) || first ? x : y;
    }
    static constexpr Word least(Word a, Word b) {
        return fields(a, b, [](auto format, auto x, auto y) { return chosen(format, x, y, x < y); });
    }
    static constexpr Word most(Word a, Word b) {
        return fields(a, b, [](auto format, auto x, auto y) { return chosen(format, x, y, x > y); });
    }
};

} // namespace pixmpi
