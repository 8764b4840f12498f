// The requests in what a program writes to an X server: told apart however they are cut, and hashed without garbage.
#include "system/x11/requests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

using mpiglut::x11::Requests;

namespace {

using Bytes = std::vector<std::byte>;
using Words = std::vector<Requests::Word>;

void put(Bytes &bytes, std::size_t at, std::uint64_t value, std::size_t size) {
    std::memcpy(bytes.data() + at, &value, size);
}

/// A request with its length in four-byte units, filled with bytes that differ.
Bytes request(unsigned opcode, std::size_t units) {
    Bytes bytes(units * 4);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(i * 7);
    put(bytes, 0, opcode, 1);
    put(bytes, 2, units, 2);
    return bytes;
}

Bytes set_up(std::byte cookie) {
    Bytes bytes(12 + 20 + 16);
    put(bytes, 0, 'l', 2);
    put(bytes, 6, 18, 2);
    put(bytes, 8, 16, 2);
    std::fill(bytes.begin() + 12, bytes.begin() + 32, std::byte{'M'});
    std::fill(bytes.begin() + 32, bytes.end(), cookie);
    return bytes;
}

Words words_of(Bytes bytes, std::size_t piece, const Bytes &before = set_up(std::byte{1})) {
    bytes.insert(bytes.begin(), before.begin(), before.end());
    Requests requests;
    Words words;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        const auto more = requests.add(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
        words.insert(words.end(), more.begin(), more.end());
    }
    return words;
}

Bytes joined(const std::vector<Bytes> &all) {
    Bytes bytes;
    for (const Bytes &one : all)
        bytes.insert(bytes.end(), one.begin(), one.end());
    return bytes;
}

} // namespace

TEST(Requests, AreTheSameHoweverTheyAreCut) {
    Bytes big = request(72, 3);
    put(big, 2, 0, 2); // BIG-REQUESTS: the length follows
    put(big, 4, 70'001, 4);
    big.resize(4 * 70'001, std::byte{9});
    const Bytes all = joined({request(1, 1), request(65, 5), request(139, 17), big, request(127, 1)});
    const Words whole = words_of(all, all.size() + 48);
    ASSERT_EQ(whole.size(), 6U);
    const unsigned opcodes[] = {0, 1, 65, 139, 72, 127};
    for (std::size_t i = 0; i < whole.size(); ++i)
        EXPECT_EQ(Requests::opcode(whole[i]), opcodes[i]);
    for (const std::size_t piece : {1U, 3U, 4U, 31U, 64U, 65U, 4096U})
        EXPECT_EQ(words_of(all, piece), whole) << piece;
}

TEST(Requests, DifferWhereAByteDoes) {
    for (const std::size_t units : {2U, 9U, 40U}) {
        const Bytes one = request(70, units);
        for (std::size_t at = 4; at < one.size(); ++at) {
            Bytes other = one;
            other[at] ^= std::byte{4};
            EXPECT_NE(words_of(one, 4096), words_of(other, 4096)) << units << " units, byte " << at;
        }
    }
}

TEST(Requests, OfSetUpsLeaveTheCookieOut) {
    EXPECT_EQ(words_of({}, 7, set_up(std::byte{1})), words_of({}, 5, set_up(std::byte{2})));
    Bytes longer = set_up(std::byte{1});
    put(longer, 2, 12, 2); // another version of the protocol
    EXPECT_NE(words_of({}, 7, set_up(std::byte{1})), words_of({}, 7, longer));
}

TEST(Requests, LeaveOutTheEndsOfRowsOfGlyphs) {
    Bytes image = request(72, 6 + 2 * 3);
    put(image, 1, 2, 1);  // ZPixmap
    put(image, 12, 6, 2); // width
    put(image, 14, 3, 2); // height
    put(image, 20, 0, 1); // left pad
    put(image, 21, 8, 1); // depth
    const Words words = words_of(image, 4096);
    for (const std::size_t at : {30U, 31U, 38U, 39U, 46U, 47U}) {
        Bytes other = image;
        other[at] ^= std::byte{1};
        EXPECT_EQ(words_of(other, 4096), words) << at;
    }
    Bytes other = image;
    other[29] ^= std::byte{1};
    EXPECT_NE(words_of(other, 4096), words);
    put(image, 21, 24, 1);
    put(other = image, 31, 0x55, 1);
    EXPECT_NE(words_of(image, 4096), words_of(other, 4096)) << "all bytes count in colour";
}

TEST(Requests, LeaveTheEndsOfRowsOutOfGlyphsOfRender) {
    // Two glyphs, 5x2 and 4x1: 12 bytes, 2 names, 2 times 12 bytes of facts, 16 and 4 bytes of pixels.
    Bytes glyphs = request(139, (12 + 8 + 24 + 16 + 4) / 4);
    put(glyphs, 1, 20, 1);
    put(glyphs, 8, 2, 4);
    put(glyphs, 20, 5 | 2 << 16, 4);
    put(glyphs, 32, 4 | 1 << 16, 4);
    const Words words = words_of(glyphs, 4096);
    EXPECT_EQ(words_of(glyphs, 1), words);
    for (std::size_t at = 12; at < glyphs.size(); ++at) {
        const bool is_rest = (at >= 44 + 5 && at < 44 + 8) || (at >= 52 + 5 && at < 52 + 8);
        Bytes other = glyphs;
        other[at] ^= std::byte{64};
        EXPECT_EQ(words_of(other, 4096) == words, is_rest) << at;
    }
}

TEST(Requests, AreCountedAndNamed) {
    Requests requests;
    requests.add(joined({set_up(std::byte{1}), request(1, 8), request(72, 20)}));
    EXPECT_EQ(requests.complete(), 2U);
    EXPECT_EQ(mpiglut::x11::name_of_request(72), "PutImage (opcode 72)");
    EXPECT_EQ(mpiglut::x11::name_of_request(1), "CreateWindow (opcode 1)");
    EXPECT_EQ(mpiglut::x11::name_of_request(98), "QueryExtension (opcode 98)");
    EXPECT_EQ(mpiglut::x11::name_of_request(140), "a request of an extension (opcode 140)");
}
