// Messages from inside running shaders: every call, in all modes, over ranks, slots and workgroups.
#include "device/device_rig.h"

#include "rig/cases.h"

using namespace api;

namespace {

const std::uint32_t seed = device_seed();

/// Body once for each mode and number of slots of a rank.
template <class Body> void in_all_modes(std::initializer_list<int> slot_counts, Body body) {
    for (const pixMPI_Device_mode mode : device_modes)
        for (const int slots : slot_counts) {
            note("mode %s, %d slots of each rank, seed %u", mode_name(mode), slots, seed);
            pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
            info.mode = mode;
            info.slots = slots;
            info.budget = 64; // lavapipe's threads are the host's cores
            body(info, slots);
        }
}

void expect_all_right(DeviceRig &rig, int groups) {
    CHECK_EQ(rig.take_wrong(), 0U);
    CHECK_EQ(rig.take_counted(), static_cast<std::uint32_t>(groups));
}

/// Messages of whole pixels, up to the windows' last one.
void ring_in(DeviceRig::Windows windows) {
    constexpr int slots = 2;
    constexpr std::uint32_t stride = 1008;
    for (const pixMPI_Device_mode mode : device_modes) {
        note("mode %s", mode_name(mode));
        pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
        info.mode = mode;
        info.slots = slots;
        info.budget = 64;
        DeviceRig rig(info, slots * stride, windows);
        rig.use(shaders::ring);
        Numbers numbers;
        numbers.bytes = 1000;
        numbers.odd = 8;
        numbers.stride = stride;
        numbers.rounds = 5;
        CHECK_OK(rig.run(numbers, slots));
        expect_all_right(rig, slots);
    }
}

} // namespace

RANK_CASE(device, ring, 1) {
    in_all_modes({1, 3, 8}, [](const pixMPI_Endpoint_info &info, int slots) {
        constexpr std::size_t window = 1 << 20;
        DeviceRig rig(info, window);
        rig.use(shaders::ring);
        for (const auto &[bytes, odd] : {std::pair{1U, 0U}, {7U, 3U}, {256U, 1U}, {5001U, 2U}, {120000U, 3U}}) {
            Numbers numbers;
            numbers.bytes = bytes;
            numbers.odd = odd;
            numbers.stride = (bytes + odd + 3) / 4 * 4;
            numbers.rounds = bytes > 10000 ? 2 : 12;
            numbers.seed = seed;
            note("mode %s, %d slots, %u bytes from %u on, seed %u", mode_name(info.mode), slots, bytes, odd, seed);
            CHECK_OK(rig.run(numbers, slots));
            expect_all_right(rig, slots);
        }
    });
}

RANK_CASE(device, ring_in_own_buffers, 1) { ring_in(DeviceRig::Windows::own_buffers); }

RANK_CASE(device, ring_in_windows_of_pixels, 1) { ring_in(DeviceRig::Windows::pixels); }

RANK_CASE(device, data_with_wildcards, 1) {
    in_all_modes({1, 4, 64}, [](pixMPI_Endpoint_info info, int slots) {
        info.ring_entries = 2; // so that rings wrap and are full
        DeviceRig rig(info, 1 << 14);
        rig.use(shaders::data);
        Numbers numbers;
        numbers.rounds = slots > 8 ? 4 : 30;
        numbers.seed = seed;
        CHECK_OK(rig.run(numbers, slots));
        expect_all_right(rig, slots);
    });
}

RANK_CASE(device, one_sided, 1) {
    in_all_modes({1, 2, 8}, [](const pixMPI_Endpoint_info &info, int slots) {
        DeviceRig rig(info, 1 << 20);
        rig.use(shaders::one_sided);
        Numbers numbers;
        numbers.what = static_cast<std::uint32_t>(slots);
        for (const auto &[bytes, odd] : {std::pair{4U, 0U}, {101U, 3U}, {70001U, 1U}}) {
            numbers.bytes = bytes;
            numbers.odd = odd;
            numbers.stride = (bytes + odd + 3) / 4 * 4;
            numbers.rounds = bytes > 10000 ? 2 : 8;
            // Signals count on from run to run: a new endpoint for each size.
            DeviceRig fresh(info, 1 << 20);
            fresh.use(shaders::one_sided);
            CHECK_OK(fresh.run(numbers, slots));
            expect_all_right(fresh, slots);
        }
    });
}

RANK_CASE(device, collectives, 1) {
    in_all_modes({1, 5}, [](const pixMPI_Endpoint_info &info, int slots) {
        for (const int groups : {1, 5, 64}) {
            if (groups < slots)
                continue;
            DeviceRig rig(info, 1 << 14);
            rig.use(shaders::collectives);
            Numbers numbers;
            numbers.rounds = groups > 8 ? 2 : 10;
            note("mode %s, %d slots, %d workgroups", mode_name(info.mode), slots, groups);
            CHECK_OK(rig.run(numbers, groups));
            expect_all_right(rig, groups);
        }
    });
}

RANK_CASE(device, nonblocking, 1) {
    in_all_modes({1, 3}, [](const pixMPI_Endpoint_info &info, int slots) {
        DeviceRig rig(info, 1 << 16);
        rig.use(shaders::nonblocking);
        Numbers numbers;
        numbers.bytes = 777;
        numbers.odd = 1;
        numbers.stride = 800;
        numbers.rounds = 10;
        CHECK_OK(rig.run(numbers, slots));
        expect_all_right(rig, slots);
    });
}

