// Which loop serves which operation and format: for the host, and for kernels of GPUs (cudampi/kernels), which are made
// of the same templates. A visitor gets the loop as a type: run() combines so many numbers, or whole pixels, of `bytes`
// each, in place in `present`. Both operands lie without gaps, at any address, and do not overlap.
//
// A visitor says whether it supports loops over processors' vectors, and those that look light up in tables (sRGB);
// none() is for loops that it does not support.
#pragma once

#include "base/format.h"
#include "base/load.h"
#include "combine/operation.h"
#include "combine/over.h"

#include <cstddef>
#include <cstring>

namespace pixmpi::loops {

template <class Word, auto operation> struct EachWord {
    static constexpr std::size_t bytes = sizeof(Word);
    static constexpr void run(std::byte *__restrict present, const std::byte *__restrict incoming, std::size_t words) {
        for (std::size_t i = 0; i < words; ++i, present += sizeof(Word), incoming += sizeof(Word)) {
            const Word result = operation(load<Word>(present), load<Word>(incoming));
            std::memcpy(present, &result, sizeof result);
        }
    }
};

template <class Pixel, Order order, auto operation> struct EachPixel {
    using Stored = typename Pixel::Stored;
    static constexpr std::size_t bytes = sizeof(Stored);
    static constexpr void run(std::byte *__restrict present, const std::byte *__restrict incoming, std::size_t pixels) {
        for (std::size_t i = 0; i < pixels; ++i, present += sizeof(Stored), incoming += sizeof(Stored)) {
            const auto here = Pixel::load(load<Stored>(present)), there = Pixel::load(load<Stored>(incoming));
            const Stored result =
                Pixel::store(order == Order::present_first ? operation(here, there) : operation(there, here));
            std::memcpy(present, &result, sizeof result);
        }
    }
};

template <Order order> struct Over {
    template <class Bytes> static constexpr Bytes run(const Bytes &here, const Bytes &there) {
        return order == Order::present_first ? over_bytes(here, there) : over_bytes(there, here);
    }
};

template <Order order> struct EachFourPixels {
    static constexpr std::size_t bytes = 4;
    static constexpr void run(std::byte *__restrict present, const std::byte *__restrict incoming, std::size_t pixels) {
        const std::size_t fours = pixels / 4, at = fours * sizeof(FourPixels);
        EachWord<FourPixels, Over<order>::template run<FourPixels>>::run(present, incoming, fours);
        EachWord<std::uint32_t, Over<order>::template run<std::uint32_t>>::run(present + at, incoming + at, pixels % 4);
    }
};

template <class Word> struct Bits {
    static constexpr Word both(Word a, Word b) { return static_cast<Word>(a & b); }
    static constexpr Word any(Word a, Word b) { return static_cast<Word>(a | b); }
    static constexpr Word one(Word a, Word b) { return static_cast<Word>(a ^ b); }
};

template <class Pixel> struct ByAlpha {
    using C = Color<typename Pixel::Number>;
    static constexpr C plain(const C &a, const C &b) { return over<Pixel>(a, b); }
    static constexpr C straight(const C &a, const C &b) { return over_straight<Pixel>(a, b); }
};

/// `Visit`: a type with functions of its own alone, so that the choice is one of code.
template <class Visit> class Choice {
  public:
    constexpr Choice(Operation operation, Order order, Visit &visit)
        : operation_(operation), order_(order), visit_(visit) {}

    /// `operation` is one that can_combine() the format, but for those of users and with depths.
    constexpr auto of(const FormatInfo &info, pixMPI_Format format) const {
        switch (operation_) {
        case Operation::over:
        case Operation::over_straight:
            return by_alpha_of(info);
        case Operation::band:
            return visit_(EachWord<std::uint8_t, Bits<std::uint8_t>::both>());
        case Operation::bor:
            return visit_(EachWord<std::uint8_t, Bits<std::uint8_t>::any>());
        case Operation::bxor:
            return visit_(EachWord<std::uint8_t, Bits<std::uint8_t>::one>());
        default:
            return by_channels(info, format);
        }
    }

  private:
    template <class Number> constexpr auto ordered() const {
        using Word = typename Number::Word;
        return operation_ == Operation::min ? visit_(EachWord<Word, Number::least>())
                                            : visit_(EachWord<Word, Number::most>());
    }

    template <class Number> constexpr auto by_numbers() const {
        using Word = typename Number::Word;
        switch (operation_) {
        case Operation::sum:
            return visit_(EachWord<Word, Number::sum>());
        case Operation::prod:
            return visit_(EachWord<Word, Number::prod>());
        default:
            return ordered<Number>();
        }
    }

    template <class Pixel> constexpr auto by_alpha() const {
        constexpr Order p = Order::present_first, i = Order::incoming_first;
        using By = ByAlpha<Pixel>;
        if (operation_ == Operation::over)
            return order_ == p ? visit_(EachPixel<Pixel, p, By::plain>()) : visit_(EachPixel<Pixel, i, By::plain>());
        return order_ == p ? visit_(EachPixel<Pixel, p, By::straight>()) : visit_(EachPixel<Pixel, i, By::straight>());
    }

    constexpr auto bytes_over() const {
        constexpr Order p = Order::present_first, i = Order::incoming_first;
        if constexpr (Visit::uses_vectors)
            return order_ == p ? visit_(EachFourPixels<p>()) : visit_(EachFourPixels<i>());
        else
            return order_ == p ? visit_(EachWord<std::uint32_t, Over<p>::template run<std::uint32_t>>())
                               : visit_(EachWord<std::uint32_t, Over<i>::template run<std::uint32_t>>());
    }

    constexpr auto by_alpha_of(const FormatInfo &info) const {
        if (info.numbers == Numbers::srgb) {
            if constexpr (Visit::uses_tables)
                return by_alpha<SrgbPixel>();
            else
                return visit_.none();
        }
        if (info.numbers == Numbers::sfloat)
            return info.channel_bytes == 2 ? by_alpha<FloatPixel<std::uint16_t>>()
                                           : by_alpha<FloatPixel<std::uint32_t>>();
        switch (info.channel_bytes) {
        case 0:
            return by_alpha<Unorm10Pixel>();
        case 1:
            return operation_ == Operation::over ? bytes_over() : by_alpha<UnormPixel<std::uint8_t>>();
        default:
            return by_alpha<UnormPixel<std::uint16_t>>();
        }
    }

    /// One loop for each size of a channel; `Word` serves packed words.
    template <class Byte, class Short, class Long, class Word> constexpr auto by_size(const FormatInfo &info) const {
        switch (info.channel_bytes) {
        case 0:
            return by_numbers<Word>();
        case 1:
            return by_numbers<Byte>();
        case 2:
            return by_numbers<Short>();
        default:
            return by_numbers<Long>();
        }
    }

    constexpr auto of_light(const FormatInfo &info) const {
        if constexpr (Visit::uses_tables)
            return info.channels == 3 ? by_numbers<Srgb>() : by_numbers<SrgbAlpha>();
        else
            return visit_.none();
    }

    constexpr auto by_channels(const FormatInfo &info, pixMPI_Format format) const {
        using Bytes = Unorm<std::uint8_t>;
        using Shorts = Unorm<std::uint16_t>;
        using Floats = Float<std::uint32_t>;
        switch (info.numbers) {
        case Numbers::unorm:
            return by_size<Bytes, Shorts, Shorts, Word10<true>>(info);
        case Numbers::snorm:
            return info.channel_bytes == 1 ? by_numbers<Snorm<std::int8_t>>() : by_numbers<Snorm<std::int16_t>>();
        case Numbers::uint:
            return by_size<Integer<std::uint8_t>, Integer<std::uint16_t>, Integer<std::uint32_t>, Word10<false>>(info);
        case Numbers::sint:
            return by_size<Integer<std::int8_t>, Integer<std::int16_t>, Integer<std::int32_t>, Word10<false>>(info);
        case Numbers::sfloat:
            return by_size<Float<std::uint16_t>, Float<std::uint16_t>, Floats, Word11>(info);
        case Numbers::srgb:
            return of_light(info);
        case Numbers::stencil:
            return by_numbers<Integer<std::uint8_t>>();
        default:
            return format == PIXMPI_DEPTH16   ? ordered<Shorts>()
                   : format == PIXMPI_DEPTH24 ? ordered<Depth24>()
                                              : ordered<Floats>();
        }
    }

    const Operation operation_;
    const Order order_;
    Visit &visit_;
};

/// How many numbers that the loop takes one by one are in a pixel.
inline int numbers_in_pixel(Operation operation, const FormatInfo &info) {
    switch (operation) {
    case Operation::over:
    case Operation::over_straight:
        return 1;
    case Operation::band:
    case Operation::bor:
    case Operation::bxor:
        return info.bytes;
    default:
        return info.channel_bytes == 0 || (info.numbers == Numbers::srgb && info.channels == 4) ? 1 : info.channels;
    }
}

} // namespace pixmpi::loops
