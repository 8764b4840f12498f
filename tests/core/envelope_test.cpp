// What an envelope says arrives as it was said, and bytes that are no envelope are told.
#include "request/envelope.h"

#include <gtest/gtest.h>
#include <vector>

using namespace pixmpi;

namespace {

Envelope plain(Carriage carriage) {
    Envelope envelope;
    envelope.carriage = carriage;
    envelope.pixel_bytes = 4;
    envelope.pixels = carriage == Carriage::given_up ? 0 : 25;
    envelope.band_pixels = 7;
    envelope.whole = std::uint64_t{1} << 40;
    envelope.schedule = std::uint64_t{1} << 63 | 12;
    return envelope;
}

/// With as many bytes behind the header as it announces.
std::vector<std::byte> written(const Envelope &envelope) {
    const bool inside = envelope.carriage == Carriage::inside;
    std::vector<std::byte> bytes(header_bytes + (inside ? envelope.bytes() : 0));
    encode(envelope, bytes.data());
    return bytes;
}

bool read_back(const Envelope &envelope, Envelope &read) { return decode(written(envelope), read); }

} // namespace

TEST(Envelope, SaysWhereAPartBegins) {
    for (const Carriage carriage : {Carriage::inside, Carriage::flow, Carriage::bands, Carriage::given_up})
        for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xffff'ffff},
                                          std::uint64_t{0x1'0000'0000}, std::uint64_t{0x3fff'ffff'ffff'ffff}}) {
            Envelope envelope = plain(carriage), read;
            envelope.begin_at(first);
            ASSERT_TRUE(read_back(envelope, read));
            EXPECT_EQ(read.first(), first);
            EXPECT_EQ(read.carriage, carriage);
            EXPECT_EQ(read.pixels, envelope.pixels);
            EXPECT_EQ(read.band_pixels, 7U);
            EXPECT_EQ(read.whole, envelope.whole);
            EXPECT_EQ(read.schedule, envelope.schedule);
        }
}

TEST(Envelope, AsksWhetherAReceiveHasMatched) {
    Envelope envelope = plain(Carriage::inside), read;
    ASSERT_TRUE(read_back(envelope, read));
    EXPECT_FALSE(read.asks_match);
    envelope.asks_match = true;
    envelope.number = 0x3fffffff;
    ASSERT_TRUE(read_back(envelope, read));
    EXPECT_TRUE(read.asks_match);
    EXPECT_EQ(read.number, 0x3fffffffU);
    envelope.number = 0x40000000; // there is no tag for it
    EXPECT_FALSE(read_back(envelope, read));
}

TEST(Envelope, IsRefusedWhenItIsNone) {
    const Envelope envelope = plain(Carriage::inside);
    Envelope read;
    std::vector<std::byte> bytes = written(envelope);
    bytes.pop_back(); // fewer pixels than it says
    EXPECT_FALSE(decode(bytes, read));
    bytes = written(envelope);
    bytes[5] = std::byte{16}; // a flag that does not exist
    EXPECT_FALSE(decode(bytes, read));
    bytes = written(envelope);
    bytes[0] ^= std::byte{1};
    EXPECT_FALSE(decode(bytes, read));
}
