// Which loop serves which operation and format. Compiled with -O3, since the loops become vector code by that, and
// without contraction, since one rounding less is another result.
#include "combine/combine.h"

#include "base/format.h"
#include "base/load.h"
#include "combine/over.h"

#include <cstring>

namespace pixmpi {
namespace {

template <class Word, auto operation>
void each_word(std::byte *__restrict present, const std::byte *__restrict incoming, std::size_t words) {
    for (std::size_t i = 0; i < words; ++i, present += sizeof(Word), incoming += sizeof(Word)) {
        const Word result = operation(load<Word>(present), load<Word>(incoming));
        std::memcpy(present, &result, sizeof result);
    }
}

template <class Pixel, Order order, auto operation>
void each_pixel(std::byte *__restrict present, const std::byte *__restrict incoming, std::size_t pixels) {
    using Stored = typename Pixel::Stored;
    for (std::size_t i = 0; i < pixels; ++i, present += sizeof(Stored), incoming += sizeof(Stored)) {
        const auto here = Pixel::load(load<Stored>(present)), there = Pixel::load(load<Stored>(incoming));
        const Stored result =
            Pixel::store(order == Order::present_first ? operation(here, there) : operation(there, here));
        std::memcpy(present, &result, sizeof result);
    }
}

using Loop = Combiner::Loop;

template <class Number> Loop ordered(Operation operation) {
    using Word = typename Number::Word;
    return operation == Operation::min ? each_word<Word, Number::least> : each_word<Word, Number::most>;
}

template <class Number> Loop by_numbers(Operation operation) {
    using Word = typename Number::Word;
    switch (operation) {
    case Operation::sum:
        return each_word<Word, Number::sum>;
    case Operation::prod:
        return each_word<Word, Number::prod>;
    default:
        return ordered<Number>(operation);
    }
}

Loop by_bits(Operation operation) {
    using Word = std::uint8_t;
    constexpr auto both = [](Word a, Word b) { return static_cast<Word>(a & b); };
    constexpr auto any = [](Word a, Word b) { return static_cast<Word>(a | b); };
    constexpr auto one = [](Word a, Word b) { return static_cast<Word>(a ^ b); };
    return operation == Operation::band  ? each_word<Word, both>
           : operation == Operation::bor ? each_word<Word, any>
                                         : each_word<Word, one>;
}

template <class Pixel> Loop by_alpha(const Combination &how) {
    using C = Color<typename Pixel::Number>;
    constexpr auto plain = [](const C &a, const C &b) { return over<Pixel>(a, b); };
    constexpr auto straight = [](const C &a, const C &b) { return over_straight<Pixel>(a, b); };
    constexpr Order p = Order::present_first, i = Order::incoming_first;
    if (how.operation == Operation::over)
        return how.order == p ? each_pixel<Pixel, p, plain> : each_pixel<Pixel, i, plain>;
    return how.order == p ? each_pixel<Pixel, p, straight> : each_pixel<Pixel, i, straight>;
}

template <Order order>
void each_four_pixels(std::byte *__restrict present, const std::byte *__restrict incoming, std::size_t pixels) {
    constexpr auto operation = [](const auto &here, const auto &there) {
        return order == Order::present_first ? over_bytes(here, there) : over_bytes(there, here);
    };
    const std::size_t fours = pixels / 4, at = fours * sizeof(FourPixels);
    each_word<FourPixels, operation>(present, incoming, fours);
    each_word<std::uint32_t, operation>(present + at, incoming + at, pixels % 4);
}

Loop bytes_over(Order order) {
    return order == Order::present_first ? each_four_pixels<Order::present_first>
                                         : each_four_pixels<Order::incoming_first>;
}

Loop over(const Combination &how, const FormatInfo &info) {
    if (info.numbers == Numbers::srgb)
        return by_alpha<SrgbPixel>(how);
    if (info.numbers == Numbers::sfloat)
        return info.channel_bytes == 2 ? by_alpha<FloatPixel<std::uint16_t>>(how)
                                       : by_alpha<FloatPixel<std::uint32_t>>(how);
    switch (info.channel_bytes) {
    case 0:
        return by_alpha<Unorm10Pixel>(how);
    case 1:
        return how.operation == Operation::over ? bytes_over(how.order) : by_alpha<UnormPixel<std::uint8_t>>(how);
    default:
        return by_alpha<UnormPixel<std::uint16_t>>(how);
    }
}

/// One loop for each size of a channel; `Word` serves packed words.
template <class Byte, class Short, class Long, class Word> Loop by_size(Operation operation, const FormatInfo &info) {
    switch (info.channel_bytes) {
    case 0:
        return by_numbers<Word>(operation);
    case 1:
        return by_numbers<Byte>(operation);
    case 2:
        return by_numbers<Short>(operation);
    default:
        return by_numbers<Long>(operation);
    }
}

Loop by_channels(Operation operation, pixMPI_Format format) {
    using Bytes = Unorm<std::uint8_t>;
    using Shorts = Unorm<std::uint16_t>;
    using Floats = Float<std::uint32_t>;
    const FormatInfo &info = format_info(format);
    switch (info.numbers) {
    case Numbers::unorm:
        return by_size<Bytes, Shorts, Shorts, Word10<true>>(operation, info);
    case Numbers::snorm:
        return info.channel_bytes == 1 ? by_numbers<Snorm<std::int8_t>>(operation)
                                       : by_numbers<Snorm<std::int16_t>>(operation);
    case Numbers::uint:
        return by_size<Integer<std::uint8_t>, Integer<std::uint16_t>, Integer<std::uint32_t>, Word10<false>>(operation,
                                                                                                             info);
    case Numbers::sint:
        return by_size<Integer<std::int8_t>, Integer<std::int16_t>, Integer<std::int32_t>, Word10<false>>(operation,
                                                                                                          info);
    case Numbers::sfloat:
        return by_size<Float<std::uint16_t>, Float<std::uint16_t>, Floats, Word11>(operation, info);
    case Numbers::srgb:
        return info.channels == 3 ? by_numbers<Srgb>(operation) : by_numbers<SrgbAlpha>(operation);
    case Numbers::stencil:
        return by_numbers<Integer<std::uint8_t>>(operation);
    default:
        return format == PIXMPI_DEPTH16   ? ordered<Shorts>(operation)
               : format == PIXMPI_DEPTH24 ? ordered<Depth24>(operation)
                                          : ordered<Floats>(operation);
    }
}

} // namespace

Combiner::Combiner(const Combination &how, pixMPI_Format format) : order_(how.order), format_(format) {
    const FormatInfo &info = format_info(format);
    if (how.operation == Operation::replace || !can_combine(how.operation, format))
        return;
    const bool words = info.channel_bytes == 0 || format == PIXMPI_RGBA8_SRGB || format == PIXMPI_BGRA8_SRGB;
    numbers_ = static_cast<std::size_t>(words ? 1 : info.channels);
    switch (how.operation) {
    case Operation::over:
    case Operation::over_straight:
        numbers_ = 1;
        loop_ = over(how, info);
        break;
    case Operation::band:
    case Operation::bor:
    case Operation::bxor:
        numbers_ = static_cast<std::size_t>(info.bytes);
        loop_ = by_bits(how.operation);
        break;
    case Operation::user:
        user_ = how.user;
        break;
    default:
        loop_ = by_channels(how.operation, format);
    }
}

} // namespace pixmpi
