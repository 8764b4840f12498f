// Packets through shared memory: their bytes, their order, also where they find no room, and nonsense in the ring.
#include "endpoint/packet_ring.h"
#include "request/envelope.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>

using namespace pixmpi;

namespace {

class PacketRingTest : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(memory.open(std::size_t{1} << 20, 77), PIXMPI_SUCCESS);
        auto peer = std::make_shared<Peer>(make_card());
        ASSERT_TRUE(peer->map(&memory.map()));
        rings.emplace(memory, 2);
        ASSERT_NE(rings->offset(), 0u);
        writer = rings->open(1, peer);
        ASSERT_NE(writer, nullptr);
        reader = read_ring(*peer, rings->offset(), rings->ring_bytes(), 1);
        ASSERT_TRUE(reader);
        shared = reinterpret_cast<PacketRing *>(memory.map().base + rings->offset() +
                                                PacketRings::whole(rings->ring_bytes()));
        other = peer;
    }
    static std::vector<std::byte> packet(std::uint32_t number, std::size_t bytes) {
        std::vector<std::byte> text(bytes);
        for (std::size_t i = 0; i < bytes; ++i) // no part like another, for those that go round the end of the ring
            text[i] = static_cast<std::byte>((i * 2654435761u + number) >> 8);
        std::memcpy(text.data(), &number, std::min(bytes, sizeof number));
        return text;
    }
    void send(std::uint32_t number, std::size_t bytes, int tag = 0) {
        Packets one(1);
        one.front().bytes = packet(number, bytes);
        one.front().arrival.tag = tag;
        writer->send(std::move(one));
    }
    bool receive(Packet &received) {
        Packets packets;
        bool any = false;
        EXPECT_EQ(reader.receive(3, packets, any), PIXMPI_SUCCESS);
        EXPECT_EQ(packets.size(), any ? 1u : 0u);
        if (any)
            received = std::move(packets.front());
        return any;
    }

    StageMemory memory;
    std::optional<PacketRings> rings;
    PacketWriter *writer = nullptr;
    PacketReader reader;
    PacketRing *shared = nullptr;
    std::shared_ptr<Peer> other;
};

} // namespace

TEST_F(PacketRingTest, brings_what_was_put) {
    Packet received;
    EXPECT_FALSE(receive(received));
    for (const std::size_t bytes :
         {std::size_t{1}, std::size_t{7}, std::size_t{56}, header_bytes + 1024, most_envelope}) {
        send(5, bytes, 40);
        ASSERT_TRUE(receive(received));
        EXPECT_EQ(received.bytes, packet(5, bytes));
        EXPECT_EQ(received.arrival.source, 3);
        EXPECT_EQ(received.arrival.tag, 40);
        EXPECT_EQ(received.arrival.bytes, bytes);
        EXPECT_FALSE(receive(received));
    }
}

TEST_F(PacketRingTest, holds_what_finds_no_room_and_keeps_the_order) {
    std::mt19937 random(20261125);
    std::uint32_t sent = 0, come = 0, held = 0;
    while (come < 20000) {
        for (std::uint32_t n = random() % 64; n > 0; --n, ++sent) {
            send(sent, 4 + random() % 3000);
            held += writer->held_bytes() != 0;
        }
        if (random() % 2)
            writer->flush();
        for (std::uint32_t n = random() % 64; n > 0; --n) {
            Packet received;
            std::uint32_t number = 0;
            if (!receive(received)) {
                EXPECT_FALSE(reader.any());
                EXPECT_EQ(writer->flush(), come < sent);
                continue;
            }
            std::memcpy(&number, received.bytes.data(), sizeof number);
            ASSERT_EQ(number, come++);
            ASSERT_EQ(received.bytes, packet(number, received.bytes.size()));
        }
    }
    EXPECT_GT(held, 100u);
    EXPECT_LT(held, sent);
}

TEST_F(PacketRingTest, holds_nothing_for_a_reader_that_has_left) {
    while (writer->held_bytes() == 0)
        send(1, 3000);
    EXPECT_TRUE(rings->holds());
    EXPECT_FALSE(rings->flush());
    EXPECT_TRUE(rings->holds());
    reader.leave();
    EXPECT_FALSE(rings->flush());
    EXPECT_FALSE(rings->holds());
}

/// A packet is written, and then a reader that wants to be woken is; such a reader looks once more behind saying so.
TEST_F(PacketRingTest, wakes_a_reader_that_sleeps) {
    constexpr std::chrono::seconds patience{20};
    Presence &presence = memory.map().presence();
    for (int i = 0; i < 200; ++i) {
        std::thread sleeper([&] {
            const std::uint32_t since = presence.wakes();
            presence.want_wake(true);
            if (reader.any())
                return;
            presence.sleep(since, patience);
            EXPECT_NE(presence.wakes(), since);
        });
        send(1, 100);
        sleeper.join();
        Packet received;
        ASSERT_TRUE(receive(received));
        presence.want_wake(false);
    }
}

TEST_F(PacketRingTest, refuses_nonsense) {
    Packets packets;
    bool any = false;
    send(1, 100);
    for (const std::uint64_t written :
         {std::uint64_t{8}, std::uint64_t{24}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
        shared->written = written;
        EXPECT_EQ(reader.receive(3, packets, any), PIXMPI_ERR_PEER) << written;
        EXPECT_FALSE(any);
    }
    shared->written = sizeof(PacketRecord) + 104;
    auto *const record = reinterpret_cast<PacketRecord *>(shared + 1);
    for (const std::uint32_t bytes :
         {std::uint32_t{0}, std::uint32_t{200}, static_cast<std::uint32_t>(most_envelope + 1)}) {
        record->bytes = bytes;
        EXPECT_EQ(reader.receive(3, packets, any), PIXMPI_ERR_PEER) << bytes;
    }
    shared->consumed = 1U << 30; // and the other way round: no room is left
    send(1, 100);
    EXPECT_TRUE(rings->holds());
}

TEST_F(PacketRingTest, refuses_rings_that_are_none) {
    const std::uint64_t at = rings->offset(), bytes = rings->ring_bytes();
    EXPECT_FALSE(read_ring(*other, 0, bytes, 0));
    EXPECT_FALSE(read_ring(*other, at + 8, bytes, 0));
    EXPECT_FALSE(read_ring(*other, at, bytes + 1, 0));
    EXPECT_FALSE(read_ring(*other, at, bytes * 1024, 0));
    EXPECT_FALSE(read_ring(*other, std::uint64_t{1} << 20, bytes, 0));
    EXPECT_FALSE(read_ring(*other, at, bytes, 1000));
    EXPECT_FALSE(read_ring(Peer(make_card()), at, bytes, 0)) << "its memory is not mapped";
}

TEST_F(PacketRingTest, stays_until_its_reader_has_left) {
    EXPECT_FALSE(rings->idle());
    reader.leave();
    EXPECT_TRUE(rings->idle());
    const std::size_t in_use = memory.in_use();
    rings.reset();
    EXPECT_LT(memory.in_use(), in_use);
}

TEST(PacketRings, are_none_where_there_is_no_memory) {
    StageMemory memory;
    ASSERT_EQ(memory.open(std::size_t{1} << 20, 77), PIXMPI_SUCCESS);
    EXPECT_EQ(PacketRings(memory, 0).offset(), 0u);
    EXPECT_EQ(PacketRings(memory, 100).offset(), 0u);
    std::size_t offset = 0;
    while (memory.allocate(StageMemory::unit, Claim::speculative, offset))
        ;
    EXPECT_EQ(PacketRings(memory, 1).offset(), 0u);
}
