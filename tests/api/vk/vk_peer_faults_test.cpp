// What can go wrong with the memory of GPUs that processes share: the message takes shared memory, or fails with an
// error, and the next one works.
#include "vk/vk_peer.h"
#include "vk/vk_peer_sockets.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace api;
using vk_interpose::hand;

namespace {

constexpr char no_stand_in[] = "the stand-in for CUDA is wanted, which can be made to fail";

bool by_none(int, int) { return false; }

/// Messages on its own device, while something is wrong: they arrive. Where `by_peer` says so for a pair of ranks,
/// the sender's memory is used all the same.
template <class Break> void survives(const char *what, Break break_it, bool (*by_peer)(int, int) = by_none) {
    note("%s", what);
    Fragile fragile;
    Pictures pictures(*fragile.device);
    break_it();
    const Counted peer(PIXMPI_ROUTE_PEER);
    for (int turn = 0; turn < 3; ++turn)
        pictures.pass(turn);
    CHECK_EQ(peer.bytes(), by_peer(rank, next_rank()) ? 3 * pictures.bytes() : 0);
    heal_cuda();
    vk_interpose::heal_all();
    sent_instead = nullptr;
    pictures.pass(3);
    barrier();
}

void fail_cuda(const char *function, int result = 999, int after = 0, int times = 1'000'000) {
    fake_cuda_function<FakeCudaFail>("fakeCudaFail")(function, result, after, times);
}

int pipes_end() {
    int ends[2];
    NEED(pipe2(ends, O_CLOEXEC) == 0);
    close(ends[1]);
    return ends[0];
}
int small_file() {
    const int file = memfd_create("pixmpi-test-gpu-memory", MFD_CLOEXEC);
    NEED(file >= 0 && ftruncate(file, 4096) == 0);
    return file;
}
int closed_one() { return 9999; }
int nothing() { return open("/dev/null", O_RDWR | O_CLOEXEC); }

constexpr struct {
    const char *name;
    int (*make)();
} wrong_ones[] = {
    {"a pipe", pipes_end}, {"a small file", small_file}, {"a closed one", closed_one}, {"/dev/null", nothing}};

} // namespace

RANK_CASE(vk_peer_faults, imports, 2) {
    survives("the driver imports nothing", [] { hand("import").fail(VK_ERROR_INVALID_EXTERNAL_HANDLE); });
    if (test_gpus::count() == 0)
        survives( // with CUDA it has nothing to export
            "the driver exports nothing", [] { hand("export").fail(VK_ERROR_OUT_OF_DEVICE_MEMORY); },
            has_real_cuda() ? takes_peer : by_none);
    survives("the driver has no memory", [] { hand("import").fail(VK_ERROR_OUT_OF_DEVICE_MEMORY); });
    // Without an import a GPU of NVIDIA's has no memory to send from, either.
    survives(
        "rank 0's driver imports nothing",
        [] {
            if (rank == 0)
                hand("import").fail(VK_ERROR_INVALID_EXTERNAL_HANDLE);
        },
        [](int from, int to) {
            return to != 0 && (from != 0 || (!has_cuda() && test_gpus::count() == 0)) && takes_peer(from, to);
        });
}

RANK_CASE(vk_peer_faults, descriptors, 2) {
    for (const auto &[name, make] : wrong_ones)
        survives(
            name,
            [make = make] {
                vk_interpose::descriptor_instead = make;
                if (has_fake_cuda())
                    fake_cuda_function<FakeCudaExport>("fakeCudaExport")(make);
            },
            has_real_cuda() ? takes_peer : by_none); // which makes them itself
}

RANK_CASE(vk_peer_faults, descriptors_on_the_way, 2) {
    for (const auto &[name, make] : wrong_ones)
        survives(name, [make = make] { sent_instead = make; });
}

RANK_CASE(vk_peer_faults, cuda, 2) {
    if (!has_fake_cuda())
        return leave_out(no_stand_in);
    for (const char *function :
         {"cuMemImportFromShareableHandle", "cuMemMap", "cuMemSetAccess", "cuMemAddressReserve", "cuStreamCreate",
          "cuEventCreate", "cuMemExportToShareableHandle", "cuMemGetAllocationGranularity", "cuMemCreate",
          "cuMemHostRegister_v2", "cuMemHostGetDevicePointer_v2"}) {
        note("%s", function);
        Fragile fragile;
        Pictures pictures(*fragile.device);
        fail_cuda(function);
        for (int turn = 0; turn < 2; ++turn)
            pictures.pass(turn);
        heal_cuda();
        pictures.pass(2);
        barrier();
    }
}

