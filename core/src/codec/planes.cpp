#include "codec/planes.h"

#include "base/load.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pixmpi {
namespace {

// Pixels lie at any address.
template <class T> void store(std::byte *at, T value) { std::memcpy(at, &value, sizeof value); }

/// Small differences of either sign have high bytes of zero. A byte has no higher one.
template <class T> T folded(T difference) {
    if constexpr (sizeof(T) == 1)
        return difference;
    constexpr int sign = sizeof(T) * 8 - 1;
    return static_cast<T>(static_cast<T>(difference << 1) ^ static_cast<T>(0u - (difference >> sign)));
}

template <class T> T unfolded(T value) {
    if constexpr (sizeof(T) == 1)
        return value;
    return static_cast<T>((value >> 1) ^ static_cast<T>(0u - (value & 1u)));
}

/// One kind of pixel: N numbers of type T. The loops over pixels know N, so that the compiler makes vector code of
/// them.
template <class T, int N, int Low> struct Loops {
    static constexpr std::size_t step = sizeof(T) * N;

    static T number(const std::byte *pixels, std::size_t i, int k) {
        const T value = load<T>(pixels + i * step + static_cast<std::size_t>(k) * sizeof(T));
        return Low ? std::rotr(value, Low) : value;
    }

    /// Pixels first to end-1; `count`: the length of a plane.
    template <Filter F>
    static void split(const std::byte *__restrict pixels, std::size_t first, std::size_t end, std::size_t count,
                      std::size_t width, std::byte *__restrict out) {
        for (std::size_t i = first; i < end; ++i)
            for (int k = 0; k < N; ++k) {
                T value = number(pixels, i, k);
                if constexpr (F == Filter::before)
                    value = folded<T>(static_cast<T>(value - number(pixels, i - 1, k)));
                if constexpr (F == Filter::up)
                    value = folded<T>(static_cast<T>(value - number(pixels, i - width, k)));
                if constexpr (F == Filter::gradient)
                    value = folded<T>(static_cast<T>(value - number(pixels, i - 1, k) - number(pixels, i - width, k) +
                                                     number(pixels, i - width - 1, k)));
                for (std::size_t b = 0; b < sizeof(T); ++b)
                    out[(static_cast<std::size_t>(k) * sizeof(T) + b) * count + i] =
                        static_cast<std::byte>(value >> 8 * b);
            }
    }

    /// The differences, where the pixels will be.
    static void join(const std::byte *__restrict planes, std::size_t count, std::byte *__restrict out) {
        for (std::size_t i = 0; i < count; ++i)
            for (int k = 0; k < N; ++k) {
                T value = 0;
                for (std::size_t b = 0; b < sizeof(T); ++b)
                    value = static_cast<T>(
                        value | static_cast<T>(planes[(static_cast<std::size_t>(k) * sizeof(T) + b) * count + i])
                                    << 8 * b);
                store<T>(out + i * step + static_cast<std::size_t>(k) * sizeof(T), value);
            }
    }

    /// In place, from the first pixel to the last.
    template <Filter F> static void add_up(std::byte *out, std::size_t first, std::size_t end, std::size_t width) {
        T last[N];
        for (int k = 0; k < N; ++k)
            last[k] =
                F == Filter::up ? T{0} : load<T>(out + (first - 1) * step + static_cast<std::size_t>(k) * sizeof(T));
        for (std::size_t i = first; i < end; ++i)
            for (int k = 0; k < N; ++k) {
                std::byte *const at = out + i * step + static_cast<std::size_t>(k) * sizeof(T);
                T value = unfolded(load<T>(at));
                if constexpr (F != Filter::before)
                    value = static_cast<T>(value + load<T>(at - width * step));
                if constexpr (F == Filter::gradient)
                    value = static_cast<T>(value - load<T>(at - (width + 1) * step));
                if constexpr (F != Filter::up)
                    last[k] = value = static_cast<T>(value + last[k]);
                store<T>(at, value);
            }
    }

    static void apply(Filter filter, const std::byte *pixels, std::size_t count, std::size_t width, std::byte *out) {
        if (filter == Filter::planes)
            return split<Filter::planes>(pixels, 0, count, count, width, out);
        const std::size_t one = std::min<std::size_t>(1, count), above = first_with_above(filter, count, width);
        split<Filter::planes>(pixels, 0, one, count, width, out);
        split<Filter::before>(pixels, one, above, count, width, out);
        if (filter == Filter::up)
            split<Filter::up>(pixels, above, count, count, width, out);
        else
            split<Filter::gradient>(pixels, above, count, count, width, out);
    }

    static void undo(Filter filter, const std::byte *planes, std::size_t count, std::size_t width, std::byte *out) {
        join(planes, count, out);
        if (filter != Filter::planes && count > 0) {
            const std::size_t above = first_with_above(filter, count, width);
            add_up<Filter::before>(out, 1, above, width);
            if (filter == Filter::up)
                add_up<Filter::up>(out, above, count, width);
            else
                add_up<Filter::gradient>(out, above, count, width);
        }
        if constexpr (Low != 0)
            for (std::size_t i = 0; i < count * N; ++i)
                store<T>(out + i * sizeof(T), std::rotl(load<T>(out + i * sizeof(T)), Low));
    }

    static std::size_t first_with_above(Filter filter, std::size_t count, std::size_t width) {
        if (filter == Filter::before || width == 0)
            return count;
        return std::min(count, width + (filter == Filter::gradient ? 1 : 0));
    }
};

/// `call` with the loops for such numbers.
template <class T, class Call> void with_count(int count, Call call) {
    switch (count) {
    case 1:
        return call(Loops<T, 1, 0>{});
    case 2:
        return call(Loops<T, 2, 0>{});
    case 3:
        return call(Loops<T, 3, 0>{});
    default:
        return call(Loops<T, 4, 0>{});
    }
}

template <class Call> void with_loops(const Numerals &numerals, Call call) {
    if (numerals.low_bits)
        return call(Loops<std::uint32_t, 1, 8>{});
    switch (numerals.bytes) {
    case 1:
        return with_count<std::uint8_t>(numerals.count, call);
    case 2:
        return with_count<std::uint16_t>(numerals.count, call);
    default:
        return with_count<std::uint32_t>(numerals.count, call);
    }
}

} // namespace

Numerals numerals_of(pixMPI_Format format) {
    const FormatInfo &info = format_info(format);
    if (info.channel_bytes)
        return {info.channels, info.channel_bytes, 0};
    switch (format) {
    case PIXMPI_DEPTH24:
    case PIXMPI_DEPTH24_STENCIL8:
        return {1, 4, 8};
    case PIXMPI_DEPTH32F_STENCIL8:
        return {2, 4, 0};
    default: // words
        return {1, info.bytes, 0};
    }
}

void apply(Filter filter, const Numerals &numerals, const std::byte *pixels, std::size_t count, std::size_t width,
           std::byte *out) {
    if (filter == Filter::plain)
        std::memcpy(out, pixels, count * static_cast<std::size_t>(numerals.count * numerals.bytes));
    else
        with_loops(numerals, [&](auto loops) { loops.apply(filter, pixels, count, width, out); });
}

void undo(Filter filter, const Numerals &numerals, const std::byte *planes, std::size_t count, std::size_t width,
          std::byte *out) {
    if (filter == Filter::plain)
        std::memcpy(out, planes, count * static_cast<std::size_t>(numerals.count * numerals.bytes));
    else
        with_loops(numerals, [&](auto loops) { loops.undo(filter, planes, count, width, out); });
}

} // namespace pixmpi
