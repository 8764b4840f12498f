// Redisplays that other threads than the main loop's ask for: which of them become events of a tick, and when.
#include "sync/posts.h"

#include <gtest/gtest.h>

using mpiglut::Event;
using mpiglut::Posts;

namespace {

constexpr int ranks = 3;

class RedisplaysOfThreads : public testing::Test {
  protected:
    void post(int rank, int window = 1) { posts_.add({Event::Kind::redisplay, rank, window}, now_); }
    /// How many redisplays are due.
    std::size_t due() {
        std::vector<Event> input;
        posts_.release(ranks, [this](int rank) { return rank != dead_; }, now_, input);
        return input.size();
    }

    Posts posts_;
    std::int64_t now_ = 0;
    int dead_ = -1;
};

} // namespace

TEST_F(RedisplaysOfThreads, ComeWhenEveryRankHasPosted) {
    post(1), post(0);
    EXPECT_EQ(due(), 0u);
    post(2);
    EXPECT_EQ(due(), 1u);
    EXPECT_EQ(due(), 0u);
}

TEST_F(RedisplaysOfThreads, OfOneTickAreOneForEachWindow) {
    for (int times = 0; times < 3; ++times)
        for (int rank = 0; rank < ranks; ++rank)
            post(rank), post(rank, 2);
    EXPECT_EQ(due(), 2u);
    EXPECT_EQ(due(), 0u);
}

TEST_F(RedisplaysOfThreads, WaitForNoRankForLong) {
    post(0);
    now_ += Posts::longest_wait_ns - 1;
    EXPECT_EQ(due(), 0u);
    ++now_;
    EXPECT_EQ(due(), 1u);
}

/// It has something to show that was not there when the others' came.
TEST_F(RedisplaysOfThreads, ComeOnceMoreForALateRank) {
    post(0), post(1);
    now_ += Posts::longest_wait_ns;
    EXPECT_EQ(due(), 1u);
    post(2);
    EXPECT_EQ(due(), 0u);
    now_ += Posts::longest_wait_ns;
    EXPECT_EQ(due(), 1u);
}

TEST_F(RedisplaysOfThreads, DoWithoutTheDead) {
    dead_ = 1;
    post(0), post(2);
    EXPECT_EQ(due(), 1u);
}
