// What may be wrong with endpoints, runs, and what shaders do: an error that says where, and nothing that hangs.
#include "device/device_rig.h"

#include "rig/cases.h"

#include <cstring>

using namespace api;

namespace {

constexpr int slots = 3;

/// Long enough for a driver that compiles a shader in its first dispatch; short where it is waited for.
constexpr double patient = sanitized ? 300 : 60, brief_seconds = 5;

pixMPI_Endpoint_info brief(pixMPI_Device_mode mode, double timeout = brief_seconds) {
    pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
    info.slots = slots;
    info.mode = mode;
    info.budget = 64;
    info.timeout = timeout;
    return info;
}

/// The endpoint serves all the same, on all ranks.
void expect_ring(DeviceRig &rig) {
    rig.use(shaders::ring); // which may compile
    barrier();
    Numbers numbers;
    numbers.rounds = 3;
    numbers.bytes = 20;
    numbers.stride = 24;
    CHECK_OK(rig.run(numbers, slots));
    CHECK_EQ(rig.take_wrong(), 0U);
    CHECK_EQ(rig.take_counted(), static_cast<std::uint32_t>(slots));
}

/// A run that does nothing, and may take too long.
void compile(DeviceRig &rig) {
    Numbers nothing;
    nothing.what = 99;
    (void)rig.run(nothing, slots);
    rig.clear_found();
}

struct Mistake {
    std::uint32_t what;
    int code;
    const char *words;
};
constexpr Mistake mistakes[] = {
    {0, PIXMPI_ERR_RANK, "slot step 2: dest:"},
    {1, PIXMPI_ERR_TAG, "slot step 2: tag: -5"},
    {2, PIXMPI_ERR_ARGUMENT, "slot step 2: window: 9"},
    {3, PIXMPI_ERR_REGION, "slot step 2: window 2147483647 bytes"},
    {4, PIXMPI_ERR_REGION, "slot step 2: window 4294967280"},
    {5, PIXMPI_ERR_RANK, "slot step 2: source: -7"},
    {6, PIXMPI_ERR_RANK, "slot step 2: rank: -1"},
    {7, PIXMPI_ERR_ARGUMENT, "slot step 2: their window: 12"},
    {8, PIXMPI_ERR_REGION, "slot step 2: their window 4294967040"},
    {9, PIXMPI_ERR_ARGUMENT, "slot step 2: signal: 1000"},
    {10, PIXMPI_ERR_ARGUMENT, "slot step 2: signal: 1000"},
    {11, PIXMPI_ERR_ARGUMENT, "slot step 2: words: 5000"},
    {12, PIXMPI_ERR_RANK, "slot step 2: pm_bcast: root: -3"},
    {13, PIXMPI_ERR_ARGUMENT, "slot step 2: pm_allreduce: operation 17"},
    {14, PIXMPI_ERR_TIMEOUT, "slot 2 step 2: waits for message from rank 2 with tag 3"},
    {15, PIXMPI_ERR_TIMEOUT, "slot 2 step 2: waits for signal 1 to reach 3"},
    {16, PIXMPI_ERR_TIMEOUT, "slot 2 step 2: waits for collective"},
    {17, PIXMPI_ERR_ARGUMENT, "slot step 2: info.calls"},
    {18, PIXMPI_ERR_DEVICE, "workgroup 2 PM_END"},
    {19, PIXMPI_ERR_TRUNCATE, "slot 2 step 4: 99 100"},
    {20, PIXMPI_ERR_ARGUMENT, "PM_BEGIN: slot 1000"},
};

} // namespace

