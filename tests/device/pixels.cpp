// Bits of pixels: random ones, plain numbers, those that mean nothing.
#include "suite.h"

#include "base/format.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace device_suite {
namespace {

using pixmpi::format_info;
using pixmpi::Numbers;

template <class Word, class Change>
void for_words(Bytes &pixels, Change change, std::size_t first = 0, std::size_t step = sizeof(Word)) {
    for (std::size_t at = first; at + sizeof(Word) <= pixels.size(); at += step) {
        Word word;
        std::memcpy(&word, &pixels[at], sizeof word);
        word = static_cast<Word>(change(word));
        std::memcpy(&pixels[at], &word, sizeof word);
    }
}

/// Moves an exponent of `bits` bits, `at` bits up, into the middle of its range.
std::uint32_t plain_exponent(std::uint32_t word, int at, int bits) {
    const std::uint32_t all = (1u << bits) - 1, quarter = 1u << (bits - 2);
    const std::uint32_t exponent = word >> at & all;
    return (word & ~(all << at)) | ((exponent % (2 * quarter)) + quarter) << at;
}

std::uint32_t plain_depth(std::uint32_t word) {
    const float depth = static_cast<float>(word >> 8) / 16777215.0f;
    std::memcpy(&word, &depth, sizeof word);
    return word;
}

} // namespace

Bytes Random::bytes(std::size_t count) {
    Bytes all(count);
    for (std::size_t at = 0; at < count; at += 8) {
        const std::uint64_t word = engine_();
        std::memcpy(&all[at], &word, std::min<std::size_t>(8, count - at));
    }
    return all;
}

void make_plain(pixMPI_Format format, Bytes &pixels) {
    const auto &info = format_info(format);
    if (info.numbers == Numbers::snorm && info.channel_bytes == 1)
        for_words<std::uint8_t>(pixels, [](std::uint8_t v) { return v == 0x80 ? 0x81 : v; });
    if (info.numbers == Numbers::snorm && info.channel_bytes == 2)
        for_words<std::uint16_t>(pixels, [](std::uint16_t v) { return v == 0x8000 ? 0x8001 : v; });
    if (info.numbers == Numbers::sfloat && info.channel_bytes == 2)
        for_words<std::uint16_t>(pixels, [](std::uint16_t v) { return plain_exponent(v, 10, 5); });
    if (info.numbers == Numbers::sfloat && info.channel_bytes == 4)
        for_words<std::uint32_t>(pixels, [](std::uint32_t v) { return plain_exponent(v, 23, 8); });
    if (format == PIXMPI_R11F_G11F_B10F)
        for_words<std::uint32_t>(pixels, [](std::uint32_t v) {
            return plain_exponent(plain_exponent(plain_exponent(v, 6, 5), 17, 5), 27, 5);
        });
    if (format == PIXMPI_DEPTH32F)
        for_words<std::uint32_t>(pixels, plain_depth);
    if (format == PIXMPI_DEPTH32F_STENCIL8)
        for_words<std::uint32_t>(pixels, plain_depth, 0, 8);
    drop_unused(format, pixels);
}

void drop_unused(pixMPI_Format format, Bytes &pixels) {
    if (format == PIXMPI_DEPTH24)
        for_words<std::uint32_t>(pixels, [](std::uint32_t v) { return v & 0xffffff00; });
    if (format == PIXMPI_DEPTH32F_STENCIL8)
        for_words<std::uint32_t>(
            pixels, [](std::uint32_t v) { return v & 0xff; }, 4, 8);
}

std::vector<std::uint64_t> seeds(int rounds) {
    if (const char *given = std::getenv("PIXMPI_SEED"))
        return {std::strtoull(given, nullptr, 0)};
    // Begun anew by each test, so that other tests of the same run change nothing.
    static const testing::TestInfo *drawing = nullptr;
    static std::mt19937_64 draw;
    const testing::TestInfo *test = testing::UnitTest::GetInstance()->current_test_info();
    if (test != drawing) {
        const char *given = std::getenv("PIXMPI_SEEDS");
        const std::string name = std::string(test->test_suite_name()) + "." + test->name();
        draw.seed((given ? std::strtoull(given, nullptr, 0) : 1) ^ std::hash<std::string>{}(name));
        drawing = test;
    }
    std::vector<std::uint64_t> all;
    for (int i = 0; i < rounds; ++i)
        all.push_back(draw());
    return all;
}

std::string how_to_repeat(std::uint64_t seed) {
    const testing::TestInfo *test = testing::UnitTest::GetInstance()->current_test_info();
    return "to repeat: PIXMPI_SEED=" + std::to_string(seed) + " " + program_invocation_short_name +
           " --gtest_filter=" + test->test_suite_name() + "." + test->name();
}

} // namespace device_suite
