// The death counts that a rank and its agent share: who lives.
#include "run/death_counts.h"

#include <gtest/gtest.h>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

using mpiglut::DeathCounts;

namespace {

struct Unmap {
    void operator()(DeathCounts *death_counts) const { DeathCounts::unmap(death_counts, 5); }
};
using Held = std::unique_ptr<DeathCounts, Unmap>;
Held held(DeathCounts *death_counts) { return Held(death_counts); }

} // namespace

TEST(DeathCounts, TellsTheOtherSideOfADeath) {
    int fd = -1;
    const Held agent = held(DeathCounts::make(5, fd));
    ASSERT_TRUE(agent);
    const Held program = held(DeathCounts::map(fd));
    ASSERT_TRUE(program);
    EXPECT_EQ(program->ranks(), 5);
    EXPECT_EQ(program->deaths(), 0U);
    agent->strike(4, 5);
    agent->strike(5, 5);
    agent->strike(-1, 5);
    EXPECT_EQ(program->deaths(), 1U);
    for (int rank = 0; rank < 5; ++rank)
        EXPECT_EQ(program->deaths(rank), rank == 4 ? 1U : 0U) << rank;
    EXPECT_EQ(program->rejoin_requests(), 0U);
    agent->ask_to_rejoin(); // it comes back, and dies again
    EXPECT_EQ(program->rejoin_requests(), 1U);
    agent->strike(4, 5);
    EXPECT_EQ(program->deaths(4), 2U);
    ::close(fd);
}

TEST(DeathCounts, IsNotAnyMemory) {
    EXPECT_FALSE(held(DeathCounts::map(-1)));
    const int fd = ::memfd_create("other", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(fd, 4096), 0);
    EXPECT_FALSE(held(DeathCounts::map(fd)));
    ::close(fd);
}
