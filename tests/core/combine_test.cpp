// The arithmetic of pixels, against one that is written in another way: field by field, by fractions of long doubles.
#include "base/format.h"
#include "combine/combine.h"
#include "combine/nearest.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace pixmpi;

namespace {

using Bytes = std::vector<std::byte>;

constexpr Operation operations[] = {Operation::sum,  Operation::prod, Operation::min,
                                    Operation::max,  Operation::band, Operation::bor,
                                    Operation::bxor, Operation::over, Operation::over_straight};

/// Bits of a pixel that are one number.
struct Field {
    unsigned at, bits;
    Numbers numbers;
};

std::vector<Field> fields_of(pixMPI_Format format) {
    const FormatInfo &info = format_info(format);
    switch (format) {
    case PIXMPI_RGB10_A2:
    case PIXMPI_RGB10_A2UI:
        return {{0, 10, info.numbers}, {10, 10, info.numbers}, {20, 10, info.numbers}, {30, 2, info.numbers}};
    case PIXMPI_R11F_G11F_B10F:
        return {{0, 11, info.numbers}, {11, 11, info.numbers}, {22, 10, info.numbers}};
    case PIXMPI_DEPTH16:
        return {{0, 16, Numbers::unorm}};
    case PIXMPI_DEPTH24:
        return {{8, 24, Numbers::unorm}};
    case PIXMPI_DEPTH32F:
        return {{0, 32, Numbers::sfloat}};
    case PIXMPI_STENCIL8:
        return {{0, 8, Numbers::uint}};
    default:
        break;
    }
    std::vector<Field> all;
    const auto bits = static_cast<unsigned>(info.channel_bytes * 8);
    for (unsigned i = 0; i < static_cast<unsigned>(info.channels); ++i)
        all.push_back({i * bits, bits, i == 3 && info.numbers == Numbers::srgb ? Numbers::unorm : info.numbers});
    return all;
}

std::uint64_t get(const std::byte *pixel, const Field &field) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < field.bits; ++i)
        if (static_cast<unsigned>(pixel[(field.at + i) / 8]) >> (field.at + i) % 8 & 1)
            value |= std::uint64_t{1} << i;
    return value;
}

void put(std::byte *pixel, const Field &field, std::uint64_t value) {
    for (unsigned i = 0; i < field.bits; ++i) {
        const auto bit = static_cast<std::byte>(1u << (field.at + i) % 8);
        std::byte &byte = pixel[(field.at + i) / 8];
        byte = value >> i & 1 ? byte | bit : byte & ~bit;
    }
}

// ---- floats of any size

int mantissa_of(unsigned bits) { return bits == 32 ? 23 : bits == 16 ? 10 : bits == 11 ? 6 : 5; }
bool has_sign(unsigned bits) { return bits >= 16; }

double float_value(std::uint64_t word, unsigned bits) {
    if (bits == 32) {
        float value;
        const auto narrow = static_cast<std::uint32_t>(word);
        std::memcpy(&value, &narrow, sizeof value);
        return value;
    }
    const int mantissa = mantissa_of(bits);
    const auto fraction = static_cast<double>(word & ((1u << mantissa) - 1));
    const auto exponent = static_cast<int>(word >> mantissa & 31);
    const double sign = has_sign(bits) && word >> (bits - 1) ? -1 : 1;
    if (exponent == 31)
        return fraction != 0 ? NAN : sign * HUGE_VAL;
    if (exponent == 0)
        return sign * std::ldexp(fraction, -14 - mantissa);
    return sign * std::ldexp(fraction + std::ldexp(1.0, mantissa), exponent - 15 - mantissa);
}

std::uint64_t float_word(double value, unsigned bits) {
    const int mantissa = mantissa_of(bits);
    const std::uint64_t infinity = (bits == 32 ? 255ull : 31ull) << mantissa;
    if (std::isnan(value))
        return infinity | 1ull << (mantissa - 1);
    if (bits == 32) {
        const auto narrow = static_cast<float>(value);
        std::uint32_t word;
        std::memcpy(&word, &narrow, sizeof word);
        return word;
    }
    const std::uint64_t sign = has_sign(bits) && std::signbit(value) ? 1ull << (bits - 1) : 0;
    const double plain = std::fabs(value);
    if (plain >= 65536)
        return sign | infinity;
    const int exponent = plain == 0 ? -14 : std::max(-14, std::ilogb(plain));
    const auto scaled = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(plain, mantissa - exponent)));
    return sign | ((static_cast<std::uint64_t>(exponent + 14) << mantissa) + scaled);
}

