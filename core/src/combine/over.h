// One pixel over another. A type for each format takes pixels apart: three colours and alpha.
#pragma once

#include "combine/numbers.h"

#include <algorithm>
#include <bit>

namespace pixmpi {

/// Integers: colours up to Pixel::most, alpha up to Pixel::opaque; these mean 1.
template <class Number> struct Color { Number rgb[3], alpha; };

template <class W> struct UnormPixel {
    using Number = std::uint32_t;
    struct Stored {
        W channels[4];
    };
    static constexpr Number most = std::numeric_limits<W>::max(), opaque = most;
    static constexpr Color<Number> load(Stored s) {
        return {{s.channels[0], s.channels[1], s.channels[2]}, s.channels[3]};
    }
    static constexpr Stored store(const Color<Number> &c) {
        return {
            {static_cast<W>(c.rgb[0]), static_cast<W>(c.rgb[1]), static_cast<W>(c.rgb[2]), static_cast<W>(c.alpha)}};
    }
};

struct Unorm10Pixel {
    using Number = std::uint32_t;
    using Stored = std::uint32_t;
    static constexpr Number most = 1023, opaque = 3;
    static constexpr Color<Number> load(Stored s) { return {{s & 1023, s >> 10 & 1023, s >> 20 & 1023}, s >> 30}; }
    static constexpr Stored store(const Color<Number> &c) {
        return static_cast<Stored>(c.rgb[0] | c.rgb[1] << 10 | c.rgb[2] << 20 | c.alpha << 30);
    }
};

struct SrgbPixel {
    using Number = std::uint32_t;
    using Stored = UnormPixel<std::uint8_t>::Stored;
    static constexpr Number most = 65535, opaque = 255;
    static constexpr Color<Number> load(Stored s) {
        return {{srgb_light[s.channels[0]], srgb_light[s.channels[1]], srgb_light[s.channels[2]]}, s.channels[3]};
    }
    static constexpr Stored store(const Color<Number> &c) {
        return {{srgb_nearest(static_cast<std::uint32_t>(c.rgb[0])), srgb_nearest(static_cast<std::uint32_t>(c.rgb[1])),
                 srgb_nearest(static_cast<std::uint32_t>(c.rgb[2])), static_cast<std::uint8_t>(c.alpha)}};
    }
};

template <class W> struct FloatPixel {
    using Number = float;
    struct Stored {
        W channels[4];
    };
    static constexpr Color<float> load(Stored s) {
        const auto number = [&](int i) { return Float<W>::number(s.channels[i]); };
        return {{number(0), number(1), number(2)}, number(3)};
    }
    static constexpr Stored store(const Color<float> &c) {
        return {
            {Float<W>::bits(c.rgb[0]), Float<W>::bits(c.rgb[1]), Float<W>::bits(c.rgb[2]), Float<W>::bits(c.alpha)}};
    }
};

template <class Pixel>
constexpr Color<std::uint32_t> over(const Color<std::uint32_t> &first, const Color<std::uint32_t> &second) {
    const std::uint32_t rest = Pixel::opaque - first.alpha;
    const auto sum = [&](std::uint32_t a, std::uint32_t b, std::uint32_t most) {
        return std::min(most, a + (b * rest + Pixel::opaque / 2) / Pixel::opaque);
    };
    Color<std::uint32_t> c;
    for (int i = 0; i < 3; ++i)
        c.rgb[i] = sum(first.rgb[i], second.rgb[i], Pixel::most);
    c.alpha = sum(first.alpha, second.alpha, Pixel::opaque);
    return c;
}

// Whole numbers of up to 50 bits, which a double holds exactly; and no quotient is so near to the next whole number
// that it would be rounded to that.
template <class Pixel>
constexpr Color<std::uint32_t> over_straight(const Color<std::uint32_t> &first, const Color<std::uint32_t> &second) {
    const double one = double{Pixel::opaque} * first.alpha,
                 two = static_cast<double>(second.alpha) * (Pixel::opaque - first.alpha);
    const double all = one + two, divisor = all == 0 ? 1 : all;
    Color<std::uint32_t> c;
    for (int i = 0; i < 3; ++i) {
        const double twice = 2 * (first.rgb[i] * one + second.rgb[i] * two) + all;
        c.rgb[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(twice / (2 * divisor)));
    }
    c.alpha = (static_cast<std::uint32_t>(all) + Pixel::opaque / 2) / Pixel::opaque;
    return c;
}

/// Four bytes with alpha in the highest, two at a time.
inline constexpr std::uint32_t over_bytes(std::uint32_t first, std::uint32_t second) {
    constexpr std::uint32_t two = 0x00ff00ff;
    const std::uint32_t rest = 255 - (first >> 24);
    const auto sum = [&](std::uint32_t a, std::uint32_t b) {
        const std::uint32_t t = b * rest + 0x00800080, share = ((t + (t >> 8 & two)) >> 8) & two; // rounded, by 255
        const std::uint32_t all = a + share, beyond = all & 0x01000100;
        return (all | (beyond - (beyond >> 8))) & two;
    };
    return sum(first & two, second & two) | sum(first >> 8 & two, second >> 8 & two) << 8;
}

/// The same for four pixels. Products of 16 bits: all processors have them for eight lanes at once.
struct FourPixels {
    using Shorts = std::uint16_t __attribute__((vector_size(16)));
    using Words = std::uint32_t __attribute__((vector_size(16)));
    Shorts lanes;

    friend FourPixels over_bytes(const FourPixels &first, const FourPixels &second) {
        const Words rest = 255 - (std::bit_cast<Words>(first.lanes) >> 24);
        const Shorts factor = std::bit_cast<Shorts>(rest | rest << 16);
        const auto sum = [&](Shorts a, Shorts b) {
            const Shorts t = b * factor + 128, all = a + ((t + (t >> 8)) >> 8);
            return (all | -(all >> 8)) & 255;
        };
        return {sum(first.lanes & 255, second.lanes & 255) | sum(first.lanes >> 8, second.lanes >> 8) << 8};
    }
};

template <class Pixel> constexpr Color<float> over(const Color<float> &first, const Color<float> &second) {
    const float rest = 1 - first.alpha;
    const auto sum = [&](float a, float b) { return a + b * rest; };
    return {{sum(first.rgb[0], second.rgb[0]), sum(first.rgb[1], second.rgb[1]), sum(first.rgb[2], second.rgb[2])},
            sum(first.alpha, second.alpha)};
}

template <class Pixel> constexpr Color<float> over_straight(const Color<float> &first, const Color<float> &second) {
    const float part = second.alpha * (1 - first.alpha), all = first.alpha + part;
    const auto mean = [&](float a, float b) { return all == 0 ? 0 : (a * first.alpha + b * part) / all; };
    return {{mean(first.rgb[0], second.rgb[0]), mean(first.rgb[1], second.rgb[1]), mean(first.rgb[2], second.rgb[2])},
            all};
}

} // namespace pixmpi
