// The mpi route on an MPI that takes pointers to a GPU's memory, or says that it does not: what it is handed, and that
// the pixels arrive. For runs with PIXMPI_ROUTE=mpi and GPUs of test_gpus.h.
#include "gpu_mpi.h"
#include "vk_peer.h"

using namespace api;
using vk_interpose::hand;

namespace {

/// What MPI is handed from here on.
class Handed {
  public:
    Handed() : before_(gpu_mpi::seen()) {}
    /// That these bytes of pixels were sent from a GPU's memory and received into it, if MPI takes that, else from and
    /// into the host's; and no others.
    void check(std::uint64_t sent, std::uint64_t received) const { check(gpu_mpi::takes_gpu_memory(), sent, received); }
    void check(bool gpu, std::uint64_t sent, std::uint64_t received) const {
        const gpu_mpi::Seen now = seen();
        CHECK_EQ(gpu ? now.gpu_sent : now.host_sent, sent);
        CHECK_EQ(gpu ? now.gpu_received : now.host_received, received);
        CHECK_EQ(gpu ? now.host_sent : now.gpu_sent, 0u);
        CHECK_EQ(gpu ? now.host_received : now.gpu_received, 0u);
    }
    gpu_mpi::Seen seen() const {
        const gpu_mpi::Seen now = gpu_mpi::seen();
        return {now.gpu_sent - before_.gpu_sent, now.gpu_received - before_.gpu_received,
                now.host_sent - before_.host_sent, now.host_received - before_.host_received};
    }

  private:
    const gpu_mpi::Seen before_;
};

void fail_cuda(const char *function) { fake_cuda_function<FakeCudaFail>("fakeCudaFail")(function, 2, 0, 1'000'000); }

std::uint64_t half_of_the_memory() { return setting("PIXMPI_PEER", 64 << 20) / 2; }

} // namespace

RANK_CASE(gpu_aware, images, 2) {
    NEED(has_cuda());
    Pictures pictures(need_vulkan());
    const Counted mpi(PIXMPI_ROUTE_MPI);
    pixMPI_Stats before{}, after{};
    CHECK_OK(pixMPI_Get_stats(&before));
    const Handed handed;
    for (int turn = 0; turn < 3; ++turn)
        pictures.pass(turn);
    handed.check(3 * pictures.bytes(), 3 * pictures.bytes());
    CHECK_EQ(mpi.bytes(), 3 * pictures.bytes());
    CHECK_OK(pixMPI_Get_stats(&after));
    CHECK_EQ(after.bytes_copied, before.bytes_copied);
}

RANK_CASE(gpu_aware, many_bands, 2) {
    const Handed handed;
    Pictures pictures(need_vulkan(), 1501);
    for (int turn = 0; turn < 2; ++turn)
        pictures.pass(turn);
    const gpu_mpi::Seen seen = handed.seen();
    CHECK_EQ(seen.gpu_sent + seen.host_sent, 2 * pictures.bytes());
    CHECK_EQ(seen.gpu_received + seen.host_received, 2 * pictures.bytes());
    if (half_of_the_memory() >= pictures.bytes())
        handed.check(2 * pictures.bytes(), 2 * pictures.bytes());
}

RANK_CASE(gpu_aware, other_end_in_host_memory, 2) {
    Pictures pictures(need_vulkan());
    const auto memory = make_memory(PIXMPI_RGBA8, 300, 300);
    const bool gpu = gpu_mpi::takes_gpu_memory();
    const std::uint64_t bytes = pictures.bytes();
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    for (const bool to_host : {true, false}) {
        note(to_host ? "from an image to memory" : "from memory to an image");
        pictures.fill(7);
        const Handed handed;
        if (to_host) {
            CHECK_OK(memory->irecv(PIXMPI_WHOLE, previous_rank(), 2, &request));
            CHECK_OK(vkMPI_Send(pictures.out.surface(), PIXMPI_WHOLE, next_rank(), 2, world(), nullptr));
            NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK_PIXELS(memory->read(), pattern(memory->bytes(), Pictures::seed(previous_rank(), 7)), 300, 4);
        } else {
            memory->fill(Pictures::seed(rank, 7));
            CHECK_OK(memory->isend(PIXMPI_WHOLE, next_rank(), 2, &request));
            CHECK_OK(vkMPI_Recv(pictures.in.surface(), PIXMPI_WHOLE, previous_rank(), 2, world(), MPI_STATUS_IGNORE,
                                nullptr));
            NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
            pictures.check();
        }
        const gpu_mpi::Seen seen = handed.seen();
        CHECK_EQ(seen.gpu_sent, gpu && to_host ? bytes : 0);
        CHECK_EQ(seen.host_sent, gpu && to_host ? 0 : bytes);
        CHECK_EQ(seen.gpu_received, gpu && !to_host ? bytes : 0);
        CHECK_EQ(seen.host_received, gpu && !to_host ? 0 : bytes);
        barrier();
    }
}