RANK_CASE(device, host_ranks, 1) {
    in_all_modes({1, 3}, [](const pixMPI_Endpoint_info &info, int slots) {
        constexpr std::uint32_t rounds = 4, bytes = 333, from = 100;
        DeviceRig rig(info, 1 << 16);
        rig.use(shaders::host);
        Numbers numbers;
        numbers.bytes = bytes;
        numbers.odd = 2;
        numbers.stride = 400;
        numbers.rounds = rounds;
        numbers.seed = seed;
        pixMPI_Request running = PIXMPI_REQUEST_NULL;
        CHECK_OK(rig.irun(numbers, slots, &running));
        const auto byte_at = [](std::uint32_t who, std::uint32_t turn, std::uint32_t i) {
            std::uint32_t x = seed + who * 7919 + turn * 104729 + i;
            x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
            return static_cast<std::uint8_t>(x ^ x >> 16);
        };
        const int before = (rank + size - 1) % size;
        std::vector<std::uint8_t> out(bytes), in(bytes);
        for (std::uint32_t turn = 0; turn < rounds; ++turn)
            for (int slot = 0; slot < slots; ++slot) {
                const auto who = static_cast<std::uint32_t>(slot);
                for (std::uint32_t i = 0; i < bytes; ++i)
                    out[i] = byte_at(who, turn, i);
                CHECK_OK(pixMPI_Send(pixMPI_Memory(out.data(), PIXMPI_R8, bytes, 1), PIXMPI_WHOLE, rig.first + slot,
                                     slot, rig.space));
                MPI_Status status;
                int64_t count = 0;
                CHECK_OK(pixMPI_Probe(MPI_ANY_SOURCE, 50 + slot, rig.space, &status));
                CHECK_OK(pixMPI_Recv(pixMPI_Memory(in.data(), PIXMPI_R8, bytes, 1), PIXMPI_WHOLE,
                                     turn % 2 ? MPI_ANY_SOURCE : before * slots + slot, 50 + slot, rig.space, &status));
                CHECK_OK(pixMPI_Get_count(&status, PIXMPI_R8, &count));
                CHECK_EQ(status.MPI_SOURCE, before * slots + slot);
                CHECK_EQ(count, bytes);
                bool same = true;
                for (std::uint32_t i = 0; i < bytes; ++i)
                    same = same && in[i] == byte_at(who + from, turn, i);
                CHECK(same);
            }
        CHECK_OK(pixMPI_Wait(&running, MPI_STATUS_IGNORE));
        expect_all_right(rig, slots);
    });
}

// From a host's memory into an image, from there into an image of another slot, and from there into memory.
RANK_CASE(device, images_as_windows, 1) {
    for (const pixMPI_Device_mode mode : {PIXMPI_MODE_SUSPENDING, PIXMPI_MODE_TIMELINE}) {
        constexpr int width = 19, height = 13;
        pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
        info.mode = mode;
        DeviceRig rig(info, 4096, width, height);
        rig.use(shaders::images);
        Numbers numbers;
        numbers.bytes = 4 * width * height;
        const auto picture_of = [](int of) {
            return pattern(4 * width * height, seed + static_cast<std::uint64_t>(of));
        };
        const int before = (rank + size - 1) % size;
        Bytes out = picture_of(rank), in(out.size());
        for (const std::uint32_t what : {0U, 1U}) {
            numbers.what = what;
            pixMPI_Request run = PIXMPI_REQUEST_NULL;
            CHECK_OK(rig.irun(numbers, 1, &run));
            CHECK_OK(pixMPI_Send(pixMPI_Memory(out.data(), PIXMPI_RGBA8, width, height), PIXMPI_WHOLE, rig.first, 1,
                                 rig.space));
            CHECK_OK(pixMPI_Recv(pixMPI_Memory(in.data(), PIXMPI_RGBA8, width, height), PIXMPI_WHOLE, before, 3,
                                 rig.space, MPI_STATUS_IGNORE));
            if (what == 0)
                CHECK_OK(pixMPI_Wait(&run, MPI_STATUS_IGNORE));
            else
                CHECK_FAILS(pixMPI_Wait(&run, MPI_STATUS_IGNORE), PIXMPI_ERR_REGION,
                            "step 6: window 1 all of its pixels");
            CHECK_EQ(rig.take_counted(), 1U - what);
            CHECK(in == picture_of((before + size - 1) % size));
            CHECK(rig.images[0]->read() == out);
            CHECK(rig.images[1]->read() == picture_of(before));
        }
        barrier();
    }
}

RANK_CASE(device, persistent_and_many_suspensions, 1) {
    for (const pixMPI_Device_mode mode : {PIXMPI_MODE_SUSPENDING, PIXMPI_MODE_TIMELINE}) {
        constexpr int slots = 4;
        constexpr std::uint32_t rounds = 200, starts = 3;
        pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
        info.mode = mode;
        info.slots = slots;
        DeviceRig rig(info, 1 << 14);
        rig.use(shaders::ring);
        Numbers numbers;
        numbers.rounds = rounds;
        numbers.bytes = 8;
        numbers.stride = 16;
        pixMPI_Request run = PIXMPI_REQUEST_NULL;
        CHECK_OK(rig.run_init(numbers, slots, &run));
        for (std::uint32_t i = 0; i < starts; ++i) {
            CHECK_OK(pixMPI_Start(&run));
            CHECK_OK(pixMPI_Wait(&run, MPI_STATUS_IGNORE));
            expect_all_right(rig, slots);
        }
        CHECK(rig.stats().suspensions > std::uint64_t{starts} * rounds);
        CHECK_OK(pixMPI_Request_free(&run));
    }
}