bool is_less(double a, double b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }

std::uint64_t float_field(Operation operation, unsigned bits, std::uint64_t a, std::uint64_t b) {
    const double x = float_value(a, bits), y = float_value(b, bits);
    switch (operation) {
    case Operation::sum:
        return float_word(x + y, bits);
    case Operation::prod:
        return float_word(x * y, bits);
    default:
        if (std::isnan(x) || std::isnan(y))
            return float_word(std::isnan(x) ? y : x, bits);
        return is_less(x, y) == (operation == Operation::min) ? a : b;
    }
}

// ---- integers that mean fractions

std::int64_t nearest(long double value) { return static_cast<std::int64_t>(std::floor(value + 0.5L)); }

std::uint64_t fixed_field(Operation operation, const Field &field, std::uint64_t a, std::uint64_t b) {
    const bool is_signed = field.numbers == Numbers::snorm;
    const std::int64_t one = (std::int64_t{1} << (field.bits - (is_signed ? 1 : 0))) - 1;
    const auto value = [&](std::uint64_t word) {
        auto number = static_cast<std::int64_t>(word);
        if (is_signed && number > one)
            number -= std::int64_t{1} << field.bits;
        return std::max(number, -one);
    };
    const std::int64_t x = value(a), y = value(b);
    std::int64_t result = 0;
    switch (operation) {
    case Operation::sum:
        result = std::min(one, std::max(is_signed ? -one : 0, x + y));
        break;
    case Operation::prod: {
        const long double product = static_cast<long double>(x) * static_cast<long double>(y);
        result = std::llround(product / static_cast<long double>(one));
        break;
    }
    case Operation::min:
        result = std::min(x, y);
        break;
    default:
        result = std::max(x, y);
    }
    return static_cast<std::uint64_t>(result);
}

std::uint64_t integer_field(Operation operation, const Field &field, std::uint64_t a, std::uint64_t b) {
    const auto value = [&](std::uint64_t word) {
        const bool negative = field.numbers == Numbers::sint && word >> (field.bits - 1);
        return static_cast<std::int64_t>(word) - (negative ? std::int64_t{1} << field.bits : 0);
    };
    switch (operation) {
    case Operation::sum:
        return a + b;
    case Operation::prod:
        return a * b;
    case Operation::min:
        return value(a) < value(b) ? a : b;
    default:
        return value(a) < value(b) ? b : a;
    }
}

// ---- sRGB

std::int64_t light_of(std::uint64_t byte) {
    const double c = static_cast<double>(byte) / 255;
    return std::llround(65535 * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4)));
}

const std::vector<std::int64_t> &lights() {
    static const std::vector<std::int64_t> all = [] {
        std::vector<std::int64_t> made;
        for (std::uint64_t i = 0; i < 256; ++i)
            made.push_back(light_of(i));
        return made;
    }();
    return all;
}

std::uint64_t srgb_of(std::int64_t light) {
    std::uint64_t best = 0;
    for (std::uint64_t i = 1; i < 256; ++i)
        if (std::abs(lights()[i] - light) <= std::abs(lights()[best] - light))
            best = i;
    return best;
}

std::uint64_t srgb_field(Operation operation, std::uint64_t a, std::uint64_t b) {
    if (operation == Operation::min || operation == Operation::max)
        return operation == Operation::min ? std::min(a, b) : std::max(a, b);
    const Field light{0, 16, Numbers::unorm};
    const auto x = static_cast<std::uint64_t>(lights()[a]), y = static_cast<std::uint64_t>(lights()[b]);
    return srgb_of(static_cast<std::int64_t>(fixed_field(operation, light, x, y)));
}

// ---- pixels

