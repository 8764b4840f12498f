// Messages that the receiver unpacks from the memory of the sender's program, which CUDA maps for it.
#include "rig/cuda_stand_in.h"

#include <cuda_rig_memory.h>
#include <cudampi.h>
#include <test_gpus.h>

#include <fstream>
#include <unistd.h>

using namespace api;

namespace {

int calls(const char *function) { return stand_in<FakeCudaCalls>("fakeCudaCalls")(function); }
int copies() {
    int sum = 0;
    for (const char *function : {"cuMemcpyAsync", "cuMemcpy3DAsync_v2", "cuLaunchKernel"})
        sum += calls(function);
    return sum;
}
bool wanted() {
    if (size == 2 && stand_in<FakeCudaCalls>("fakeCudaCalls"))
        return true;
    leave_out("two ranks and the stand-in are wanted");
    return false;
}
/// Without kernels a list is copied piece by piece.
bool kernels_wanted() {
    if (!wanted())
        return false;
    if (has_kernels())
        return true;
    leave_out("kernels are wanted");
    return false;
}

constexpr int side = 320;

/// A picture of the rank's GPU, whose stream is late.
class Picture {
  public:
    Picture() : memory_(std::make_unique<cuda_rig::Memory>(gpu_, cuda_rig::Kind::device, bytes)), stream_(gpu_) {}
    void make_anew() {
        memory_.reset();
        memory_ = std::make_unique<cuda_rig::Memory>(gpu_, cuda_rig::Kind::device, bytes);
    }
    pixMPI_Surface surface() const {
        return cudaMPI_On_stream(cudaMPI_Memory(memory_->address(), PIXMPI_RGBA8, side, side),
                                 static_cast<CUstream_st *>(stream_.name()));
    }
    Bytes fill(std::uint64_t seed) {
        Bytes pixels = pattern(bytes, seed);
        memory_->write(std::as_bytes(std::span(pixels)), stream_.name());
        return pixels;
    }
    void check(const Bytes &expected) {
        Bytes seen(bytes);
        memory_->read(std::as_writable_bytes(std::span(seen)), stream_.name());
        CHECK_PIXELS(seen, expected, side, 4);
    }

  private:
    static constexpr std::size_t bytes = std::size_t{side} * side * 4;
    const int gpu_ = test_gpus::card_of(rank) % cuda_rig::gpu_count();
    std::unique_ptr<cuda_rig::Memory> memory_;
    const cuda_rig::Stream stream_;
};

/// From rank 0 to rank 1. `packs`: how many copies the sender makes.
void message(Picture &picture, const Shape &from, const Shape &to, std::uint64_t seed, int packs) {
    const Bytes sent = pattern(std::size_t{side} * side * 4, seed);
    Bytes expected = picture.fill(seed + static_cast<std::uint64_t>(rank));
    unpack(expected, side, 4, to, pack(sent, side, 4, from));
    const int before = copies();
    if (rank == 0)
        CHECK_OK(pixMPI_Send(picture.surface(), from, 1, 90, world()));
    else
        CHECK_OK(pixMPI_Recv(picture.surface(), to, 0, 90, world(), MPI_STATUS_IGNORE));
    if (packs >= 0)
        CHECK_EQ(copies() - before, rank == 0 ? packs : 1);
    if (rank == 1)
        picture.check(expected);
}

} // namespace

RANK_CASE(cuda_in_place, nothing_is_packed, 2) {
    if (!kernels_wanted())
        return;
    Picture picture;
    const Shape whole = rectangle(0, 0, side, side), wide = rectangle(5, 3, 160, 120),
                lower = rectangle(32, 70, 160, 120), narrow = rectangle(3, 0, 40, 120),
                across = rectangle(0, 9, 120, 40), list = triangle(0, 0, 0, 0, side);
    message(picture, whole, whole, 1, -1); // the kernels' lists are made, and memory is mapped
    for (std::uint64_t turn = 0; turn < 2; ++turn) {
        const int opened = calls("cuIpcOpenMemHandle_v2");
        const auto packs = [&](int sender) { return turn == 0 ? -1 : sender; };
        message(picture, whole, whole, 10 + turn, 0);
        message(picture, wide, lower, 20 + turn, packs(0));
        message(picture, narrow, across, 30 + turn, -1); // few: it depends on which rank is there first
        message(picture, rectangle(3, 0, 60, side), rectangle(100, 0, 60, side), 40 + turn, packs(0)); // narrow rows
        message(picture, list, list, 50 + turn, packs(1)); // of which a packed copy is shown
        CHECK_EQ(calls("cuIpcOpenMemHandle_v2") - opened, rank == 1 && turn == 0 ? 1 : 0);
    }
}

// CUDA may give it the address of the former one.
RANK_CASE(cuda_in_place, memory_that_is_made_anew, 2) {
    if (!wanted())
        return;
    Picture picture;
    const Shape whole = rectangle(0, 0, side, side);
    const int opened = calls("cuIpcOpenMemHandle_v2");
    for (std::uint64_t turn = 0; turn < 3; ++turn) {
        message(picture, whole, whole, 50 + turn, 0);
        message(picture, whole, whole, 60 + turn, 0);
        picture.make_anew();
    }
    CHECK_EQ(calls("cuIpcOpenMemHandle_v2") - opened, rank == 1 ? 3 : 0);
}

