#include "baseline/nccl.h"

#include "baseline/cuda_driver.h"
#include "measure/turns.h"

#include <cstdlib>
#include <dlfcn.h>

namespace {

constexpr int nobody = -1;
constexpr int bytes_of = 0, floats_of = 7, sum_of = 0; // ncclInt8, ncclFloat32, ncclSum

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
    int (*ncclBroadcast)(const void *, void *, std::size_t, int, int, void *, void *) = nullptr;
    int (*ncclAllGather)(const void *, void *, std::size_t, int, void *, void *) = nullptr;
    int (*ncclReduce)(const void *, void *, std::size_t, int, int, int, void *, void *) = nullptr;
    int (*ncclAllReduce)(const void *, void *, std::size_t, int, int, void *, void *) = nullptr;
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
    FIND(ncclBroadcast);
    FIND(ncclAllGather);
    FIND(ncclReduce);
    FIND(ncclAllReduce);
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
    Parts &p = *parts_;
    collective([&] {
        int result = p.nccl.ncclGroupStart();
        if (dest != nobody)
            result |= p.nccl.ncclSend(out(), p.bytes, bytes_of, dest, p.comm, p.stream);
        if (source != nobody)
            result |= p.nccl.ncclRecv(in(), p.bytes, bytes_of, source, p.comm, p.stream);
        return result | p.nccl.ncclGroupEnd();
    });
}

template <class Calls> void Nccl::collective(Calls calls) {
    if (calls() != 0 || parts_->cuda.cuStreamSynchronize(parts_->stream) != 0)
        give_up("NCCL: a message or collective failed");
}

void *Nccl::out(std::size_t at) const { return reinterpret_cast<void *>(parts_->out + at); }
void *Nccl::in(std::size_t at) const { return reinterpret_cast<void *>(parts_->in + at); }

void Nccl::bcast() {
    const Parts &p = *parts_;
    collective([&] { return p.nccl.ncclBroadcast(out(), in(), p.bytes, bytes_of, 0, p.comm, p.stream); });
}

void Nccl::gather(std::size_t bytes) {
    const Parts &p = *parts_;
    collective([&] {
        int result = p.nccl.ncclGroupStart() | p.nccl.ncclSend(out(), bytes, bytes_of, 0, p.comm, p.stream);
        for (int r = 0; team_.rank == 0 && r < team_.ranks; ++r)
            result |= p.nccl.ncclRecv(in(static_cast<std::size_t>(r) * bytes), bytes, bytes_of, r, p.comm, p.stream);
        return result | p.nccl.ncclGroupEnd();
    });
}

void Nccl::scatter(std::size_t bytes) {
    const Parts &p = *parts_;
    collective([&] {
        int result = p.nccl.ncclGroupStart() | p.nccl.ncclRecv(in(), bytes, bytes_of, 0, p.comm, p.stream);
        for (int r = 0; team_.rank == 0 && r < team_.ranks; ++r)
            result |= p.nccl.ncclSend(out(static_cast<std::size_t>(r) * bytes), bytes, bytes_of, r, p.comm, p.stream);
        return result | p.nccl.ncclGroupEnd();
    });
}

void Nccl::allgather(std::size_t bytes) {
    const Parts &p = *parts_;
    collective([&] { return p.nccl.ncclAllGather(out(), in(), bytes, bytes_of, p.comm, p.stream); });
}

void Nccl::alltoall(std::size_t bytes) {
    const Parts &p = *parts_;
    collective([&] {
        int result = p.nccl.ncclGroupStart();
        for (int r = 0; r < team_.ranks; ++r) {
            const std::size_t at = static_cast<std::size_t>(r) * bytes;
            result |= p.nccl.ncclSend(out(at), bytes, bytes_of, r, p.comm, p.stream) |
                      p.nccl.ncclRecv(in(at), bytes, bytes_of, r, p.comm, p.stream);
        }
        return result | p.nccl.ncclGroupEnd();
    });
}

void Nccl::reduce() {
    const Parts &p = *parts_;
    collective([&] {
        return p.nccl.ncclReduce(out(), in(), p.bytes / sizeof(float), floats_of, sum_of, 0, p.comm, p.stream);
    });
}

void Nccl::allreduce() {
    const Parts &p = *parts_;
    collective([&] {
        return p.nccl.ncclAllReduce(out(), in(), p.bytes / sizeof(float), floats_of, sum_of, p.comm, p.stream);
    });
}

void Nccl::send(int dest) { run(dest, nobody); }
void Nccl::receive(int source) { run(nobody, source); }
void Nccl::exchange(int dest, int source) { run(dest, source); }