RANK_CASE(gpu_aware, regions, 2) {
    // Tiles of one image to a rectangle of another.
    constexpr int edge = 600, tile = 20, tiles = 15;
    vk_rig::Device &device = need_vulkan();
    Pictures pictures(device, edge);
    pixMPI_Region out, in;
    CHECK_OK(pixMPI_Region_strided({0, 0, tile, tile}, tiles, tiles, 2 * tile, 2 * tile, &out));
    CHECK_OK(pixMPI_Region_rect(7, 9, tile * tiles, tile * tiles, &in));
    CHECK_OK(pixMPI_Region_commit(&out));
    CHECK_OK(pixMPI_Region_commit(&in));
    pictures.fill(4);
    const Handed handed;
    NEED_OK(vkMPI_Sendrecv(pictures.out.surface(), out, next_rank(), 1, pictures.in.surface(), in, previous_rank(), 1,
                           world(), MPI_STATUS_IGNORE, nullptr, nullptr));
    const std::uint64_t bytes = std::uint64_t{tile * tiles} * tile * tiles * 4;
    handed.check(bytes, bytes);
    const Bytes sent = pattern(pictures.bytes(), Pictures::seed(previous_rank(), 4));
    Bytes expected = pattern(pictures.bytes(), Pictures::seed(rank, 1004));
    const auto at = [](int x, int y) { return (static_cast<std::size_t>(y) * edge + static_cast<std::size_t>(x)) * 4; };
    for (int packed = 0; packed < tile * tiles * tile * tiles; ++packed) {
        const int which = packed / (tile * tile), within = packed % (tile * tile);
        const int from_x = which % tiles * 2 * tile + within % tile, from_y = which / tiles * 2 * tile + within / tile;
        const int to_x = 7 + packed % (tile * tiles), to_y = 9 + packed / (tile * tiles);
        for (std::size_t i = 0; i < 4; ++i)
            expected[at(to_x, to_y) + i] = sent[at(from_x, from_y) + i];
    }
    CHECK_PIXELS(pictures.in.read(), expected, edge, 4);
    CHECK_OK(pixMPI_Region_free(&out));
    CHECK_OK(pixMPI_Region_free(&in));
}

RANK_CASE(gpu_aware, small_messages, 2) {
    // Up to the eager size they stay on the host, and need no receiver.
    if (eager_setting() < 64 << 10)
        return;
    for (const int edge : {8, 60, 128}) {
        note("%d", edge);
        Pictures pictures(need_vulkan(), edge);
        pictures.fill(3);
        const Handed handed;
        NEED_OK(vkMPI_Send(pictures.out.surface(), PIXMPI_WHOLE, next_rank(), 1, world(), nullptr));
        barrier();
        NEED_OK(
            vkMPI_Recv(pictures.in.surface(), PIXMPI_WHOLE, previous_rank(), 1, world(), MPI_STATUS_IGNORE, nullptr));
        pictures.check();
        const gpu_mpi::Seen seen = handed.seen();
        CHECK_EQ(seen.gpu_sent + seen.gpu_received, 0u);
        CHECK(seen.host_sent >= pictures.bytes());
    }
}

RANK_CASE(gpu_aware, many_at_once, 2) {
    // What finds no room in the GPU's memory takes the host's.
    Fragile fragile;
    constexpr int count = 12, edge = 600;
    const auto tag_seed = [](int of, int i) { return Pictures::seed(of, 50 + i); };
    constexpr std::uint64_t all = std::uint64_t{count} * edge * edge * 4;
    std::vector<std::unique_ptr<VulkanImage>> images;
    std::vector<pixMPI_Request> requests;
    for (int i = 0; i < 2 * count; ++i) {
        images.push_back(std::make_unique<VulkanImage>(*fragile.device, PIXMPI_RGBA8, edge, edge));
        images.back()->fill(i < count ? tag_seed(rank, i) : 1);
    }
    const Handed handed;
    for (int i = 0; i < 2 * count; ++i) {
        const vkMPI_Surface surface = images[static_cast<std::size_t>(i)]->surface();
        requests.push_back(PIXMPI_REQUEST_NULL);
        CHECK_OK(i < count ? vkMPI_Isend(surface, PIXMPI_WHOLE, next_rank(), i, world(), &requests.back(), nullptr)
                           : vkMPI_Irecv(surface, PIXMPI_WHOLE, previous_rank(), i - count, world(), &requests.back(),
                                         nullptr));
    }
    NEED_OK(pixMPI_Waitall(2 * count, requests.data(), MPI_STATUSES_IGNORE));
    for (int i = 0; i < count; ++i)
        CHECK_PIXELS(images[static_cast<std::size_t>(count + i)]->read(),
                     pattern(static_cast<std::size_t>(edge * edge * 4), tag_seed(previous_rank(), i)), edge, 4);
    const gpu_mpi::Seen seen = handed.seen();
    CHECK_EQ(seen.gpu_sent + seen.host_sent, all);
    CHECK_EQ(seen.gpu_received + seen.host_received, all);
    if (gpu_mpi::takes_gpu_memory())
        CHECK(seen.gpu_sent > 0 && seen.gpu_received > 0);
    if (half_of_the_memory() >= 32 << 20)
        handed.check(all, all);
}

RANK_CASE(gpu_aware, unasked_messages_hold_none, 2) {
    // More than there is memory for, and nobody receives them before the last one, which finds all of it.
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

RANK_CASE(gpu_aware, no_memory, 2) {
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
    Fragile fragile;
    Pictures pictures(*fragile.device);
    const Handed handed;
    pictures.pass(4);
    handed.check(pictures.bytes(), pictures.bytes());
    barrier();
}

RANK_CASE(gpu_aware, one_end_has_none, 2) {
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

RANK_CASE(gpu_aware, devices_come_and_go, 2) {
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

RANK_CASE(gpu_aware, refused_messages, 2) {
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

RANK_CASE(gpu_aware, sender_fails, 2) {
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
    Fragile fragile;
    Pictures pictures(*fragile.device);
    const Handed handed;
    pictures.pass(2);
    handed.check(pictures.bytes(), pictures.bytes());
    barrier();
}
