// What is refused of CUDA's surfaces, and how; what the driver is asked for; and contexts that the program has made.
#include "rig/cuda_stand_in.h"

#include <cuda_rig_memory.h>
#include <test_gpus.h>

#include <dlfcn.h>

using namespace api;

namespace {

int send(pixMPI_Surface surface) { return cudaMPI_Send(surface, PIXMPI_WHOLE, MPI_PROC_NULL, 1, world()); }

} // namespace

RANK_CASE(cuda_errors, memory, 1) {
    const cuda_rig::Memory memory(0, cuda_rig::Kind::device, 4096);
    std::uint8_t host[64] = {};
    pixMPI_Surface surface = cudaMPI_Memory(memory.address(), PIXMPI_RGBA8, 16, 16);
    CHECK_OK(send(surface));
    CHECK_FAILS(send(cudaMPI_Memory(host, PIXMPI_RGBA8, 4, 4)), PIXMPI_ERR_SURFACE, "surface.data");
    CHECK_FAILS(send(cudaMPI_Memory(nullptr, PIXMPI_RGBA8, 4, 4)), PIXMPI_ERR_SURFACE, "surface.data");
    CHECK_FAILS(send(cudaMPI_Memory(memory.address(), PIXMPI_FORMAT_END, 4, 4)), PIXMPI_ERR_FORMAT, "surface.format");
    CHECK_FAILS(send(cudaMPI_Memory(memory.address(), PIXMPI_RGBA8, -1, 4)), PIXMPI_ERR_SURFACE, "surface.width");
    CHECK_FAILS(send(cudaMPI_Volume(memory.address(), PIXMPI_RGBA8, 1, 1 << 20, 1 << 20)), PIXMPI_ERR_SURFACE,
                "surface.height");
    surface.row_bytes = 63;
    CHECK_FAILS(send(surface), PIXMPI_ERR_SURFACE, "surface.row_bytes");
    CHECK_FAILS(send(pixMPI_Sub(cudaMPI_Memory(memory.address(), PIXMPI_RGBA8, 4, 4), 1, 1, 4, 4)), PIXMPI_ERR_REGION,
                "surface.part");
    surface = cudaMPI_Memory(memory.address(), PIXMPI_RGBA8, 4, 4);
    surface.kind = 9;
    CHECK_FAILS(send(surface), PIXMPI_ERR_SURFACE, "surface.kind");
}

RANK_CASE(cuda_errors, arrays, 1) {
    const cuda_rig::Current current(0);
    const cuda_rig::Array array(0, 8, 8, 1, 4, cuda_rig::ArrayKind::mipmapped);
    const auto named = [&](pixMPI_Format format, int level, int layer) {
        return cudaMPI_Mipmapped(array.name(), format, level, layer);
    };
    CHECK_OK(send(named(PIXMPI_FORMAT_NONE, 1, 2)));
    CHECK_OK(send(named(PIXMPI_RGBA8UI, 1, 2)));
    CHECK_FAILS(send(named(PIXMPI_RGBA16, 1, 2)), PIXMPI_ERR_FORMAT, "surface.format");
    CHECK_FAILS(send(named(PIXMPI_FORMAT_NONE, 2, 0)), PIXMPI_ERR_SURFACE, "level 2");
    CHECK_FAILS(send(named(PIXMPI_FORMAT_NONE, 1, 4)), PIXMPI_ERR_SURFACE, "layer 4");
    CHECK_FAILS(send(cudaMPI_Array(nullptr, PIXMPI_FORMAT_NONE, 0)), PIXMPI_ERR_SURFACE, "surface.data");
}