void by_field(Operation operation, pixMPI_Format format, std::byte *present, const std::byte *incoming) {
    const auto size = static_cast<std::size_t>(format_info(format).bytes);
    Bytes result(size, std::byte{0});
    for (const Field &field : fields_of(format)) {
        const std::uint64_t a = get(present, field), b = get(incoming, field);
        std::uint64_t value = 0;
        if (field.numbers == Numbers::sfloat)
            value = float_field(operation, field.bits, a, b);
        else if (field.numbers == Numbers::unorm || field.numbers == Numbers::snorm)
            value = fixed_field(operation, field, a, b);
        else if (field.numbers == Numbers::srgb)
            value = srgb_field(operation, a, b);
        else
            value = integer_field(operation, field, a, b);
        put(result.data(), field, value);
    }
    std::copy(result.begin(), result.end(), present);
}

void by_bits(Operation operation, std::size_t size, std::byte *present, const std::byte *incoming) {
    for (std::size_t i = 0; i < size; ++i)
        present[i] = operation == Operation::band  ? present[i] & incoming[i]
                     : operation == Operation::bor ? present[i] | incoming[i]
                                                   : present[i] ^ incoming[i];
}

// Each step in its own variable, so that each is rounded.
float over_float(bool straight, float c1, float a1, float c2, float a2) {
    const volatile float rest = 1 - a1;
    if (!straight) {
        const volatile float share = c2 * rest;
        return c1 + share;
    }
    const volatile float part = a2 * rest;
    const volatile float all = a1 + part;
    if (all == 0)
        return 0;
    const volatile float one = c1 * a1, two = c2 * part;
    const volatile float sum = one + two;
    return sum / all;
}

void over_floats(bool straight, const std::vector<Field> &fields, const std::byte *first, const std::byte *second,
                 std::byte *result) {
    const auto number = [](const std::byte *pixel, const Field &field) {
        return static_cast<float>(float_value(get(pixel, field), field.bits));
    };
    const float a1 = number(first, fields[3]), a2 = number(second, fields[3]);
    for (int i = 0; i < 4; ++i) {
        const Field &field = fields[static_cast<std::size_t>(i)];
        const float c1 = number(first, field), c2 = number(second, field);
        const float value = i == 3 ? over_float(false, a1, a1, a2, a2) : over_float(straight, c1, a1, c2, a2);
        put(result, field, float_word(value, field.bits));
    }
}

void over_integers(bool straight, pixMPI_Format format, const std::vector<Field> &fields, const std::byte *first,
                   const std::byte *second, std::byte *result) {
    const bool light = format_info(format).numbers == Numbers::srgb;
    const auto opaque = static_cast<long double>((1u << fields[3].bits) - 1);
    const long double a1 = static_cast<long double>(get(first, fields[3])) / opaque,
                      a2 = static_cast<long double>(get(second, fields[3])) / opaque;
    // Fractions of whole numbers: what is rounded may be half a number exactly, so that it is put together last.
    const auto n1 = static_cast<std::int64_t>(get(first, fields[3])),
               n2 = static_cast<std::int64_t>(get(second, fields[3]));
    const auto n = static_cast<std::int64_t>(opaque);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto most = static_cast<std::int64_t>(light ? 65535 : (1u << fields[i].bits) - 1);
        const auto color = [&](const std::byte *pixel) {
            const std::uint64_t word = get(pixel, fields[i]);
            return light ? lights()[word] : static_cast<std::int64_t>(word);
        };
        const std::int64_t c1 = color(first), c2 = color(second);
        const long double above = static_cast<long double>(c1 * n1) * static_cast<long double>(n) +
                                  static_cast<long double>(c2 * n2) * static_cast<long double>(n - n1);
        const auto below = static_cast<long double>(n1 * n + n2 * (n - n1));
        std::int64_t value = 0;
        if (straight)
            value = below == 0 ? 0 : nearest(above / below);
        else
            value = std::min(most, nearest(static_cast<long double>(c1) + static_cast<long double>(c2) * (1 - a1)));
        put(result, fields[i], light ? srgb_of(value) : static_cast<std::uint64_t>(value));
    }
    put(result, fields[3], static_cast<std::uint64_t>(nearest(opaque * (a1 + a2 * (1 - a1)))));
}

void reference(const Combination &how, pixMPI_Format format, std::byte *present, const std::byte *incoming) {
    const auto size = static_cast<std::size_t>(format_info(format).bytes);
    const bool straight = how.operation == Operation::over_straight;
    if (how.operation == Operation::band || how.operation == Operation::bor || how.operation == Operation::bxor)
        return by_bits(how.operation, size, present, incoming);
    if (!straight && how.operation != Operation::over)
        return by_field(how.operation, format, present, incoming);
    const std::vector<Field> fields = fields_of(format);
    const Bytes here(present, present + size);
    const bool present_first = how.order == Order::present_first;
    const std::byte *first = present_first ? here.data() : incoming, *second = present_first ? incoming : here.data();
    if (fields[0].numbers == Numbers::sfloat)
        over_floats(straight, fields, first, second, present);
    else
        over_integers(straight, format, fields, first, second, present);
}