RANK_CASE(vk_peer_faults, little_memory, 2) {
    if (!has_fake_cuda())
        return leave_out(no_stand_in);
    const auto limit = [](std::size_t bytes) { fake_cuda_function<FakeCudaLimit>("fakeCudaLimit")(bytes); };
    survives(
        "some memory", [&] { limit(64 << 20); }, takes_peer);
    survives(
        "none", [&] { limit(0); }, on_one_gpu); // the driver's own memory
}

RANK_CASE(vk_peer_faults, one_has_less, 2) {
    // The receiver gets less memory than it hoped for. With large bands and much memory: PIXMPI_BAND, PIXMPI_PEER.
    if (!has_fake_cuda())
        return leave_out(no_stand_in);
    Fragile fragile;
    if (rank == 1) {
        fake_cuda_function<FakeCudaLimit>("fakeCudaLimit")(64 << 20);
        hand("export").fail(VK_ERROR_OUT_OF_DEVICE_MEMORY);
    }
    Pictures pictures(*fragile.device, 3000);
    pixMPI_Request requests[2] = {PIXMPI_REQUEST_NULL, PIXMPI_REQUEST_NULL};
    pictures.fill(1);
    const Counted peer(PIXMPI_ROUTE_PEER);
    if (rank == 1)
        CHECK_OK(vkMPI_Irecv(pictures.in.surface(), PIXMPI_WHOLE, 0, 1, world(), &requests[0], nullptr));
    if (rank == 0)
        CHECK_OK(vkMPI_Isend(pictures.out.surface(), PIXMPI_WHOLE, 1, 1, world(), &requests[1], nullptr));
    NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    if (rank == 1)
        pictures.check();
    if (rank == 0)
        CHECK_EQ(peer.bytes(), takes_peer(0, 1) ? pictures.bytes() : 0);
    heal_cuda();
    barrier();
}

RANK_CASE(vk_peer_faults, copies_between_gpus, 2) {
    // A copy fails in the middle of a message: an error for both ends, and the next message works where CUDA does.
    if (!has_fake_cuda())
        return leave_out(no_stand_in);
    for (const char *function : {"cuMemcpyAsync", "cuEventRecord", "cuEventQuery", "cuStreamSynchronize"})
        for (const int after : {0, 1}) {
            note("%s after %d", function, after);
            Fragile fragile;
            Pictures pictures(*fragile.device, 1000); // several bands
            pictures.pass(0);
            barrier();
            const auto calls = [&] { return fake_cuda_function<FakeCudaCalls>("fakeCudaCalls")(function); };
            const int before = calls();
            fail_cuda(function, 999, after, 1);
            pictures.fill(1);
            const int code = around(pictures.out, pictures.in);
            CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_DEVICE || code == PIXMPI_ERR_PEER);
            if (code == PIXMPI_SUCCESS)
                pictures.check();
            const bool struck = calls() > before + after;
            const bool asked = std::string_view(function) != "cuStreamSynchronize";
            if (asked && after == 0)
                CHECK_EQ(struck, !on_one_gpu(rank, next_rank()));
            if (asked && struck)
                CHECK_EQ(code, PIXMPI_ERR_DEVICE);
            else if (!asked || on_one_gpu(rank, previous_rank()))
                CHECK_EQ(code, PIXMPI_SUCCESS);
            else
                CHECK(code == PIXMPI_ERR_PEER || after > 0);
            heal_cuda();
            barrier();
            pictures.pass(2);
            barrier();
        }
}

RANK_CASE(vk_peer_faults, failing_among_others, 2) {
    // Messages fail, also amid copies to their memory that other messages wait for: no other pixels come to harm.
    Fragile fragile;
    Crowd crowd(*fragile.device);
    crowd.pass();
    int failed = 0;
    for (const int after : {0, 1, 2, 3, 5, 8, 13, 21, 34}) {
        note("vkQueueSubmit after %d", after);
        barrier();
        hand("vkQueueSubmit").fail(VK_ERROR_UNKNOWN, after, 1);
        failed += crowd.pass_or_fail();
        vk_interpose::heal_all();
        barrier();
        crowd.pass();
    }
    CHECK(failed > 0);
}

