#include "plain_copy.h"

#include <cstdint>
#include <cstring>
#include <dlfcn.h>

namespace {

struct Uuid {
    std::uint8_t bytes[16];
};
struct IpcHandle {
    char bytes[64];
};

// The names and types of NVIDIA's CUDA Driver API; 0 is success.
struct Cuda {
    int (*cuInit)(unsigned) = nullptr;
    int (*cuDeviceGetCount)(int *) = nullptr;
    int (*cuDeviceGet)(int *, int) = nullptr;
    int (*cuDeviceGetUuid)(Uuid *, int) = nullptr;
    int (*cuDevicePrimaryCtxRetain)(void **, int) = nullptr;
    int (*cuCtxSetCurrent)(void *) = nullptr;
    int (*cuMemAlloc_v2)(std::uint64_t *, std::size_t) = nullptr;
    int (*cuMemFree_v2)(std::uint64_t) = nullptr;
    int (*cuIpcGetMemHandle)(IpcHandle *, std::uint64_t) = nullptr;
    int (*cuIpcOpenMemHandle_v2)(std::uint64_t *, IpcHandle, unsigned) = nullptr;
    int (*cuIpcCloseMemHandle)(std::uint64_t) = nullptr;
    int (*cuMemcpyDtoDAsync_v2)(std::uint64_t, std::uint64_t, std::size_t, void *) = nullptr;
    int (*cuStreamCreate)(void **, unsigned) = nullptr;
    int (*cuStreamSynchronize)(void *) = nullptr;

    bool load() {
        void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        const auto find = [&](auto &function, const char *name) {
            function = library ? reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name)) : nullptr;
            return function != nullptr;
        };
#define FIND(name) find(name, #name)
        return FIND(cuInit) && FIND(cuDeviceGetCount) && FIND(cuDeviceGet) && FIND(cuDeviceGetUuid) &&
               FIND(cuDevicePrimaryCtxRetain) && FIND(cuCtxSetCurrent) && FIND(cuMemAlloc_v2) && FIND(cuMemFree_v2) &&
               FIND(cuIpcGetMemHandle) && FIND(cuIpcOpenMemHandle_v2) && FIND(cuIpcCloseMemHandle) &&
               FIND(cuMemcpyDtoDAsync_v2) && FIND(cuStreamCreate) && FIND(cuStreamSynchronize) && cuInit(0) == 0;
#undef FIND
    }
};

} // namespace

struct PlainCopy::Parts {
    Cuda cuda;
    std::size_t bytes = 0;
    void *stream = nullptr;
    std::uint64_t own = 0, landing = 0, theirs = 0;

    bool open_gpu(const GpuUuid &wanted) {
        int count = 0;
        if (wanted == GpuUuid{} || !cuda.load() || cuda.cuDeviceGetCount(&count) != 0)
            return false;
        for (int i = 0; i < count; ++i) {
            int device = 0;
            Uuid uuid;
            void *context = nullptr;
            if (cuda.cuDeviceGet(&device, i) == 0 && cuda.cuDeviceGetUuid(&uuid, device) == 0 &&
                std::memcmp(uuid.bytes, wanted.data(), wanted.size()) == 0)
                return cuda.cuDevicePrimaryCtxRetain(&context, device) == 0 && cuda.cuCtxSetCurrent(context) == 0;
        }
        return false;
    }
};

PlainCopy::PlainCopy(std::size_t bytes, const Team &team) : parts_(std::make_unique<Parts>()) {
    constexpr unsigned not_blocking = 1, reach_other_gpus = 1;
    Parts &p = *parts_;
    p.bytes = bytes;
    IpcHandle mine{}, previous{};
    bool good = team.ranks > 1 && p.open_gpu(team.api->gpu()) && p.cuda.cuStreamCreate(&p.stream, not_blocking) == 0 &&
                p.cuda.cuMemAlloc_v2(&p.own, bytes) == 0 && p.cuda.cuMemAlloc_v2(&p.landing, bytes) == 0 &&
                p.cuda.cuIpcGetMemHandle(&mine, p.own) == 0;
    const int next = (team.rank + 1) % team.ranks, before = (team.rank + team.ranks - 1) % team.ranks;
    MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, next, 0, &previous, sizeof previous, MPI_BYTE, before, 0, team.comm,
                 MPI_STATUS_IGNORE);
    int all = good;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, team.comm);
    if (all)
        all = p.cuda.cuIpcOpenMemHandle_v2(&p.theirs, previous, reach_other_gpus) == 0;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, team.comm);
    possible_ = all != 0;
}

PlainCopy::~PlainCopy() {
    Parts &p = *parts_;
    if (p.theirs)
        p.cuda.cuIpcCloseMemHandle(p.theirs);
    for (const std::uint64_t memory : {p.own, p.landing})
        if (memory)
            p.cuda.cuMemFree_v2(memory);
}

void PlainCopy::run() {
    Parts &p = *parts_;
    if (p.cuda.cuMemcpyDtoDAsync_v2(p.landing, p.theirs, p.bytes, p.stream) != 0 ||
        p.cuda.cuStreamSynchronize(p.stream) != 0)
        give_up("CUDA: a copy between GPUs failed");
}