// ---- data

/// Random pixels with many special numbers: zeros, ones, the largest, infinities, NaNs, subnormals.
Bytes any_pixels(pixMPI_Format format, std::size_t count, std::mt19937_64 &random) {
    const auto size = static_cast<std::size_t>(format_info(format).bytes);
    Bytes pixels(count * size);
    for (std::byte &one : pixels)
        one = static_cast<std::byte>(random());
    const std::vector<Field> fields = fields_of(format);
    for (std::size_t i = 0; i < count; ++i)
        for (const Field &field : fields) {
            const std::uint64_t all = field.bits == 64 ? ~0ull : (1ull << field.bits) - 1, top = all / 2 + 1;
            std::vector<std::uint64_t> special{0, 1, all, all - 1, top, top - 1, top + 1, all / 3};
            if (field.numbers == Numbers::sfloat)
                for (const double value :
                     {0.0, -0.0, 1.0, -1.0, 0.5, HUGE_VAL, -HUGE_VAL, double{NAN}, 6e-8, 65504.0, 3e-5})
                    special.push_back(float_word(value, field.bits));
            if (random() % 3 == 0)
                put(&pixels[i * size], field, special[random() % special.size()]);
        }
    return pixels;
}

std::string hex(const std::byte *bytes, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        char two[4];
        std::snprintf(two, sizeof two, "%02x ", static_cast<unsigned>(bytes[i]));
        text += two;
    }
    return text;
}

void compare(const Combination &how, pixMPI_Format format, const Bytes &present, const Bytes &incoming) {
    const auto size = static_cast<std::size_t>(format_info(format).bytes), count = present.size() / size;
    constexpr std::size_t odd = 1; // any address will do
    constexpr std::byte gap{0x5a};
    Bytes actual(present.size() + 2 * odd, gap), other(incoming.size() + odd);
    std::copy(present.begin(), present.end(), actual.begin() + odd);
    std::copy(incoming.begin(), incoming.end(), other.begin() + odd);
    const Combiner combiner(how, format);
    ASSERT_TRUE(combiner);
    combiner(actual.data() + odd, other.data() + odd, count);
    EXPECT_EQ(actual.front(), gap);
    EXPECT_EQ(actual.back(), gap);
    Bytes expected = present;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = i * size;
        reference(how, format, &expected[at], &incoming[at]);
        if (!std::equal(&expected[at], &expected[at] + size, &actual[at + odd])) {
            FAIL() << operation_name(how.operation) << " of " << format_info(format).name << ", pixel " << i << " of "
                   << count << ": " << hex(&present[at], size) << "and " << hex(&incoming[at], size) << "gave "
                   << hex(&actual[at + odd], size) << "for " << hex(&expected[at], size);
        }
    }
}

template <class Visit> void for_each_format(Visit visit) {
    for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i)
        visit(static_cast<pixMPI_Format>(i));
}

} // namespace

TEST(combine, every_operation_on_every_format) {
    std::mt19937_64 random(15);
    for_each_format([&](pixMPI_Format format) {
        for (const Operation operation : operations) {
            if (!can_combine(operation, format))
                continue;
            for (const Order order : {Order::incoming_first, Order::present_first})
                for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{611}})
                    compare({operation, order}, format, any_pixels(format, count, random),
                            any_pixels(format, count, random));
        }
    });
}

// All pairs of two bytes, and all halves with some others.
TEST(combine, all_small_numbers) {
    Bytes rows, columns, halves, others;
    for (unsigned i = 0; i < 65536; ++i) {
        rows.push_back(static_cast<std::byte>(i >> 8));
        columns.push_back(static_cast<std::byte>(i));
    }
    for (const pixMPI_Format format : {PIXMPI_R8, PIXMPI_R8_SNORM, PIXMPI_R8UI, PIXMPI_R8I, PIXMPI_STENCIL8})
        for (const Operation operation : {Operation::sum, Operation::prod, Operation::min, Operation::max})
            compare({operation}, format, rows, columns);
    for (unsigned i = 0; i < 65536; ++i)
        for (const unsigned half : {i, i * 40503u >> 3}) {
            (half == i ? halves : others).push_back(static_cast<std::byte>(half));
            (half == i ? halves : others).push_back(static_cast<std::byte>(half >> 8));
        }
    others.resize(halves.size());
    for (const Operation operation : {Operation::sum, Operation::prod, Operation::min, Operation::max})
        compare({operation}, PIXMPI_R16F, halves, others);
}