RANK_CASE(cuda_errors, stream_of_another_gpu, 1) {
    if (cuda_rig::gpu_count() < 2)
        return;
    const cuda_rig::Memory memory(0, cuda_rig::Kind::device, 64);
    const cuda_rig::Stream stream(1);
    CHECK_FAILS(send(cudaMPI_On_stream(cudaMPI_Memory(memory.address(), PIXMPI_RGBA8, 4, 4),
                                       static_cast<CUstream_st *>(stream.name()))),
                PIXMPI_ERR_SURFACE, "GPU 1");
    for (const cuda_rig::Kind kind : {cuda_rig::Kind::managed, cuda_rig::Kind::pinned}) { // which all GPUs reach
        cuda_rig::Memory from(0, kind, 64);
        const cuda_rig::Memory to(0, kind, 64);
        const cuda_rig::Stream own(0);
        const auto named = [&](const cuda_rig::Memory &one) {
            return cudaMPI_On_stream(cudaMPI_Memory(one.address(), PIXMPI_RGBA8, 4, 4),
                                     static_cast<CUstream_st *>(stream.name()));
        };
        const std::vector<std::byte> sent(64, std::byte{0x5a});
        std::vector<std::byte> got(64), scratch(64);
        from.write(sent, own.name());
        from.read(scratch, own.name()); // so it is there
        CHECK_OK(pixMPI_Sendrecv(named(from), PIXMPI_WHOLE, rank, 79, named(to), PIXMPI_WHOLE, rank, 79, world(),
                                 MPI_STATUS_IGNORE));
        to.read(got, own.name());
        CHECK(got == sent);
    }
    CHECK_FAILS(send(cudaMPI_On_stream(cudaMPI_Memory(memory.address(), PIXMPI_RGBA8, 4, 4),
                                       reinterpret_cast<CUstream_st *>(2))),
                PIXMPI_ERR_SURFACE, "default stream of a thread");
}

RANK_CASE(cuda_errors, messages_leave_captures_alone, 1) {
    cuda_rig::Memory from(0, cuda_rig::Kind::device, 4096);
    const cuda_rig::Memory to(0, cuda_rig::Kind::device, 4096);
    cuda_rig::Stream captured(0);
    const cuda_rig::Stream other(0);
    const auto named = [&](const cuda_rig::Memory &memory, const cuda_rig::Stream &stream) {
        return cudaMPI_On_stream(cudaMPI_Memory(memory.address(), PIXMPI_RGBA8, 32, 32),
                                 static_cast<CUstream_st *>(stream.name()));
    };
    const auto exchange = [&](const cuda_rig::Stream &stream) {
        return pixMPI_Sendrecv(named(from, stream), PIXMPI_WHOLE, rank, 78, named(to, other), PIXMPI_WHOLE, rank, 78,
                               world(), MPI_STATUS_IGNORE);
    };
    const std::vector<std::byte> sent(4096, std::byte{0x5a});
    std::vector<std::byte> got(4096);
    from.write(sent, other.name());
    CHECK_OK(exchange(other)); // for memory and the context's objects
    captured.begin_capture();
    CHECK_OK(exchange(other));
    CHECK_FAILS(exchange(captured), PIXMPI_ERR_DEVICE, "captures a graph");
    CHECK(captured.end_capture());
    to.read(got, other.name());
    CHECK(got == sent);
}

RANK_CASE(cuda_errors, released, 1) {
    CHECK_FAILS(cudaMPI_Context_release(), PIXMPI_ERR_CONTEXT, "none is current");
    const cuda_rig::Current current(0);
    const cuda_rig::Memory memory(0, cuda_rig::Kind::device, 64);
    const pixMPI_Surface surface = cudaMPI_Memory(memory.address(), PIXMPI_RGBA8, 4, 4);
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    CHECK_OK(pixMPI_Irecv(surface, PIXMPI_WHOLE, rank, 77, world(), &request));
    CHECK_FAILS(cudaMPI_Context_release(), PIXMPI_ERR_REQUEST, "under way");
    CHECK_OK(pixMPI_Send(surface, PIXMPI_WHOLE, rank, 77, world()));
    CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(cudaMPI_Context_release());
    CHECK_OK(send(surface));
}

RANK_CASE(cuda_errors, no_memory_at_all, 1) {
    CHECK_FAILS(pixMPI_Send(pixMPI_Memory(reinterpret_cast<void *>(0x10000), PIXMPI_RGBA8, 4, 4), PIXMPI_WHOLE,
                            MPI_PROC_NULL, 1, world()),
                PIXMPI_ERR_SURFACE, "expected memory");
}

