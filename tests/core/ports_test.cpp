// Both ends of a message on each route, with bands of the bytes of their pixels, or of any number.
#include "port_rig.h"

#include "host/host_device.h"
#include "route/route_mpi.h"

#include <gtest/gtest.h>

#include <list>
#include <mpi.h>

using namespace ports;

namespace {

constexpr Place places[] = {Place::host, Place::same_gpu, Place::to_gpu, Place::through_host};

/// Until the receiver has all bands and the sender may go.
void run(Port &sender, Port &receiver, const Shape &shape, const std::vector<std::size_t> &lengths) {
    Packer packer(sender, shape, lengths);
    Unpacker unpacker(receiver, shape, lengths);
    bool over = false;
    for (int turn = 0; !over; ++turn) {
        ASSERT_LT(turn, 1 << 22) << "band " << packer.bands() << " is to be packed, " << unpacker.bands()
                                 << " to be unpacked, of " << shape.bands();
        ASSERT_EQ(packer.step(), PIXMPI_SUCCESS);
        ASSERT_EQ(unpacker.step(), PIXMPI_SUCCESS);
        over = packer.done() && unpacker.done();
        if (over) {
            ASSERT_EQ(sender.over(over), PIXMPI_SUCCESS);
        }
    }
    EXPECT_EQ(unpacker.wrong(), 0u);
}

/// What is in use of shared memory comes back.
class Ports : public testing::Test {
  protected:
    void SetUp() override { before = opened_process().stage.in_use(); }
    void TearDown() override { EXPECT_EQ(opened_process().stage.in_use(), before); }
    std::size_t before = 0;
};

} // namespace

TEST_F(Ports, carry_bands_of_any_length) {
    for (const Place place : places)
        for (const std::size_t band_bytes : {std::size_t{64}, std::size_t{40'000}, std::size_t{262'144}})
            for (const std::uint64_t bands : {1u, 3u, 61u}) {
                SCOPED_TRACE(testing::Message() << name_of(place) << ", " << bands << " bands of up to " << band_bytes);
                const Shape shape = of_any_length(bands, band_bytes);
                ASSERT_EQ(shape.bands(), bands);
                const Ends ends = join(place, shape);
                run(*ends.sender, *ends.receivers.front(), shape, random_lengths(shape, 7));
                EXPECT_EQ(ends.sender->by_peer(), place == Place::same_gpu || place == Place::to_gpu);
            }
}

TEST_F(Ports, carry_bands_of_pixels) {
    constexpr std::uint64_t pixels = 300'001;
    const Shape shape{fit_slots(StageMemory::largest(stage_bytes), 70'001, pixels, 4), pixels, 4};
    const Ends ends = join(Place::host, shape);
    run(*ends.sender, *ends.receivers.front(), shape, {});
}

TEST_F(Ports, refuse_lengths_that_do_not_fit) {
    const Shape shape = of_any_length(3, 4096);
    for (const std::size_t bytes : {std::size_t{0}, shape.plan.slot_bytes + 1}) {
        Ends ends = join(Place::host, shape);
        Packer packer(*ends.sender, shape, {bytes, 1, 1});
        EXPECT_EQ(packer.step(), PIXMPI_ERR_DEVICE);
        ends.receivers.front()->give_up();
        bool over = false;
        ASSERT_EQ(ends.sender->over(over), PIXMPI_SUCCESS);
        EXPECT_TRUE(over);
    }
}

TEST_F(Ports, receivers_refuse_lengths_that_do_not_fit) {
    const Shape shape = of_any_length(3, 4096);
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{shape.plan.slot_bytes + 1}, UINT64_MAX}) {
        Ends ends = join(Place::host, shape);
        Packer packer(*ends.sender, shape, {1, 1, 1});
        ASSERT_EQ(packer.step(), PIXMPI_SUCCESS);
        const StageMap &map = opened_process().stage.map();
        Flow *flow = nullptr;
        for (std::uint32_t i = 0; i < map.flows() && !flow; ++i)
            if (map.flow(i).opened.load() == Flow::slots_here && map.flow(i).packed.load() == 3)
                flow = &map.flow(i);
        ASSERT_TRUE(flow);
        Lengths(map.base + flow->lengths, shape.plan.slots).set(1, bytes);
        Unpacker unpacker(*ends.receivers.front(), shape, {1, 1, 1});
        Status error = PIXMPI_SUCCESS;
        for (int i = 0; i < 10 && !error; ++i)
            error = unpacker.step();
        EXPECT_EQ(error, PIXMPI_ERR_PEER);
        ends.receivers.front()->give_up();
    }
}

TEST_F(Ports, carry_bands_of_any_length_by_mpi) {
    for (const bool waits : {false, true})
        for (const std::uint64_t bands : {1u, 3u, 61u}) {
            SCOPED_TRACE(testing::Message() << bands << " bands, " << (waits ? "after a go" : "at once"));
            const Shape shape = of_any_length(bands, 40'000);
            std::list<HostAllocation> crowd;
            while (waits && crowd.emplace_back().allocate(opened_process().stage, 1, Claim::speculative)) {
            } // an end that finds nothing to spare waits
            const MpiAddress address{MPI_COMM_SELF, 0, static_cast<std::uint32_t>(bands)};
            MpiSender sender(address, opened_process().stage, nullptr, host_device(), shape.plan, bands, false);
            bool said = false;
            ASSERT_EQ(sender.open(said), PIXMPI_SUCCESS);
            EXPECT_EQ(said, waits);
            MpiReceiver receiver(address, opened_process().stage, nullptr, host_device(), shape.plan, shape.pixels,
                                 shape.pixel_bytes, said);
            run(sender, receiver, shape, random_lengths(shape, 8));
        }
}

TEST_F(Ports, receivers_hear_by_mpi_that_the_sender_gave_up) {
    const Shape shape = of_any_length(3, 4096);
    const MpiAddress address{MPI_COMM_SELF, 0, 9};
    MpiSender sender(address, opened_process().stage, nullptr, host_device(), shape.plan, 3, false);
    bool waits = false;
    ASSERT_EQ(sender.open(waits), PIXMPI_SUCCESS);
    MpiReceiver receiver(address, opened_process().stage, nullptr, host_device(), shape.plan, shape.pixels,
                         shape.pixel_bytes, waits);
    sender.give_up();
    Unpacker unpacker(receiver, shape, {1, 1, 1});
    Status error = PIXMPI_SUCCESS;
    for (int i = 0; i < 1000 && !error; ++i)
        error = unpacker.step();
    EXPECT_EQ(error, PIXMPI_ERR_PEER);
}

int main(int argc, char **argv) {
    if (!CudaGpu::possible()) {
        std::fprintf(stderr, "ports: no CUDA, expected its stand-in in LD_LIBRARY_PATH\n");
        return 1;
    }
    MPI_Init(&argc, &argv);
    testing::InitGoogleTest(&argc, argv);
    const int failed = RUN_ALL_TESTS();
    MPI_Finalize();
    return failed;
}
