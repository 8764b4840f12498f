#include "base/wait.h"

#include "host/host_device.h"
#include "schedule/schedule.h"

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

namespace {

/// A GPU, of which nothing is asked.
class FarDevice final : public pixmpi::Device {
  public:
    FarDevice() { traits_.api = "far"; }
    bool usable() const override { return true; }
    pixmpi::Status make_stage(pixmpi::StageKind, std::byte *, std::size_t, std::unique_ptr<pixmpi::Stage> &) override {
        return pixmpi::fail(PIXMPI_ERR_DEVICE, "no stages");
    }
    pixmpi::Status make_transfer(pixmpi::Direction, std::shared_ptr<pixmpi::Surface>,
                                 std::shared_ptr<const pixmpi::Region>, std::unique_ptr<pixmpi::Transfer> &) override {
        return pixmpi::fail(PIXMPI_ERR_DEVICE, "no transfers");
    }
    pixmpi::Status make_scratch(pixMPI_Format, pixmpi::Extent, std::shared_ptr<pixmpi::Surface> &) override {
        return pixmpi::fail(PIXMPI_ERR_DEVICE, "no scratch memory");
    }
};

std::chrono::microseconds awake_for(const std::shared_ptr<pixmpi::Device> &device) {
    pixmpi::Schedule schedule;
    schedule.name({std::make_shared<pixmpi::Surface>(device, pixmpi::Extent{8, 8}, PIXMPI_RGBA8)}, {});
    return schedule.pause().wait.awake();
}

} // namespace

// A sleep of a collective between GPUs would outlast what it waits for, also while its first step is one of the host.
TEST(Waiting, CollectivesOfGpusStayAwake) {
    EXPECT_GT(awake_for(std::make_shared<FarDevice>()).count(), 0);
    EXPECT_EQ(awake_for(pixmpi::host_device()).count(), 0);
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