// Neither end copies once more than it must.
RANK_CASE(cuda_ways, one_copy_at_each_end, 2) {
    const auto calls = stand_in<FakeCudaCalls>("fakeCudaCalls");
    if (!calls || size != 2 || cuda_rig::gpu_count() < 2)
        return leave_out("two ranks and the stand-in's two GPUs are wanted");
    constexpr int side = 160; // one band, beyond what small messages take
    const int gpu = test_gpus::card_of(rank) % cuda_rig::gpu_count();
    cuda_rig::Memory memory(gpu, cuda_rig::Kind::device, side * side * 4);
    const cuda_rig::Stream stream(gpu);
    const pixMPI_Surface surface = cudaMPI_On_stream(cudaMPI_Memory(memory.address(), PIXMPI_RGBA8, side, side),
                                                     static_cast<CUstream_st *>(stream.name()));
    const auto message = [&] {
        if (rank == 0)
            CHECK_OK(pixMPI_Send(surface, PIXMPI_WHOLE, 1, 80, world()));
        else
            CHECK_OK(pixMPI_Recv(surface, PIXMPI_WHOLE, 0, 80, world(), MPI_STATUS_IGNORE));
    };
    message(); // and they know each other's memory
    int copies = 0;
    for (const char *function : {"cuMemcpyAsync", "cuMemcpy3DAsync_v2", "cuLaunchKernel"})
        copies -= calls(function);
    const auto by_peer = [] {
        pixMPI_Stats stats = PIXMPI_STATS_INIT;
        CHECK_OK(pixMPI_Get_stats(&stats));
        return stats.bytes_by_route[PIXMPI_ROUTE_PEER];
    };
    const auto before = by_peer();
    message();
    for (const char *function : {"cuMemcpyAsync", "cuMemcpy3DAsync_v2", "cuLaunchKernel"})
        copies += calls(function);
    CHECK_EQ(copies, 1);
    CHECK_EQ(by_peer() - before, rank == 0 ? std::uint64_t{side} * side * 4 : 0);
}

// The sender's GPU fails while it packs into the receiver's: both ends learn of it, and the next message is right.
RANK_CASE(cuda_ways, a_sender_that_fails_in_the_other_gpu, 2) {
    const auto fail = stand_in<FakeCudaFail>("fakeCudaFail");
    const auto heal = stand_in<FakeCudaHeal>("fakeCudaHeal");
    if (!fail || !heal || size != 2 || cuda_rig::gpu_count() < 2)
        return leave_out("two ranks and the stand-in's two GPUs are wanted");
    constexpr int side = 1024; // several bands
    constexpr std::size_t bytes = std::size_t{side} * side * 4;
    const int gpu = test_gpus::card_of(rank) % cuda_rig::gpu_count();
    cuda_rig::Memory memory(gpu, cuda_rig::Kind::device, bytes);
    const cuda_rig::Stream stream(gpu);
    const pixMPI_Surface surface = cudaMPI_On_stream(cudaMPI_Memory(memory.address(), PIXMPI_RGBA8, side, side),
                                                     static_cast<CUstream_st *>(stream.name()));
    const auto message = [&] {
        return rank == 0 ? pixMPI_Send(surface, PIXMPI_WHOLE, 1, 81, world())
                         : pixMPI_Recv(surface, PIXMPI_WHOLE, 0, 81, world(), MPI_STATUS_IGNORE);
    };
    CHECK_OK(message()); // and they know each other's memory
    for (const char *function : {"cuMemcpyAsync", "cuEventRecord", "cuEventQuery"}) {
        note("%s", function);
        barrier();
        if (rank == 0)
            fail(function, 1, 0, 1);
        const int code = message();
        CHECK_EQ(code, rank == 0 ? PIXMPI_ERR_DEVICE : PIXMPI_ERR_PEER);
        heal();
        barrier();
        memory.write(std::vector<std::byte>(bytes, std::byte(rank == 0 ? 0x5a : 0)), stream.name());
        CHECK_OK(message());
        std::vector<std::byte> got(bytes);
        memory.read(got, stream.name());
        CHECK(got == std::vector<std::byte>(bytes, std::byte{0x5a}));
    }
}