RANK_CASE(vk_peer_faults, landing_place_is_kept, 3) {
    // A receive fails while its sender still copies to this GPU's memory, where what others send has to wait. With
    // little memory and several bands: PIXMPI_BAND, PIXMPI_PEER.
    constexpr int edge = 1000, of_each = 3, turns = 8;
    Fragile fragile;
    if (rank == 0 && has_fake_cuda()) // its copies end late
        fake_cuda_function<FakeCudaDelay>("fakeCudaDelay")(10'000);
    std::vector<std::unique_ptr<VulkanImage>> images;
    for (int i = 0; i < 2 * of_each; ++i)
        images.push_back(std::make_unique<VulkanImage>(*fragile.device, PIXMPI_RGBA8, edge, edge));
    int failed = 0;
    for (int turn = 0; turn < turns; ++turn) {
        note("turn %d", turn);
        for (int i = 0; i < 2 * of_each; ++i)
            images[static_cast<std::size_t>(i)]->fill(Pictures::seed(rank, i));
        std::vector<pixMPI_Request> requests;
        barrier();
        if (rank == 1)
            hand("vkQueueSubmit").fail(VK_ERROR_UNKNOWN, turn % 2, 1);
        if (rank == 2)
            ::usleep(3000); // all of the memory is rank 0's
        for (int i = 0; i < (rank == 1 ? 2 * of_each : rank < 3 ? of_each : 0); ++i) {
            const vkMPI_Surface surface = images[static_cast<std::size_t>(i)]->surface();
            pixMPI_Request &request = requests.emplace_back(PIXMPI_REQUEST_NULL);
            CHECK_OK(rank == 1 ? vkMPI_Irecv(surface, PIXMPI_WHOLE, i % 2 * 2, i / 2, world(), &request, nullptr)
                               : vkMPI_Isend(surface, PIXMPI_WHOLE, 1, i, world(), &request, nullptr));
        }
        for (std::size_t i = 0; i < requests.size(); ++i) {
            const int code = pixMPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            if (rank != 1)
                CHECK_EQ(code, PIXMPI_SUCCESS);
            else if (code == PIXMPI_SUCCESS)
                CHECK_PIXELS(images[i]->read(),
                             pattern(std::size_t{edge} * edge * 4,
                                     Pictures::seed(static_cast<int>(i % 2) * 2, static_cast<int>(i) / 2)),
                             edge, 4);
            else
                ++failed;
        }
        vk_interpose::heal_all();
        barrier();
    }
    CHECK_EQ(failed, rank == 1 ? turns : 0);
    heal_cuda();
}

RANK_CASE(vk_peer_faults, strangers, 2) {
    // Datagrams on a rank's socket that are not ours.
    survives(
        "nothing yet", [] {}, takes_peer); // drivers keep open what the first message wants
    Socket own;
    Stranger stranger;
    const int file = nothing();
    const Bytes wrong = pattern(56, 3), longer = pattern(900, 4), shorter = pattern(7, 5);
    for (int i = 0; i < 2; ++i)
        CHECK(stranger.send(own, wrong, {file}));
    CHECK(stranger.send(own, wrong, {file, file}));
    CHECK(stranger.send(own, wrong, {}));
    CHECK(stranger.send(own, longer, {file, file, file}));
    CHECK(stranger.send(own, shorter, {file}));
    CHECK(stranger.send(own, {}, {}));
    const int before = open_descriptors();
    survives(
        "strangers", [] {}, takes_peer);
    CHECK(open_descriptors() <= before + 8); // what the driver has kept open, but nothing of the strangers'
    close(file);
}

RANK_CASE(vk_peer_faults, flood, 2) {
    // So many that nothing else fits: no rank waits forever.
    Socket own;
    Stranger stranger;
    int count = 0;
    const int file = nothing();
    Fragile fragile;
    Pictures pictures(*fragile.device);
    while (count < 100'000 && stranger.send(own, pattern(56, 1), {file}))
        ++count;
    barrier();
    pictures.pass(1);
    note("%d datagrams", count);
    pictures.pass(2);
    barrier();
    close(file);
}

RANK_CASE(vk_peer_faults, sockets_gone, 2) {
    {
        Socket own;
        own.shut();
        barrier();
        survives("nobody listens", [] {});
        barrier();
        own.open_again();
    }
    {
        Socket own;
        if (rank == 0)
            own.shut();
        barrier();
        note("rank 0 does not listen");
        {
            Fragile fragile;
            Pictures pictures(*fragile.device);
            for (int turn = 0; turn < 3; ++turn)
                pictures.pass(turn);
            barrier();
        }
        if (rank == 0)
            own.open_again();
        barrier();
    }
    survives(
        "they listen again", [] {}, takes_peer);
}
