#include "nccl.h"

#include "cuda_driver.h"
#include "turns.h"

#include <cstdlib>
#include <dlfcn.h>

namespace {

constexpr int nobody = -1;

/// The names and types of NCCL 2; 0 is success.
struct UniqueId {
    char bytes[128];
};
struct Functions {
    int (*ncclGetUniqueId)(UniqueId *) = nullptr;
    int (*ncclCommInitRank)(void **, int, UniqueId, int) = nullptr;
    int (*ncclCommDestroy)(void *) = nullptr;
    int (*ncclGroupStart)() = nullptr;
    int (*ncclGroupEnd)() = nullptr;
    int (*ncclSend)(const void *, std::size_t, int, int, void *, void *) = nullptr;
    int (*ncclRecv)(void *, std::size_t, int, int, void *, void *) = nullptr;
    const char *(*ncclGetErrorString)(int) = nullptr;
};

} // namespace

struct Nccl::Parts {
    CudaDriver cuda;
    Functions nccl;
    std::size_t bytes = 0;
    std::uint64_t out = 0, in = 0;
    void *stream = nullptr, *comm = nullptr;
};

Nccl::Nccl(std::size_t bytes, const std::string &library, const Team &team)
    : team_(team), parts_(std::make_unique<Parts>()) {
    Parts &p = *parts_;
    p.bytes = bytes;
    problem_ = open(library);
    int all = problem_.empty();
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, team.comm);
    if (!all)
        return;
    UniqueId id{};
    if (team.rank == 0 && p.nccl.ncclGetUniqueId(&id) != 0)
        give_up("NCCL: ncclGetUniqueId fails");
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, team.comm);
    if (const int result = p.nccl.ncclCommInitRank(&p.comm, team.ranks, id, team.rank))
        give_up(std::string("NCCL: ncclCommInitRank: ") + p.nccl.ncclGetErrorString(result));
    problem_ = try_out();
}

Nccl::~Nccl() {
    Parts &p = *parts_;
    if (p.comm) {
        meet(team_);
        p.nccl.ncclCommDestroy(p.comm);
    }
    if (p.stream)
        p.cuda.cuStreamDestroy_v2(p.stream);
    for (const std::uint64_t memory : {p.out, p.in})
        if (memory)
            p.cuda.cuMemFree_v2(memory);
}

std::string Nccl::open(const std::string &library) {
    Parts &p = *parts_;
    setenv("NCCL_NVLS_ENABLE", "0", 1); // a failure of multicast puts GPUs out of service
    void *const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!loaded)
        return "--peer: " + std::string(dlerror());
    bool good = true;
    const auto find = [&](auto &function, const char *name) {
        function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(loaded, name));
        good = good && function;
    };
#define FIND(name) find(p.nccl.name, #name)
    FIND(ncclGetUniqueId);
    FIND(ncclCommInitRank);
    FIND(ncclCommDestroy);
    FIND(ncclGroupStart);
    FIND(ncclGroupEnd);
    FIND(ncclSend);
    FIND(ncclRecv);
    FIND(ncclGetErrorString);
#undef FIND
    if (!good)
        return "--peer: " + library + " is no NCCL 2, expected libnccl.so.2";
    if (!p.cuda.open(team_.api->gpu()))
        return "--peer: NCCL wants CUDA and a GPU of NVIDIA's for each rank";
    good = p.cuda.cuMemAlloc_v2(&p.out, p.bytes) == 0 && p.cuda.cuMemAlloc_v2(&p.in, p.bytes) == 0 &&
           p.cuda.make_stream(p.stream);
    return good ? "" : "--peer: CUDA has no memory for NCCL's messages";
}

/// Whether what the next rank gets is what this one has.
std::string Nccl::try_out() {
    Parts &p = *parts_;
    const int from = (team_.rank + team_.ranks - 1) % team_.ranks;
    const auto value = [](int rank) { return static_cast<unsigned char>(rank % 250 + 3); };
    bool good =
        p.cuda.cuMemsetD8_v2(p.out, value(team_.rank), p.bytes) == 0 && p.cuda.cuMemsetD8_v2(p.in, 0, p.bytes) == 0;
    exchange((team_.rank + 1) % team_.ranks, from);
    for (const std::size_t at : {std::size_t{0}, p.bytes / 2, p.bytes - 1}) {
        unsigned char got = 0;
        good = good && p.cuda.cuMemcpyDtoH_v2(&got, p.in + at, 1) == 0 && got == value(from);
    }
    return good ? "" : "--peer: NCCL brought other bytes than were sent";
}

void Nccl::run(int dest, int source) {
    constexpr int bytes_of = 0; // ncclInt8
    Parts &p = *parts_;
    int result = p.nccl.ncclGroupStart();
    if (dest != nobody)
        result |= p.nccl.ncclSend(reinterpret_cast<void *>(p.out), p.bytes, bytes_of, dest, p.comm, p.stream);
    if (source != nobody)
        result |= p.nccl.ncclRecv(reinterpret_cast<void *>(p.in), p.bytes, bytes_of, source, p.comm, p.stream);
    result |= p.nccl.ncclGroupEnd();
    if (result != 0 || p.cuda.cuStreamSynchronize(p.stream) != 0)
        give_up("NCCL: a message failed");
}

void Nccl::send(int dest) { run(dest, nobody); }
void Nccl::receive(int source) { run(nobody, source); }
void Nccl::exchange(int dest, int source) { run(dest, source); }
