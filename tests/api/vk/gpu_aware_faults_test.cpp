// What can be wrong with a GPU's memory that MPI is handed: the host's serves instead, or the message fails with an
// error, and nothing is left behind.
#include "vk/gpu_aware.h"

using namespace api;
using vk_interpose::hand;

namespace {

void fail_cuda(const char *function) { fake_cuda_function<FakeCudaFail>("fakeCudaFail")(function, 2, 0, 1'000'000); }

/// After what was wrong with others.
void next_device_works() {
    Fragile fragile;
    Pictures pictures(*fragile.device);
    const Handed handed;
    pictures.pass(4);
    handed.check(pictures.bytes(), pictures.bytes());
    barrier();
}

} // namespace

RANK_CASE(gpu_aware_faults, unasked_messages_hold_none, 2) {
    // More than there is memory for. None is received before the last one is sent, which finds all of it.
    Fragile fragile;
    constexpr int count = 6;
    Pictures pictures(*fragile.device, 600), last(*fragile.device, 400);
    pictures.fill(1);
    last.fill(2);
    std::vector<pixMPI_Request> requests(count + 1, PIXMPI_REQUEST_NULL);
    const auto isend = [](VulkanImage &image, int tag, pixMPI_Request &request) {
        CHECK_OK(vkMPI_Isend(image.surface(), PIXMPI_WHOLE, next_rank(), tag, world(), &request, nullptr));
    };
    for (int i = 0; i < count; ++i)
        isend(pictures.out, i, requests[static_cast<std::size_t>(i)]);
    const Handed handed;
    isend(last.out, count, requests.back());
    const auto receive = [](VulkanImage &image, int tag) {
        NEED_OK(vkMPI_Recv(image.surface(), PIXMPI_WHOLE, previous_rank(), tag, world(), MPI_STATUS_IGNORE, nullptr));
    };
    receive(last.in, count);
    NEED_OK(pixMPI_Wait(&requests.back(), MPI_STATUS_IGNORE));
    last.check();
    if (gpu_mpi::takes_gpu_memory()) {
        everywhere(0, true); // before others are asked for
        handed.check(true, last.bytes(), last.bytes());
        barrier();
    }
    for (int i = 0; i < count; ++i) {
        receive(pictures.in, i);
        pictures.check();
        pictures.in.fill(3);
    }
    NEED_OK(pixMPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE));
    barrier();
}

RANK_CASE(gpu_aware_faults, no_memory, 2) {
    // Host memory does, for this device; the next one's is asked for anew.
    for (const char *function : {"cuMemCreate", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess",
                                 "cuMemExportToShareableHandle", "cuMemGetAllocationGranularity"}) {
        note("%s", function);
        Fragile fragile;
        Pictures pictures(*fragile.device);
        const Handed handed;
        fail_cuda(function);
        for (int turn = 0; turn < 2; ++turn)
            pictures.pass(turn);
        heal_cuda();
        pictures.pass(2);
        handed.check(false, 3 * pictures.bytes(), 3 * pictures.bytes());
        barrier();
    }
    {
        note("the driver imports nothing");
        Fragile fragile;
        Pictures pictures(*fragile.device);
        const Handed handed;
        hand("import").fail(VK_ERROR_INVALID_EXTERNAL_HANDLE);
        pictures.pass(3);
        handed.check(false, pictures.bytes(), pictures.bytes());
        barrier();
    }
    next_device_works();
}

RANK_CASE(gpu_aware_faults, one_end_has_none, 2) {
    Fragile fragile;
    Pictures pictures(*fragile.device);
    const Handed handed;
    if (rank == 0)
        fail_cuda("cuMemCreate");
    for (int turn = 0; turn < 2; ++turn)
        pictures.pass(turn);
    handed.check(rank != 0 && gpu_mpi::takes_gpu_memory(), 2 * pictures.bytes(), 2 * pictures.bytes());
    heal_cuda();
    barrier();
}

RANK_CASE(gpu_aware_faults, devices_come_and_go, 2) {
    // What has been handed to MPI is there until it is through.
    std::uint64_t bytes = 0;
    const Handed handed;
    for (int turn = 0; turn < 5; ++turn) {
        note("turn %d", turn);
        Fragile fragile;
        Pictures pictures(*fragile.device);
        pictures.pass(turn);
        fragile.renew_context();
        pictures.pass(turn + 100);
        bytes += 2 * pictures.bytes();
    }
    handed.check(bytes, bytes);
    barrier();
}

RANK_CASE(gpu_aware_faults, refused_messages, 2) {
    // A message that the receiver cannot take leaves nothing behind in the GPU's memory.
    Fragile fragile;
    Pictures pictures(*fragile.device, 500);
    VulkanImage small(*fragile.device, PIXMPI_RGBA8, 300, 300);
    for (int turn = 0; turn < 6; ++turn) {
        note("turn %d", turn);
        pixMPI_Request request;
        pictures.fill(turn);
        CHECK_OK(vkMPI_Isend(pictures.out.surface(), PIXMPI_WHOLE, next_rank(), 1, world(), &request, nullptr));
        CHECK_FAILS(vkMPI_Recv(small.surface(), PIXMPI_WHOLE, previous_rank(), 1, world(), MPI_STATUS_IGNORE, nullptr),
                    PIXMPI_ERR_TRUNCATE, "region expected");
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    const Handed handed;
    pictures.pass(7);
    handed.check(pictures.bytes(), pictures.bytes());
    barrier();
}

RANK_CASE(gpu_aware_faults, sender_fails, 2) {
    // In the middle of a message, with bands in MPI's hands: the receiver is told, and all memory comes back.
    for (const int after : {0, 3}) {
        note("after %d", after);
        Fragile fragile;
        Pictures pictures(*fragile.device, 1100);
        pictures.pass(0);
        barrier();
        pictures.fill(1);
        if (rank == 0) {
            hand("vkGetSemaphoreCounterValue").fail(VK_ERROR_DEVICE_LOST, after);
            CHECK_EQ(vkMPI_Send(pictures.out.surface(), PIXMPI_WHOLE, 1, 1, world(), nullptr), PIXMPI_ERR_DEVICE);
        } else if (rank == 1) {
            CHECK_EQ(vkMPI_Recv(pictures.in.surface(), PIXMPI_WHOLE, 0, 1, world(), MPI_STATUS_IGNORE, nullptr),
                     PIXMPI_ERR_PEER);
        }
        barrier();
    }
    next_device_works();
}

RANK_CASE(gpu_aware_faults, receiver_fails, 2) {
    // It learns nothing any more of the copies that it has begun, and takes all that still comes: the sender gets rid
    // of it.
    Fragile fragile;
    Pictures pictures(*fragile.device, 1500);
    pictures.pass(0);
    barrier();
    pictures.fill(1);
    if (rank == 0) {
        hand("vkGetSemaphoreCounterValue").fail(VK_ERROR_DEVICE_LOST);
        CHECK_EQ(vkMPI_Recv(pictures.in.surface(), PIXMPI_WHOLE, 1, 1, world(), MPI_STATUS_IGNORE, nullptr),
                 PIXMPI_ERR_DEVICE);
    } else if (rank == 1) {
        NEED_OK(vkMPI_Send(pictures.out.surface(), PIXMPI_WHOLE, 0, 1, world(), nullptr));
    }
    barrier();
}
