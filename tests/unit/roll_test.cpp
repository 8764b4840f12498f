// The roll that a rank and its agent share: who lives.
#include "run/roll.h"

#include <gtest/gtest.h>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

using mpiglut::Roll;

namespace {

struct Unmap {
    void operator()(Roll *roll) const { Roll::unmap(roll, 5); }
};
using Held = std::unique_ptr<Roll, Unmap>;
Held held(Roll *roll) { return Held(roll); }

} // namespace

TEST(Roll, TellsTheOtherSideOfADeath) {
    int fd = -1;
    const Held agent = held(Roll::make(5, fd));
    ASSERT_TRUE(agent);
    const Held program = held(Roll::map(fd));
    ASSERT_TRUE(program);
    EXPECT_EQ(program->ranks(), 5);
    EXPECT_EQ(program->deaths(), 0U);
    agent->strike(4, 5);
    agent->strike(5, 5);
    agent->strike(-1, 5);
    EXPECT_EQ(program->deaths(), 1U);
    for (int rank = 0; rank < 5; ++rank)
        EXPECT_EQ(program->deaths(rank), rank == 4 ? 1U : 0U) << rank;
    EXPECT_EQ(program->knocks(), 0U);
    agent->knock(); // it comes back, and dies again
    EXPECT_EQ(program->knocks(), 1U);
    agent->strike(4, 5);
    EXPECT_EQ(program->deaths(4), 2U);
    ::close(fd);
}

TEST(Roll, IsNotAnyMemory) {
    EXPECT_FALSE(held(Roll::map(-1)));
    const int fd = ::memfd_create("other", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(fd, 4096), 0);
    EXPECT_FALSE(held(Roll::map(fd)));
    ::close(fd);
}
