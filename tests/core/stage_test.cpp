#include "stage.h"

#include <gtest/gtest.h>

using namespace pixmpi;

namespace {

class Stages : public testing::TestWithParam<std::size_t> {
  protected:
    void SetUp() override { ASSERT_EQ(memory.open(GetParam(), 1), PIXMPI_SUCCESS); }
    /// Lanes of the largest size until there is no room: how many.
    int fill(Claim claim) {
        int count = 0;
        for (std::size_t offset = 0; memory.take(largest, claim, offset); ++count)
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
        memory.give(offset, largest);
    EXPECT_EQ(fill(Claim::receiving), 3);
    EXPECT_EQ(fill(Claim::speculative), 0);
    EXPECT_EQ(fill(Claim::wanted), 1);
}

TEST_P(Stages, gives_all_of_it_to_who_is_waited_for) {
    EXPECT_EQ(fill(Claim::wanted), 4);
    EXPECT_EQ(fill(Claim::receiving), 0);
}

INSTANTIATE_TEST_SUITE_P(sizes, Stages,
                         testing::Values(std::size_t{1} << 20, std::size_t{1'234'567}, std::size_t{4} << 20,
                                         std::size_t{64} << 20));
