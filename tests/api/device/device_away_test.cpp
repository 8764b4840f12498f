// Processes that do not call the library: what shaders of others do to them happens all the same, or the error says who
// is away.
#include "device/device_rig.h"

#include "rig/cases.h"

#include <pixmpi_collectives.h>

#include <mpi.h>

#include <cstdlib>
#include <string_view>

#include <unistd.h>

using namespace api;

namespace {

pixMPI_Endpoint_info of_slots(int slots, double timeout) {
    pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
    info.slots = slots;
    info.timeout = timeout;
    return info;
}

Numbers numbers_of(std::uint32_t bytes, std::uint32_t what = 0) {
    Numbers numbers;
    numbers.bytes = bytes;
    numbers.odd = 1;
    numbers.stride = bytes + 7;
    numbers.rounds = 2;
    numbers.what = what;
    return numbers;
}

void expect_all_right(DeviceRig &rig, int slots) {
    CHECK_EQ(rig.take_wrong(), 0U);
    CHECK_EQ(rig.take_counted(), static_cast<std::uint32_t>(slots));
}

bool has_rings() {
    const char *const route = std::getenv("PIXMPI_ROUTE");
    return !route || std::string_view(route).substr(0, 3) != "mpi";
}

} // namespace

// The others sleep first, and then wait in MPI until rank 0 has ended. More than finds room in a ring at once, and more
// than travels inside a packet.
RANK_CASE(device_away, in_mpi, 2) {
    if (!has_rings() && threads != MPI_THREAD_MULTIPLE) {
        leave_out("what comes by MPI waits for a call");
        return;
    }
    constexpr int slots = 64;
    for (const std::uint32_t bytes : {1001U, 3001U}) {
        note("%u bytes", bytes);
        const Numbers numbers = numbers_of(bytes);
        DeviceRig rig(of_slots(slots, sanitized ? 300 : 60), std::size_t{numbers.stride} * slots);
        rig.use(shaders::away);
        if (rank == 0) {
            CHECK_OK(rig.run(numbers, slots));
            expect_all_right(rig, slots);
        } else {
            ::usleep(100'000);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

RANK_CASE(device_away, error_says_who, 2) {
    DeviceRig rig(of_slots(1, 1), 1 << 12);
    rig.use(shaders::away);
    barrier(); // the others are out of the library
    if (rank == 0)
        CHECK_FAILS(rig.run(numbers_of(4, 1), 1), PIXMPI_ERR_TIMEOUT,
                    has_rings() ? "step 1: message from rank 1 MPI rank 1 has not called the library pixMPI_Wait"
                                : "step 1: message from rank 1 MPI rank 1 shares no memory pixMPI_Wait");
    MPI_Barrier(MPI_COMM_WORLD);
}

// What only a thread with a graphics context can do waits for it, and is done then.
RANK_CASE(device_away, needs_a_context, 2) {
    const Numbers numbers = numbers_of(333);
    DeviceRig rig(of_slots(1, 1), 1 << 12, DeviceRig::Windows::own_buffers);
    rig.use(shaders::away);
    barrier(); // the others are out of the library
    if (rank == 0)
        CHECK_FAILS(rig.run(numbers, 1), PIXMPI_ERR_TIMEOUT, "step 4: put MPI rank 1");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        rig.clear_found();
        CHECK_OK(rig.run(numbers, 1));
        expect_all_right(rig, 1);
    }
    CHECK_OK(pixMPI_Barrier(world()));
}