namespace {

void make(const Mistake &mistake, pixMPI_Device_mode mode) {
    const bool waits = mistake.code == PIXMPI_ERR_TIMEOUT;
    pixMPI_Endpoint_info info = brief(mode, waits ? brief_seconds : patient);
    info.shared_rings = static_cast<int>(mistake.what % 3); // 0: each workgroup has its own
    note("mode %s, mistake %u, %d shared rings", mode_name(mode), mistake.what, info.shared_rings);
    DeviceRig rig(info, 1 << 14);
    rig.use(shaders::wrong);
    if (waits)
        compile(rig);
    Numbers numbers;
    numbers.what = rank == 0 ? mistake.what : 99;
    std::memset(rig.memory(1), 0x5a, 1 << 14);
    if (rank == 0) {
        CHECK_FAILS(rig.run(numbers, slots), mistake.code, mistake.words);
        const std::uint32_t counted = rig.take_counted(); // the other calls, and that one where it did not wait
        CHECK(counted == 2 || counted == 3);
    } else {
        CHECK_OK(rig.run(numbers, slots));
        CHECK_EQ(rig.take_counted(), 3U);
    }
    bool same = true;
    for (int i = 0; i < 1 << 14; ++i)
        same = same && rig.memory(1)[i] == std::byte{0x5a};
    CHECK(same);
    expect_ring(rig);
}

} // namespace

RANK_CASE(device_errors, of_shaders, 1) {
    for (const pixMPI_Device_mode mode : device_modes)
        for (const Mistake &mistake : mistakes)
            // The host finds most of them in the same way in each mode.
            if (mistake.code != PIXMPI_ERR_TIMEOUT &&
                (mode == PIXMPI_MODE_SUSPENDING || mistake.what % 4 == 3 || mistake.what >= 14))
                make(mistake, mode);
}

/// One of them in each mode, as they take their time.
RANK_CASE(device_timeouts, of_shaders, 1) {
    for (const pixMPI_Device_mode mode : device_modes)
        for (const Mistake &mistake : mistakes)
            if (mistake.code == PIXMPI_ERR_TIMEOUT && mistake.what % 3 == static_cast<std::uint32_t>(mode) % 3)
                make(mistake, mode);
}

RANK_CASE(device_errors, of_options, 1) {
    const std::unique_ptr<DeviceSide> side = DeviceSide::make();
    pixMPI_Endpoint endpoint = PIXMPI_ENDPOINT_NULL;
    const auto create = [&](const pixMPI_Endpoint_info &info) { return side->create(&info, 0, &endpoint); };
    const auto fails = [&](auto change, const char *words) {
        pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
        if (rank == size - 1)
            change(info);
        if (rank == size - 1)
            CHECK_FAILS(create(info), PIXMPI_ERR_ARGUMENT, words);
        else
            CHECK_FAILS(create(info), PIXMPI_ERR_PEER, "has failed");
    };
    fails([](auto &info) { info.slots = -1; }, "info.slots: -1");
    fails([](auto &info) { info.max_groups = 1 << 20; }, "info.max_groups:");
    fails([](auto &info) { info.ring_entries = 12; }, "info.ring_entries: 12 power of two");
    fails([](auto &info) { info.calls = 33; }, "info.calls: 33");
    fails([](auto &info) { info.data_words = 9000; }, "info.data_words: 9000");
    fails([](auto &info) { info.mode = static_cast<pixMPI_Device_mode>(9); }, "info.mode: 9");
    if (size > 1) {
        pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
        info.signals = rank ? 4 : 8;
        CHECK_FAILS(create(info), PIXMPI_ERR_ARGUMENT, "info.signals:");
    }
    CHECK(endpoint == PIXMPI_ENDPOINT_NULL);
    CHECK_FAILS(side->create(nullptr, 0, nullptr), PIXMPI_ERR_ARGUMENT, "endpoint: null");
    CHECK_FAILS(side->create(nullptr, -1, &endpoint), PIXMPI_ERR_ARGUMENT, "window_count: -1");
    CHECK_FAILS(side->create(nullptr, 1, &endpoint), side->is_vulkan() ? PIXMPI_ERR_CONTEXT : PIXMPI_ERR_SURFACE,
                "windows[0]:");
    CHECK_FAILS(pixMPI_Endpoint_free(&endpoint), PIXMPI_ERR_ARGUMENT, "endpoint: null");
    CHECK_FAILS(side->allocate(0, 0), PIXMPI_ERR_ARGUMENT, "bytes: 0");
    CHECK_FAILS(side->free_window(0), side->is_vulkan() ? PIXMPI_ERR_CONTEXT : PIXMPI_ERR_SURFACE, "");
    for (int i = 0; i < PIXMPI_MAX_WINDOWS + 1; ++i)
        side->make_own(i, 64);
    CHECK_FAILS(side->create(nullptr, PIXMPI_MAX_WINDOWS + 1, &endpoint), PIXMPI_ERR_ARGUMENT, "window_count: 17");
    side->check_silence();
}