RANK_CASE(cuda_in_place, what_cuda_refuses_is_packed, 2) {
    if (!kernels_wanted())
        return;
    const Shape whole = rectangle(0, 0, side, side), list = triangle(0, 0, 0, 0, side);
    for (const char *function : {"cuIpcGetMemHandle", "cuIpcOpenMemHandle_v2"}) {
        note("%s", function);
        Picture picture;
        stand_in<FakeCudaFail>("fakeCudaFail")(function, 999, 0, 1000);
        message(picture, whole, whole, 70, -1);
        message(picture, whole, whole, 71, 1);
        const int kernels = calls("cuLaunchKernel");
        message(picture, list, list, 72, -1); // packed once
        CHECK_EQ(calls("cuLaunchKernel") - kernels, 1);
        stand_in<FakeCudaHeal>("fakeCudaHeal")();
        barrier();
    }
}

// Each end may be ahead of the other one at any step.
RANK_CASE(cuda_in_place, many_messages, 2) {
    if (!wanted())
        return;
    Picture picture;
    const Shape part = rectangle(7, 9, 200, 100);
    cuda_rig::hurry(1);
    for (std::uint64_t turn = 0; turn < 100; ++turn)
        if (rank == 0)
            NEED_OK(pixMPI_Send(picture.surface(), part, 1, 93, world()));
        else
            NEED_OK(pixMPI_Recv(picture.surface(), part, 0, 93, world(), MPI_STATUS_IGNORE));
    cuda_rig::hurry(0);
}

namespace {

std::size_t resident_bytes() {
    std::size_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Of CUDA's; the library keeps what it has made for later messages.
int objects_made() {
    int sum = 0;
    for (const char *function : {"cuMemAlloc_v2", "cuMemHostAlloc", "cuMemCreate", "cuStreamCreate", "cuEventCreate",
                                 "cuIpcOpenMemHandle_v2", "cuModuleLoadData"})
        sum += stand_in<FakeCudaCalls>("fakeCudaCalls") ? calls(function) : 0;
    return sum;
}

} // namespace

RANK_CASE(cuda_in_place, ten_thousand_messages_leak_nothing, 2) {
    if (size != 2)
        return leave_out("two ranks are wanted");
    Picture picture;
    const Shape shapes[] = {rectangle(0, 0, side, side), rectangle(5, 3, 160, 120), triangle(0, 0, 0, 0, 64),
                            rectangle(1, 2, 20, 20)};
    cuda_rig::hurry(1);
    const auto messages = [&](int count) {
        for (int i = 0; i < count; ++i)
            if (const Shape &shape = shapes[i % 4]; i % 8 == 7)
                NEED_OK(pixMPI_Sendrecv_replace(picture.surface(), shape, 1 - rank, 95, 1 - rank, 95, world(),
                                                MPI_STATUS_IGNORE));
            else if (rank == i / 4 % 2)
                NEED_OK(pixMPI_Send(picture.surface(), shape, 1 - rank, 95, world()));
            else
                NEED_OK(pixMPI_Recv(picture.surface(), shape, 1 - rank, 95, world(), MPI_STATUS_IGNORE));
    };
    messages(1000);
    const int made = objects_made();
    const std::size_t resident = resident_bytes();
    messages(10'000);
    CHECK_EQ(objects_made() - made, 0);
    constexpr std::size_t little = 2 << 20;
    CHECK(resident_bytes() < resident + little);
    cuda_rig::hurry(0);
}

// Each rank's receive overwrites what its send reads.
RANK_CASE(cuda_in_place, pixels_that_are_overwritten, 2) {
    if (!wanted())
        return;
    Picture picture;
    const Shape whole = rectangle(0, 0, side, side), few = rectangle(1, 2, 20, 20);
    for (const Shape &shape : {whole, few}) {
        Bytes pixels = picture.fill(80 + static_cast<std::uint64_t>(rank));
        const Bytes theirs = pattern(pixels.size(), 80 + static_cast<std::uint64_t>(1 - rank));
        unpack(pixels, side, 4, shape, pack(theirs, side, 4, shape));
        CHECK_OK(
            pixMPI_Sendrecv_replace(picture.surface(), shape, 1 - rank, 91, 1 - rank, 91, world(), MPI_STATUS_IGNORE));
        picture.check(pixels);
    }
}

// Rank 1 receives when its send is over, and rank 0's pixels are read before they are overwritten.
RANK_CASE(cuda_in_place, an_exchange_meets_a_send, 2) {
    if (!wanted())
        return;
    Picture picture;
    const Shape whole = rectangle(0, 0, side, side);
    picture.fill(110 + static_cast<std::uint64_t>(rank));
    if (rank == 0) {
        CHECK_OK(pixMPI_Sendrecv_replace(picture.surface(), whole, 1, 94, 1, 94, world(), MPI_STATUS_IGNORE));
    } else {
        CHECK_OK(pixMPI_Send(picture.surface(), whole, 0, 94, world()));
        CHECK_OK(pixMPI_Recv(picture.surface(), whole, 0, 94, world(), MPI_STATUS_IGNORE));
    }
    picture.check(pattern(std::size_t{side} * side * 4, 110 + static_cast<std::uint64_t>(1 - rank)));
}

RANK_CASE(cuda_in_place, to_oneself, 1) {
    Picture one, other;
    const Shape part = rectangle(10, 20, 150, 140);
    const Bytes pixels = one.fill(100);
    Bytes expected = other.fill(101);
    unpack(expected, side, 4, part, pack(pixels, side, 4, part));
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    CHECK_OK(pixMPI_Irecv(other.surface(), part, rank, 92, world(), &request));
    const bool counts = stand_in<FakeCudaCalls>("fakeCudaCalls") && has_kernels();
    const int before = counts ? copies() : 0;
    CHECK_OK(pixMPI_Send(one.surface(), part, rank, 92, world()));
    CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    if (counts)
        CHECK_EQ(copies() - before, 1);
    other.check(expected);
}
