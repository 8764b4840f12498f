#include "stage/stage.h"

#include "process/peer.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

using namespace pixmpi;

namespace {

class Stages : public testing::TestWithParam<std::size_t> {
  protected:
    void SetUp() override { ASSERT_EQ(memory.open(GetParam(), 1), PIXMPI_SUCCESS); }
    /// Allocations of the largest size until there is no room: how many.
    int fill(Claim claim) {
        int count = 0;
        for (std::size_t offset = 0; memory.allocate(largest, claim, offset); ++count)
            offsets.push_back(offset);
        return count;
    }
    StageMemory memory;
    const std::size_t largest = StageMemory::largest(GetParam());
    std::vector<std::size_t> offsets;
};

} // namespace

TEST_P(Stages, leaves_room_for_senders_that_are_waited_for) {
    EXPECT_EQ(fill(Claim::speculative), 2);
    EXPECT_EQ(fill(Claim::receiving), 1);
    EXPECT_EQ(fill(Claim::wanted), 1);
    for (const std::size_t offset : offsets)
        memory.free(offset, largest);
    EXPECT_EQ(fill(Claim::receiving), 3);
    EXPECT_EQ(fill(Claim::speculative), 0);
    EXPECT_EQ(fill(Claim::wanted), 1);
}

TEST_P(Stages, gives_all_of_it_to_who_is_waited_for) {
    EXPECT_EQ(fill(Claim::wanted), 4);
    EXPECT_EQ(fill(Claim::receiving), 0);
}

TEST_P(Stages, keeps_a_quarter_for_lanes_but_for_the_least_that_a_device_needs) {
    const std::size_t all = memory.map().bytes, half = all / 2, quarter = all / 4;
    EXPECT_TRUE(memory.reserve(half));
    EXPECT_TRUE(memory.reserve(quarter - 1));
    EXPECT_FALSE(memory.ran_short());
    EXPECT_FALSE(memory.reserve(quarter));
    EXPECT_TRUE(memory.ran_short());
    EXPECT_FALSE(memory.ran_short());
    EXPECT_TRUE(memory.reserve(quarter, true));
    EXPECT_FALSE(memory.reserve(quarter, true));
    std::size_t offset = 0;
    EXPECT_TRUE(memory.ran_short());
    EXPECT_FALSE(memory.allocate(1, Claim::wanted, offset));
    EXPECT_TRUE(memory.ran_short());
    memory.release(half);
    EXPECT_TRUE(memory.allocate(1, Claim::wanted, offset));
    EXPECT_LE(memory.most_in_use(), all);
}

INSTANTIATE_TEST_SUITE_P(sizes, Stages,
                         testing::Values(std::size_t{1} << 20, std::size_t{1'234'567}, std::size_t{4} << 20,
                                         std::size_t{64} << 20));

namespace {

/// What this process would say of the memory to another one.
Card card_of(int descriptor, std::size_t bytes, std::uint64_t owner) {
    Card card{};
    card.pid = getpid();
    card.id = owner;
    card.stage_descriptor = descriptor;
    card.stage_bytes = bytes;
    return card;
}

bool can_map(const Card &card) { return Peer(card).map(nullptr); }

} // namespace

TEST(SharedStage, keeps_its_size) {
    StageMemory memory;
    ASSERT_EQ(memory.open(std::size_t{1} << 20, 77), PIXMPI_SUCCESS);
    for (const off_t size : {0, 4096, 2 << 20}) {
        EXPECT_EQ(ftruncate(memory.descriptor(), size), -1);
        EXPECT_EQ(errno, EPERM);
    }
    EXPECT_TRUE(can_map(card_of(memory.descriptor(), memory.map().bytes, 77)));
    EXPECT_FALSE(can_map(card_of(memory.descriptor(), memory.map().bytes, 78)));
    EXPECT_FALSE(can_map(card_of(memory.descriptor(), memory.map().bytes / 2, 77)));
}

TEST(SharedStage, is_not_mapped_when_its_owner_could_cut_it_off) {
    StageMemory memory;
    ASSERT_EQ(memory.open(std::size_t{1} << 20, 77), PIXMPI_SUCCESS);
    const std::size_t bytes = memory.map().bytes;
    for (const int seals : {0, F_SEAL_GROW, F_SEAL_SHRINK, F_SEAL_GROW | F_SEAL_SHRINK}) {
        const int copy = memfd_create("stage_test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        ASSERT_EQ(write(copy, memory.map().base, bytes), static_cast<ssize_t>(bytes));
        ASSERT_EQ(fcntl(copy, F_ADD_SEALS, seals), 0);
        EXPECT_EQ(can_map(card_of(copy, bytes, 77)), seals == (F_SEAL_GROW | F_SEAL_SHRINK)) << seals;
        close(copy);
    }
}

TEST(SharedStage, header_is_read_once) {
    StageMemory memory;
    ASSERT_EQ(memory.open(std::size_t{1} << 20, 77), PIXMPI_SUCCESS);
    const Card card = card_of(memory.descriptor(), memory.map().bytes, 77);
    auto &header = *reinterpret_cast<StageHeader *>(memory.map().base);
    const std::uint32_t flows = header.flows;
    Peer peer(card);
    ASSERT_TRUE(peer.map(nullptr));
    header.flows = 1'000'000;
    EXPECT_EQ(peer.stage().flows(), flows);
    EXPECT_EQ(memory.map().flows(), flows);
    EXPECT_FALSE(can_map(card));
}

TEST(GpuMemories, numbers_are_not_used_again) {
    GpuMemories memories;
    std::uint32_t last = 0;
    const std::uint32_t first = memories.add(last);
    EXPECT_EQ(first, 1u);
    for (int i = 0; i < 1000; ++i) {
        const std::uint32_t next = memories.add(last);
        ASSERT_TRUE(memories.has(next));
        memories.remove(next);
        EXPECT_FALSE(memories.has(next));
        EXPECT_TRUE(memories.has(first)) << i;
    }
    memories.remove(first);
    std::vector<std::uint32_t> all;
    while (const std::uint32_t next = memories.add(last))
        all.push_back(next);
    EXPECT_EQ(all.size(), GpuMemories::most);
    EXPECT_FALSE(memories.has(first));
    memories.remove(all[100]);
    EXPECT_TRUE(memories.has(all[99]));
    const std::uint32_t next = memories.add(last);
    EXPECT_NE(next, 0u);
    EXPECT_NE(next, all[100]);
    last = UINT32_MAX - 1;
    memories.remove(all[5]);
    EXPECT_NE(memories.add(last), 0u);
}
