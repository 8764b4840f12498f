// More of messages from inside running shaders: orders that a seed says, quiet, calls of invocations and subgroups,
// rings that workgroups share.
#include "device/device_rig.h"

#include "rig/cases.h"

#include <chrono>
#include <thread>

using namespace api;

namespace {

const std::uint32_t seed = device_seed();

/// Drivers compile a shader in its first dispatch, and other tests run at the same time.
constexpr double patient = 100;

pixMPI_Endpoint_info of_slots(pixMPI_Device_mode mode, int slots, int ring_entries = 16, int shared_rings = 0) {
    note("mode %s, %d slots of each rank, rings of %d, %d of them shared, seed %u", mode_name(mode), slots,
         ring_entries, shared_rings, seed);
    pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
    info.mode = mode;
    info.slots = slots;
    info.budget = 64; // lavapipe's threads are the host's cores
    info.timeout = patient;
    info.ring_entries = ring_entries;
    info.shared_rings = shared_rings;
    info.signals = 64;
    return info;
}

void expect_all_right(DeviceRig &rig, const Numbers &numbers, int groups) {
    CHECK_OK(rig.run(numbers, groups));
    CHECK_EQ(rig.take_wrong(), 0U);
    CHECK_EQ(rig.take_counted(), static_cast<std::uint32_t>(groups));
}

} // namespace

RANK_CASE(device_more, random_order, 1) {
    for (const pixMPI_Device_mode mode : device_modes)
        for (const int slots : {3, 8}) {
            Numbers numbers;
            numbers.rounds = 4;
            numbers.what = static_cast<std::uint32_t>(slots);
            numbers.bytes = slots == 3 ? 3000 : 40;
            numbers.stride = numbers.bytes + 8;
            DeviceRig rig(slots == 3 ? of_slots(mode, slots) : of_slots(mode, slots, 2, 1),
                          std::size_t{3} * numbers.stride * numbers.what);
            rig.use(shaders::random);
            for (std::uint32_t i = 0; i < 3; ++i) {
                numbers.seed = seed + i;
                expect_all_right(rig, numbers, slots);
            }
        }
}

RANK_CASE(device_more, quiet, 1) {
    constexpr int slots = 8;
    for (const pixMPI_Device_mode mode : device_modes) {
        Numbers numbers;
        numbers.what = slots;
        numbers.bytes = 2001;
        numbers.odd = 1;
        numbers.stride = 2004;
        numbers.rounds = 3;
        DeviceRig rig(of_slots(mode, slots), std::size_t{2004} * slots);
        rig.use(shaders::quiet);
        expect_all_right(rig, numbers, slots);
    }
}

namespace {

/// Through rings with room for a few of them, or for all.
void calls_of_each(const Shader &shader, pixMPI_Device_mode mode, int slots, bool room) {
    DeviceRig rig(room ? of_slots(mode, slots, 64, 1) : of_slots(mode, slots, 2), 1 << 14);
    rig.use(shader);
    Numbers numbers;
    numbers.rounds = 3;
    numbers.seed = seed;
    numbers.what = static_cast<std::uint32_t>(slots);
    expect_all_right(rig, numbers, slots);
}

} // namespace

RANK_CASE(device_more, calls_of_each_invocation, 1) {
    calls_of_each(shaders::each, PIXMPI_MODE_SUSPENDING, 3, false);
    calls_of_each(shaders::each, PIXMPI_MODE_RUNNING, 1, true);
    calls_of_each(shaders::each, PIXMPI_MODE_TIMELINE, 3, true);
}

RANK_CASE(device_more, calls_of_each_subgroup, 1) {
    if (!all_have_subgroups())
        return;
    calls_of_each(shaders::subgroups, PIXMPI_MODE_SUSPENDING, 3, true);
    calls_of_each(shaders::subgroups, PIXMPI_MODE_RUNNING, 1, false);
}

/// Many workgroups in a few rings, which wrap and are full; a run after one that has failed.
RANK_CASE(device_more, shared_rings, 1) {
    for (const pixMPI_Device_mode mode : device_modes) {
        const int slots = mode == PIXMPI_MODE_SUSPENDING ? 64 : 12, rings = mode == PIXMPI_MODE_RUNNING ? 3 : 1;
        DeviceRig rig(of_slots(mode, slots, 8, rings), 1 << 14);
        Numbers numbers;
        numbers.rounds = 2;
        numbers.seed = seed;
        rig.use(shaders::data);
        expect_all_right(rig, numbers, slots);
        if (mode == PIXMPI_MODE_TIMELINE) {
            rig.use(shaders::wrong);
            CHECK_FAILS(rig.run(Numbers(), slots), PIXMPI_ERR_RANK, "slot step 2: dest:");
            barrier();
        }
        rig.use(shaders::collectives);
        expect_all_right(rig, numbers, slots);
    }
}

/// More signals than there is memory for on their way, to a rank that comes late: the run that sends them waits until
/// all are out of its hands.
RANK_CASE(device_flood, receiver_is_late, 2) {
    constexpr int slots = 4;
    DeviceRig rig(of_slots(PIXMPI_MODE_SUSPENDING, slots), 1 << 14);
    rig.use(shaders::flood);
    Numbers numbers;
    numbers.what = slots;
    numbers.rounds = 6000;
    barrier();
    if (rank == 1)
        std::this_thread::sleep_for(std::chrono::seconds(4));
    expect_all_right(rig, numbers, slots);
    barrier(); // the library is not called meanwhile
}