TEST(combine, order_matters_to_over_alone) {
    std::mt19937_64 random(16);
    for_each_format([&](pixMPI_Format format) {
        for (const Operation operation : operations) {
            if (!can_combine(operation, format))
                continue;
            const Bytes a = any_pixels(format, 200, random), b = any_pixels(format, 200, random);
            Bytes one = a, other = a, swapped = b;
            Combiner({operation, Order::incoming_first}, format)(one.data(), b.data(), 200);
            Combiner({operation, Order::present_first}, format)(other.data(), b.data(), 200);
            Combiner({operation, Order::present_first}, format)(swapped.data(), a.data(), 200);
            EXPECT_TRUE(one == swapped) << operation_name(operation) << " of " << format_info(format).name;
            const bool over = operation == Operation::over || operation == Operation::over_straight;
            EXPECT_EQ(one == other, !over) << operation_name(operation) << " of " << format_info(format).name;
        }
    });
}

TEST(combine, what_has_no_meaning_is_refused) {
    const auto refused = [](Operation operation, pixMPI_Format format, const char *expected) {
        EXPECT_FALSE(can_combine(operation, format));
        EXPECT_FALSE(Combiner({operation}, format));
        EXPECT_EQ(check_operation(operation, format), PIXMPI_ERR_FORMAT);
        const std::string text = pixMPI_Error_text();
        for (const char *word : {operation_name(operation), pixMPI_Format_name(format), expected})
            EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
    };
    refused(Operation::band, PIXMPI_RGBA32F, "integers");
    refused(Operation::bxor, PIXMPI_DEPTH32F, "integers");
    refused(Operation::sum, PIXMPI_DEPTH24, "no depth");
    refused(Operation::max, PIXMPI_DEPTH24_STENCIL8, "one kind of number");
    refused(Operation::over, PIXMPI_RGB8, "alpha");
    refused(Operation::over_straight, PIXMPI_RGBA8UI, "alpha");
    refused(Operation::over, PIXMPI_R11F_G11F_B10F, "alpha");
    EXPECT_EQ(check_operation(Operation::sum, PIXMPI_FORMAT_NONE), PIXMPI_ERR_FORMAT);
    EXPECT_FALSE(Combiner({Operation::sum}, PIXMPI_FORMAT_NONE));
}

// Nothing is missing: where the table says that there is an operation, there is a loop.
TEST(combine, what_has_a_meaning_is_there) {
    for_each_format([](pixMPI_Format format) {
        EXPECT_EQ(check_operation(Operation::replace, format), PIXMPI_SUCCESS);
        EXPECT_FALSE(Combiner({Operation::replace}, format));
        for (const Operation operation : operations) {
            EXPECT_EQ(can_combine(operation, format), check_operation(operation, format) == PIXMPI_SUCCESS);
            EXPECT_EQ(can_combine(operation, format), static_cast<bool>(Combiner({operation}, format)))
                << operation_name(operation) << " of " << format_info(format).name;
        }
        const bool one_kind = format_info(format).numbers != Numbers::depth_stencil;
        EXPECT_EQ(can_combine(Operation::min, format), one_kind) << format_info(format).name;
        EXPECT_EQ(can_combine(Operation::max, format), one_kind) << format_info(format).name;
    });
}