RANK_CASE(device_errors, of_runs, 1) {
    pixMPI_Endpoint_info info = brief(PIXMPI_MODE_SUSPENDING);
    info.timeout = 20;
    {
        DeviceRig rig(info, 1 << 14);
        rig.use(shaders::wrong);
        Numbers waits;
        waits.what = 14;
        CHECK_FAILS(rig.side->start(Start::blocking, rig.endpoint, nullptr, slots, nullptr), PIXMPI_ERR_ARGUMENT,
                    "kernel: null");
        CHECK_FAILS(rig.irun(waits, slots, nullptr), PIXMPI_ERR_ARGUMENT, "request: null");
        CHECK_FAILS(rig.run(waits, 65), PIXMPI_ERR_ARGUMENT, "groups: 65");
        pixMPI_Request run = PIXMPI_REQUEST_NULL;
        CHECK_OK(rig.irun(waits, slots, &run));
        CHECK_FAILS(rig.run(waits, slots), PIXMPI_ERR_REQUEST, "a run is under way");
        pixMPI_Endpoint busy = rig.endpoint;
        CHECK_FAILS(pixMPI_Endpoint_free(&busy), PIXMPI_ERR_REQUEST, "a run is under way");
        CHECK_OK(pixMPI_Cancel(&run));
        CHECK_FAILS(pixMPI_Wait(&run, MPI_STATUS_IGNORE), PIXMPI_ERR_REQUEST, "cancelled");
        pixMPI_Endpoint foreign = static_cast<pixMPI_Endpoint>(static_cast<void *>(&rig));
        CHECK_FAILS(rig.side->start(Start::blocking, foreign, &waits, slots, nullptr), PIXMPI_ERR_ARGUMENT,
                    "endpoint:");
        CHECK_FAILS(
            pixMPI_Send(pixMPI_Memory(rig.memory(0), PIXMPI_R8, 4, 1), PIXMPI_WHOLE, rig.slots + size, 0, rig.space),
            PIXMPI_ERR_RANK, "dest:");
        expect_ring(rig);
    }
    info.state_words = 16;
    DeviceRig rig(info, 1 << 14);
    rig.use(shaders::wrong);
    CHECK_FAILS(rig.run(Numbers(), slots), PIXMPI_ERR_MEMORY, "info.state_words: 16 112");
}

// Messages that no rank has received, large and small, and receives of the host's on the endpoint's communicator.
RANK_CASE(device_timeouts, freed_with_traffic_under_way, 1) {
    for (const std::uint32_t bytes : {40U, 200000U}) {
        std::vector<std::byte> room(8);
        pixMPI_Request late = PIXMPI_REQUEST_NULL;
        {
            DeviceRig rig(brief(PIXMPI_MODE_SUSPENDING), 1 << 20);
            rig.use(shaders::wrong);
            Numbers numbers;
            numbers.what = 14;
            compile(rig);
            const int next = (rank + 1) % size * slots;
            std::vector<std::byte> sent(bytes);
            pixMPI_Request send = PIXMPI_REQUEST_NULL;
            CHECK_OK(
                pixMPI_Irecv(pixMPI_Memory(room.data(), PIXMPI_R8, 8, 1), PIXMPI_WHOLE, next, 9, rig.space, &late));
            CHECK_OK(pixMPI_Isend(pixMPI_Memory(sent.data(), PIXMPI_R8, static_cast<int>(bytes), 1), PIXMPI_WHOLE, next,
                                  5, rig.space, &send));
            CHECK_FAILS(rig.run(numbers, slots), PIXMPI_ERR_TIMEOUT, "waits for");
            CHECK_OK(pixMPI_Request_free(&send));
            barrier();
        }
        CHECK_FAILS(pixMPI_Wait(&late, MPI_STATUS_IGNORE), PIXMPI_ERR_COMM, "endpoint has been freed");
        DeviceRig rig(brief(PIXMPI_MODE_TIMELINE, patient), 1 << 14);
        expect_ring(rig);
    }
}
