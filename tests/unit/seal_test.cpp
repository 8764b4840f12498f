// What seals messages between hosts: they open as they were closed, once, in order, and for the other rank alone.
#include "sync/seal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

using namespace mpiglut::transport;

namespace {

const std::string key = "00112233445566778899aabbccddeeff";

std::unique_ptr<Seal> seal_of(int rank, const std::string &with = key) {
    std::string error;
    auto seal = Seal::make(with, rank, error);
    EXPECT_TRUE(seal) << error;
    return seal;
}

Bytes bytes_of(const std::string &text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

Bytes closed(Seal &from, int to, const std::string &text) {
    Bytes message = bytes_of(text);
    EXPECT_TRUE(from.close(to, message));
    return message;
}

std::string opened(Seal &at, int from, Bytes message) {
    if (!at.open(from, message))
        return "does not open";
    return {reinterpret_cast<const char *>(message.data()), message.size()};
}

constexpr const char *refused = "does not open";

} // namespace

TEST(Seal, OpensWhatTheOtherRankHasSent) {
    const auto zero = seal_of(0), three = seal_of(3), four = seal_of(4);
    const std::string large(3'000'000, 'x');
    for (const std::string &text : {std::string("key a"), std::string("key a"), std::string("b"), large}) {
        EXPECT_EQ(opened(*three, 0, closed(*zero, 3, text)), text);
        EXPECT_EQ(opened(*four, 0, closed(*zero, 4, text)), text);
        EXPECT_EQ(opened(*zero, 3, closed(*three, 0, text)), text);
    }
}

TEST(Seal, HidesWhatItCloses) {
    const auto zero = seal_of(0);
    const std::string text(200, 'k');
    const Bytes plain = bytes_of(text), first = closed(*zero, 1, text), second = closed(*zero, 1, text),
                other = closed(*zero, 2, text);
    EXPECT_EQ(std::ranges::search(first, std::span(plain).first(4)).size(), 0U);
    EXPECT_NE(first, second) << "the same text twice shows";
    EXPECT_NE(first, other) << "the same text for two ranks shows";
    EXPECT_NE(first, closed(*seal_of(1), 0, text)) << "the same text in both directions shows";
}

TEST(Seal, DoesNotOpenWhatHasBeenChanged) {
    for (std::size_t at : {0U, 4U, 8U, 23U}) {
        const auto zero = seal_of(0), one = seal_of(1);
        Bytes message = closed(*zero, 1, "12345678");
        ASSERT_EQ(message.size(), 24U);
        message[at] ^= std::byte{1};
        EXPECT_EQ(opened(*one, 0, message), refused) << at;
    }
    for (std::size_t size : {0U, 15U, 16U, 23U, 25U}) {
        const auto zero = seal_of(0), one = seal_of(1);
        Bytes message = closed(*zero, 1, "12345678");
        message.resize(size);
        EXPECT_EQ(opened(*one, 0, message), refused) << size;
    }
}

TEST(Seal, DoesNotOpenWhatIsOutOfOrder) {
    const auto zero = seal_of(0), one = seal_of(1);
    const Bytes first = closed(*zero, 1, "first"), second = closed(*zero, 1, "second");
    EXPECT_EQ(opened(*seal_of(1), 0, second), refused) << "one was left out";
    EXPECT_EQ(opened(*one, 0, first), "first");
    EXPECT_EQ(opened(*one, 0, first), refused) << "it was repeated";
}

TEST(Seal, DoesNotOpenWhatIsForAnotherRankOrComesBack) {
    const auto zero = seal_of(0);
    EXPECT_EQ(opened(*seal_of(2), 0, closed(*zero, 1, "text")), refused);
    EXPECT_EQ(opened(*zero, 1, closed(*seal_of(0), 1, "text")), refused);
}

TEST(Seal, NeedsTheKeyOfTheRun) {
    EXPECT_EQ(opened(*seal_of(1, "ff112233445566778899aabbccddeeff"), 0, closed(*seal_of(0), 1, "text")), refused);
    for (const char *wrong : {"", "0011", "zz112233445566778899aabbccddeeff", "00112233445566778899aabbccddeeff00"}) {
        std::string error;
        EXPECT_FALSE(Seal::make(wrong, 1, error));
        EXPECT_NE(error.find("32 hexadecimal digits"), std::string::npos) << error;
    }
}

/// In a process that has not loaded the real library: the stand-in has its name, and so comes instead of it.
TEST(SealDeathTest, SaysThatItCannotClose) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto close_one = [] {
        if (!dlopen(REFUSING_CRYPTO, RTLD_NOW | RTLD_LOCAL))
            std::exit(2);
        Bytes message = bytes_of("text");
        std::exit(seal_of(0)->close(1, message) || !message.empty() ? 1 : 0);
    };
    EXPECT_EXIT(close_one(), testing::ExitedWithCode(0), "");
}