namespace {

template <class T> Bytes bytes_of(const std::vector<T> &values) {
    const auto *first = reinterpret_cast<const std::byte *>(values.data());
    return {first, first + values.size() * sizeof(T)};
}

/// Each depth meets each, in runs long enough for vector code; the colours tell which one has won.
template <class T>
void meet(pixMPI_Format color, pixMPI_Format depth, const std::vector<T> &values, bool (*less)(T, T)) {
    const auto size = static_cast<std::size_t>(format_info(color).bytes);
    std::vector<T> here, there;
    for (const T a : values)
        for (const T b : values) {
            here.push_back(a);
            there.push_back(b);
        }
    for (const Order order : {Order::present_first, Order::incoming_first}) {
        SCOPED_TRACE(std::string(format_info(color).name) + " with " + format_info(depth).name);
        Bytes colors(here.size() * size, std::byte{1}), depths = bytes_of(here);
        const Bytes new_colors(here.size() * size, std::byte{2}), new_depths = bytes_of(there);
        Nearest(order, color, depth)({colors.data(), depths.data()}, {new_colors.data(), new_depths.data()},
                                     here.size());
        for (std::size_t i = 0; i < here.size(); ++i) {
            const bool second = order == Order::present_first ? less(there[i], here[i]) : !less(here[i], there[i]);
            const T expected = second ? there[i] : here[i];
            EXPECT_EQ(std::memcmp(&depths[i * sizeof(T)], &expected, sizeof(T)), 0) << i;
            for (std::size_t k = 0; k < size; ++k)
                ASSERT_EQ(colors[i * size + k], std::byte(second ? 2 : 1)) << "pixel " << i;
        }
    }
}

} // namespace

TEST(nearest, smaller_depth_wins_and_the_first_of_equal_ones) {
    const std::vector<float> reals{-std::numeric_limits<float>::infinity(),
                                   -1,
                                   -1e-40f,
                                   -0.0f,
                                   0.0f,
                                   1e-40f,
                                   0.5f,
                                   1,
                                   std::numeric_limits<float>::infinity(),
                                   std::numeric_limits<float>::quiet_NaN(),
                                   -std::numeric_limits<float>::quiet_NaN()};
    const auto less = [](float a, float b) {
        if (std::isnan(a) || std::isnan(b))
            return !std::isnan(a) && std::isnan(b);
        return a < b || (a == b && std::signbit(a) && !std::signbit(b));
    };
    for (const pixMPI_Format color : {PIXMPI_RGBA8, PIXMPI_RGBA16F, PIXMPI_RGB32F, PIXMPI_RGBA32F}) {
        meet<float>(color, PIXMPI_DEPTH32F, reals, less);
        meet<std::uint16_t>(color, PIXMPI_DEPTH16, {0, 1, 255, 256, 32767, 32768, 65535},
                            [](std::uint16_t a, std::uint16_t b) { return a < b; });
        for (const pixMPI_Format depth : {PIXMPI_DEPTH24, PIXMPI_DEPTH24_STENCIL8}) // the lower bits do not count
            meet<std::uint32_t>(color, depth, {0, 255, 256, 511, 0x7fffffff, 0x80000000, 0xffffff00, 0xffffffff},
                                [](std::uint32_t a, std::uint32_t b) { return a >> 8 < b >> 8; });
        struct Stencilled {
            float depth;
            std::uint32_t stencil;
        };
        std::vector<Stencilled> both;
        for (const float real : reals)
            both.push_back({real, static_cast<std::uint32_t>(both.size())});
        meet<Stencilled>(color, PIXMPI_DEPTH32F_STENCIL8, both, [](Stencilled a, Stencilled b) {
            if (std::isnan(a.depth) || std::isnan(b.depth))
                return !std::isnan(a.depth) && std::isnan(b.depth);
            return a.depth < b.depth || (a.depth == b.depth && std::signbit(a.depth) && !std::signbit(b.depth));
        });
    }
}

TEST(nearest, wants_depth) {
    for_each_format([](pixMPI_Format format) {
        EXPECT_FALSE(can_combine(Operation::nearest, format));
        EXPECT_EQ(check_operation(Operation::nearest, format), PIXMPI_ERR_FORMAT);
        EXPECT_FALSE(can_combine(Operation::min, format, PIXMPI_DEPTH16));
    });
    EXPECT_TRUE(can_combine(Operation::nearest, PIXMPI_RGBA8, PIXMPI_DEPTH24_STENCIL8));
    EXPECT_EQ(check_operation(Operation::nearest, PIXMPI_RGBA8, PIXMPI_DEPTH16), PIXMPI_SUCCESS);
    EXPECT_EQ(check_operation(Operation::sum, PIXMPI_RGBA8, PIXMPI_DEPTH16), PIXMPI_ERR_FORMAT);
}
