// Which messages MPI is handed a GPU's memory for, and that their pixels arrive.
#include "vk/gpu_aware.h"

using namespace api;

namespace {

/// For what is received; for what is sent there is more.
std::uint64_t gpu_memory() { return setting("PIXMPI_PEER", 64 << 20) / 4; }

} // namespace

RANK_CASE(gpu_aware, images, 2) {
    NEED(has_cuda());
    Pictures pictures(need_vulkan());
    const Counted mpi(PIXMPI_ROUTE_MPI);
    pixMPI_Stats before = PIXMPI_STATS_INIT, after = PIXMPI_STATS_INIT;
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
    if (gpu_memory() >= pictures.bytes())
        handed.check(2 * pictures.bytes(), 2 * pictures.bytes());
}

RANK_CASE(gpu_aware, other_end_in_host_memory, 2) {
    Pictures pictures(need_vulkan());
    const auto memory = make_memory(PIXMPI_RGBA8, 300, 300);
    const bool gpu = gpu_mpi::takes_gpu_memory();
    const std::uint64_t bytes = pictures.bytes();
    for (const bool to_host : {true, false}) {
        note(to_host ? "from an image to memory" : "from memory to an image");
        const Handed handed;
        to_host ? pictures.pass_to(*memory, 7) : pictures.pass_from(*memory, 7);
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
    Crowd crowd(*fragile.device);
    const std::uint64_t all = crowd.bytes();
    const Handed handed;
    crowd.pass();
    const gpu_mpi::Seen seen = handed.seen();
    CHECK_EQ(seen.gpu_sent + seen.host_sent, all);
    CHECK_EQ(seen.gpu_received + seen.host_received, all);
    if (gpu_mpi::takes_gpu_memory())
        CHECK(seen.gpu_sent > 0 && seen.gpu_received > 0);
    if (gpu_memory() >= 32 << 20)
        handed.check(all, all);
}
