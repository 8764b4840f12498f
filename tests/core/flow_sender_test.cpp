// The sender's end of a message through a flow: when it may go, and what it makes of what the receiver says.
#include "host/host_device.h"
#include "process/process.h"
#include "request/envelope.h"
#include "route/flow_sender.h"
#include "route/mpi_calls.h"

#include <gtest/gtest.h>

#include <unistd.h>

using namespace pixmpi;

namespace {

constexpr std::uint64_t pixels = 100'000;

class FlowSenders : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(memory.open(std::size_t{1} << 20, 77), PIXMPI_SUCCESS);
        auto peer = std::make_shared<Peer>(make_card());
        peer->map(&memory.map());
        FlowAllocation allocation;
        ASSERT_TRUE(allocation.allocate(memory));
        flow = &memory.map().flow(allocation.index());
        std::vector<FlowSender::Receiver> receivers;
        receivers.emplace_back(std::move(allocation), peer);
        const SlotPlan plan = fit_slots(StageMemory::largest(1 << 20), pixels / 4, pixels, 1);
        sender = std::make_unique<FlowSender>(process, std::move(receivers),
                                              FlowSender::Outgoing{host_device(), nullptr, false, plan, pixels});
        bool moved = false;
        ASSERT_EQ(sender->advance(moved), PIXMPI_SUCCESS);
        ASSERT_GT(memory.in_use(), 0u);
    }
    bool is_over() {
        bool yes = false;
        EXPECT_EQ(sender->over(yes), PIXMPI_SUCCESS);
        return yes;
    }
    Process process;
    StageMemory &memory = process.stage;
    Flow *flow = nullptr;
    std::unique_ptr<FlowSender> sender;
};

} // namespace

TEST_F(FlowSenders, that_give_up_go_when_the_receiver_gives_up) {
    sender->give_up();
    EXPECT_FALSE(is_over());
    flow->receiver_gave_up = 1;
    EXPECT_TRUE(is_over());
    sender.reset();
    EXPECT_EQ(memory.in_use(), 0u);
}

TEST_F(FlowSenders, that_give_up_go_when_the_receiver_has_all_that_the_device_has_counted) {
    sender->give_up();
    flow->packed = 4; // by the device, which had all commands
    EXPECT_FALSE(is_over());
    flow->consumed = 4;
    EXPECT_TRUE(is_over());
    sender.reset();
    EXPECT_EQ(memory.in_use(), 0u);
}

TEST_F(FlowSenders, tell_receivers_that_lie) {
    Slot slot;
    bool yes = false;
    ASSERT_EQ(sender->ready(0, slot, yes), PIXMPI_SUCCESS);
    EXPECT_TRUE(yes);
    flow->consumed = UINT64_MAX - 1;
    EXPECT_EQ(sender->ready(0, slot, yes), PIXMPI_ERR_PEER);
}

/// A message of host memory that is never touched, and an allocation that has room for all of it.
class PlannedBands : public testing::Test {
  protected:
    PlanRequest request(int width, int height) {
        pixMPI_Surface named = pixMPI_Memory(reinterpret_cast<void *>(64), PIXMPI_RGBA8, width, height);
        EXPECT_EQ(make_host_surface(named, surface_), PIXMPI_SUCCESS);
        std::shared_ptr<const Region> region;
        EXPECT_EQ(find_region(PIXMPI_WHOLE, surface_->extent, region), PIXMPI_SUCCESS);
        EXPECT_EQ(surface_->device->make_transfer(Direction::pack, surface_, region, transfer_), PIXMPI_SUCCESS);
        return {options, std::size_t{16} << 30, *surface_->device, *transfer_, region->pixels, 4};
    }
    Options options;

  private:
    std::shared_ptr<Surface> surface_;
    std::unique_ptr<Transfer> transfer_;
};

/// A JPEG of part of a row, or of a part of its blocks, is larger and looks worse.
TEST_F(PlannedBands, of_streams_are_whole_rows) {
    for (const auto &[width, rows] : {std::pair{1000, 16}, {50'000, 1}}) { // 16 rows of the second are too many
        const SlotPlan plan = plan_streams(request(width, 3000), PIXMPI_RGBA8, static_cast<std::uint64_t>(width));
        EXPECT_GT(plan.band_pixels, 0u);
        EXPECT_EQ(plan.band_pixels % static_cast<std::uint64_t>(width * rows), 0u) << plan.band_pixels;
    }
}

TEST_F(PlannedBands, are_no_larger_than_mpi_counts) {
    options.band_bytes = std::size_t{3} << 30;
    PlanRequest request = this->request(65'000, 65'000);
    EXPECT_EQ(plan_slots(request).band_pixels * 4, options.band_bytes);
    request.most_band = most_band;
    const SlotPlan plan = plan_slots(request);
    EXPECT_LE(plan.band_pixels * 4, most_band);
    EXPECT_GT(plan.slots, 1u);
    EXPECT_GE(plan.bands(request.pixels).count() * plan.band_pixels, request.pixels);
    MPI_Request none = MPI_REQUEST_NULL;
    char byte = 0;
    for (const std::size_t bytes : {most_band + 1, std::size_t{1} << 32, (std::size_t{1} << 32) + 1}) {
        EXPECT_EQ(mpi::send(MPI_COMM_NULL, &byte, bytes, 0, 0, none), PIXMPI_ERR_MPI);
        EXPECT_EQ(mpi::recv(MPI_COMM_NULL, &byte, bytes, 0, 0, none), PIXMPI_ERR_MPI);
    }
}