namespace {

/// A context next to the GPU's primary one, with memory.
class OwnContext {
  public:
    OwnContext(int gpu, std::size_t bytes) : bytes_(bytes) {
        int device = 0;
        call<int(int *, int)>("cuDeviceGet", &device, gpu);
        call<int(void **, unsigned, int)>("cuCtxCreate_v2", &context_, 0U, device); // which is current then
        call<int(std::uint64_t *, std::size_t)>("cuMemAlloc_v2", &address_, bytes_);
        pop();
    }
    ~OwnContext() {
        push();
        CHECK_OK(cudaMPI_Context_release());
        call<int(std::uint64_t)>("cuMemFree_v2", address_);
        pop();
        call<int(void *)>("cuCtxDestroy_v2", context_);
    }
    OwnContext(const OwnContext &) = delete;
    OwnContext &operator=(const OwnContext &) = delete;
    static bool possible() { return dlsym(library(), "cuCtxCreate_v2"); }
    void *address() const { return reinterpret_cast<void *>(address_); }
    void write(const Bytes &pixels) {
        push();
        call<int(std::uint64_t, const void *, std::size_t)>("cuMemcpyHtoD_v2", address_, pixels.data(), bytes_);
        pop();
    }
    Bytes read() {
        Bytes pixels(bytes_);
        push();
        call<int(void *, std::uint64_t, std::size_t)>("cuMemcpyDtoH_v2", pixels.data(), address_, bytes_);
        pop();
        return pixels;
    }

  private:
    static void *library() { return dlopen("libcuda.so.1", RTLD_NOW); }
    template <class Function, class... Arguments> static void call(const char *name, Arguments... arguments) {
        NEED(reinterpret_cast<Function *>(dlsym(library(), name))(arguments...) == 0);
    }
    void push() { call<int(void *)>("cuCtxPushCurrent_v2", context_); }
    void pop() {
        void *popped = nullptr;
        call<int(void **)>("cuCtxPopCurrent_v2", &popped);
    }
    const std::size_t bytes_;
    void *context_ = nullptr;
    std::uint64_t address_ = 0;
};

} // namespace

// Contexts of one GPU, within a process and between two.
RANK_CASE(cuda_contexts, next_to_the_primary_one, 1) {
    if (!OwnContext::possible())
        return leave_out("a driver that makes contexts is wanted");
    constexpr int side = 512;
    constexpr std::size_t bytes = std::size_t{side} * side * 4;
    const int gpu = test_gpus::card_of(rank) % cuda_rig::gpu_count(), next = (rank + 1) % size,
              previous = (rank + size - 1) % size;
    OwnContext own(gpu, bytes);
    cuda_rig::Memory primary(gpu, cuda_rig::Kind::device, bytes);
    const pixMPI_Surface of_own = cudaMPI_Memory(own.address(), PIXMPI_RGBA8, side, side),
                         of_primary = cudaMPI_Memory(primary.address(), PIXMPI_RGBA8, side, side);
    const auto read_primary = [&] {
        Bytes pixels(bytes);
        primary.read(std::as_writable_bytes(std::span(pixels)), nullptr);
        return pixels;
    };
    for (const Shape &shape : {rectangle(0, 0, side, side), triangle(0, 0, 0, 0, side)})
        for (std::uint64_t turn = 0; turn < 3; ++turn) {
            const auto seed = [&](int of) { return 100 * turn + static_cast<std::uint64_t>(of); };
            own.write(pattern(bytes, seed(rank)));
            Bytes expected = read_primary();
            unpack(expected, side, 4, shape, pack(pattern(bytes, seed(rank)), side, 4, shape));
            CHECK_OK(pixMPI_Copy(of_own, shape, of_primary, shape));
            CHECK_PIXELS(read_primary(), expected, side, 4);
            CHECK_OK(pixMPI_Sendrecv(of_own, shape, next, 83, of_primary, shape, previous, 83, world(),
                                     MPI_STATUS_IGNORE));
            unpack(expected, side, 4, shape, pack(pattern(bytes, seed(previous)), side, 4, shape));
            CHECK_PIXELS(read_primary(), expected, side, 4);
            Bytes back = own.read();
            CHECK_OK(pixMPI_Sendrecv(of_primary, shape, next, 84, of_own, shape, previous, 84, world(),
                                     MPI_STATUS_IGNORE));
            unpack(back, side, 4, shape, pack(pattern(bytes, seed((previous + size - 1) % size)), side, 4, shape));
            CHECK_PIXELS(own.read(), back, side, 4);
        }
}
