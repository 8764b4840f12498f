#include "twice_less.h"

#include "base/format.h"
#include "combine/small_float.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

namespace twice_less {
namespace {

using pixmpi::Numbers;

/// One channel, or one field of a word: as many bits, shifted so far up in a number of so many bytes.
struct Place {
    std::size_t byte, bytes;
    unsigned shift, bits;
};

std::uint32_t load(const std::byte *pixel, const Place &place) {
    std::uint32_t word = 0;
    std::memcpy(&word, pixel + place.byte, place.bytes);
    return word >> place.shift & (~0u >> (32 - place.bits));
}

void store(std::byte *pixel, const Place &place, std::uint32_t value) {
    const std::uint32_t mask = ~0u >> (32 - place.bits);
    std::uint32_t word = 0;
    std::memcpy(&word, pixel + place.byte, place.bytes);
    word = (word & ~(mask << place.shift)) | (value & mask) << place.shift;
    std::memcpy(pixel + place.byte, &word, place.bytes);
}

float not_negative(float value) { return value < 0 ? 0 : value; }

std::uint32_t of_floats(std::uint32_t a, std::uint32_t b, unsigned bits) {
    const auto less = [](float x, float y) {
        const float twice = x + x;
        return twice - y;
    };
    switch (bits) {
    case 16:
        return pixmpi::Half::encode(less(pixmpi::Half::decode(a), pixmpi::Half::decode(b)));
    case 11:
        return pixmpi::Float11::encode(not_negative(less(pixmpi::Float11::decode(a), pixmpi::Float11::decode(b))));
    case 10:
        return pixmpi::Float10::encode(not_negative(less(pixmpi::Float10::decode(a), pixmpi::Float10::decode(b))));
    default:
        const float c = less(std::bit_cast<float>(a), std::bit_cast<float>(b));
        return c == c ? std::bit_cast<std::uint32_t>(c) : 0x7fc00000;
    }
}

std::uint32_t one(std::uint32_t a, std::uint32_t b, Numbers numbers, unsigned bits) {
    const std::int64_t most = (std::int64_t{1} << bits) - 1;
    switch (numbers) {
    case Numbers::uint:
    case Numbers::sint:
    case Numbers::stencil:
        return 2 * a - b;
    case Numbers::sfloat:
        return of_floats(a, b, bits);
    case Numbers::snorm: {
        const auto number = [&](std::uint32_t v) {
            return std::max<std::int64_t>(v > most / 2 ? static_cast<std::int64_t>(v) - most - 1 : v, -(most / 2));
        };
        return static_cast<std::uint32_t>(std::clamp(2 * number(a) - number(b), -(most / 2), most / 2));
    }
    case Numbers::depth:
        if (bits == 32) { // as depths are kept
            const float c = 2 * std::bit_cast<float>(a) - std::bit_cast<float>(b);
            return std::bit_cast<std::uint32_t>(std::clamp(c, 0.0f, 1.0f));
        }
        [[fallthrough]];
    default:
        return static_cast<std::uint32_t>(std::clamp<std::int64_t>(2 * std::int64_t{a} - b, 0, most));
    }
}

} // namespace

const char *const glsl = "PIXEL twice(PIXEL a) { return a + a; }\n"
                         "PIXEL combine(PIXEL first, PIXEL second) { return twice(first) - second; }\n";

void combine(const void *first, const void *second, void *result, size_t pixels, pixMPI_Format format, void *data) {
    if (data)
        ++*static_cast<std::atomic<int> *>(data);
    const pixmpi::FormatInfo &info = pixmpi::format_info(format);
    constexpr Place ten[] = {{0, 4, 0, 10}, {0, 4, 10, 10}, {0, 4, 20, 10}, {0, 4, 30, 2}};
    constexpr Place eleven[] = {{0, 4, 0, 11}, {0, 4, 11, 11}, {0, 4, 22, 10}};
    constexpr Place depth24[] = {{0, 4, 8, 24}};
    const auto size = static_cast<std::size_t>(info.channel_bytes ? info.channel_bytes : info.bytes);
    const auto place_of = [&](std::size_t i) -> Place {
        if (format == PIXMPI_RGB10_A2 || format == PIXMPI_RGB10_A2UI)
            return ten[i];
        if (format == PIXMPI_R11F_G11F_B10F)
            return eleven[i];
        if (format == PIXMPI_DEPTH24)
            return depth24[i];
        return {i * size, size, 0, static_cast<unsigned>(8 * size)};
    };
    const auto bytes = static_cast<std::size_t>(info.bytes);
    const auto *a = static_cast<const std::byte *>(first), *b = static_cast<const std::byte *>(second);
    auto *c = static_cast<std::byte *>(result);
    for (std::size_t n = 0; n < pixels; ++n, a += bytes, b += bytes, c += bytes)
        for (std::size_t i = 0; i < static_cast<std::size_t>(info.channels); ++i) {
            const Place place = place_of(i);
            store(c, place, one(load(a, place), load(b, place), info.numbers, place.bits));
        }
}

} // namespace twice_less
