#include "base/wait.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

using pixmpi::Wait;

namespace {

long voluntary_switches() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

constexpr int past_spinning = 1000; // more steps than any spinning and yielding takes

} // namespace

TEST(Waiting, SleepsWhenNothingComes) {
    Wait wait(std::chrono::microseconds(50));
    for (int i = 0; i < past_spinning; ++i)
        wait.pause();
    const long before = voluntary_switches();
    for (int i = 0; i < 100; ++i)
        wait.pause();
    EXPECT_GE(voluntary_switches() - before, 90) << "a wait in vain must leave the core to others";
}

TEST(Waiting, StartsWithoutSleeping) {
    Wait wait;
    const long before = voluntary_switches();
    for (int i = 0; i < 10; ++i)
        wait.pause();
    EXPECT_LE(voluntary_switches() - before, 1);
}

TEST(Waiting, StartsAgainFromTheTopAfterReset) {
    Wait wait(std::chrono::microseconds(50));
    for (int i = 0; i < past_spinning; ++i)
        wait.pause();
    const auto before_reset = std::chrono::steady_clock::now();
    wait.reset();
    const auto waited = wait.waited();
    EXPECT_LE(waited, std::chrono::steady_clock::now() - before_reset);
    const long before = voluntary_switches();
    for (int i = 0; i < 10; ++i)
        wait.pause();
    EXPECT_LE(voluntary_switches() - before, 1);
}

TEST(Waiting, EndsASleepWhenTheDescriptorIsReadable) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    // Sleeps double or so each time: without the descriptor these would go on for hours, and the test would time out.
    Wait wait(std::chrono::hours(1));
    for (int i = 0; i < past_spinning; ++i)
        wait.pause(ends[0]);
    EXPECT_GT(wait.waited().count(), 0);
    close(ends[0]);
    close(ends[1]);
}

TEST(Waiting, SleepsNoLongerThanAllowed) {
    Wait wait(std::chrono::hours(1));
    for (int i = 0; i < past_spinning; ++i)
        wait.pause(-1, std::chrono::microseconds(10)); // likewise
    EXPECT_GT(wait.waited().count(), 0);
}

TEST(Waiting, SurvivesAClosedDescriptor) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    close(ends[0]);
    close(ends[1]);
    Wait wait(std::chrono::microseconds(10));
    for (int i = 0; i < past_spinning; ++i)
        wait.pause(ends[0]);
}

class WaitingRanks : public testing::TestWithParam<int> {};

TEST_P(WaitingRanks, TwoThreadsTakeTurns) {
    pixmpi::set_local_ranks(GetParam());
    std::atomic<int> turn{0};
    const auto play = [&](int me) {
        for (int i = 0; i < 500; ++i) {
            for (Wait wait; turn.load() % 2 != me; wait.pause()) {
            }
            ++turn;
        }
    };
    std::thread other(play, 1);
    play(0);
    other.join();
    EXPECT_EQ(turn.load(), 1000);
    pixmpi::set_local_ranks(1);
}

INSTANTIATE_TEST_SUITE_P(Waiting, WaitingRanks, testing::Values(-1, 1, 100000));
