#include "plain_copy.h"

#include "turns.h"

#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <vector>

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
    int (*cuStreamDestroy_v2)(void *) = nullptr;

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
               FIND(cuMemcpyDtoDAsync_v2) && FIND(cuStreamCreate) && FIND(cuStreamSynchronize) &&
               FIND(cuStreamDestroy_v2) && cuInit(0) == 0;
#undef FIND
    }
};

} // namespace

struct PlainCopy::Parts {
    Cuda cuda;
    std::size_t bytes = 0;
    std::uint64_t own = 0;
    /// Of one other rank's memory.
    struct Copy {
        std::uint64_t landing = 0, theirs = 0;
        void *stream = nullptr;
    };
    std::vector<Copy> copies;

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

    bool make_memory() {
        constexpr unsigned not_blocking = 1;
        bool good = cuda.cuMemAlloc_v2(&own, bytes) == 0;
        for (Copy &copy : copies)
            good = good && cuda.cuMemAlloc_v2(&copy.landing, bytes) == 0 &&
                   cuda.cuStreamCreate(&copy.stream, not_blocking) == 0;
        return good;
    }
};

PlainCopy::PlainCopy(std::size_t bytes, const Team &team, int sources)
    : team_(team), parts_(std::make_unique<Parts>()) {
    constexpr unsigned reach_other_gpus = 1;
    Parts &p = *parts_;
    p.bytes = bytes;
    p.copies.resize(static_cast<std::size_t>(sources));
    IpcHandle mine{};
    int all =
        team.ranks > 1 && p.open_gpu(team.api->gpu()) && p.make_memory() && p.cuda.cuIpcGetMemHandle(&mine, p.own) == 0;
    std::vector<IpcHandle> handles(static_cast<std::size_t>(team.ranks));
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, handles.data(), sizeof mine, MPI_BYTE, team.comm);
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, team.comm);
    for (int i = 0; i < sources && all; ++i) {
        const int source = (team.rank + team.ranks - 1 - i) % team.ranks;
        all = p.cuda.cuIpcOpenMemHandle_v2(&p.copies[static_cast<std::size_t>(i)].theirs,
                                           handles[static_cast<std::size_t>(source)], reach_other_gpus) == 0;
    }
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, team.comm);
    possible_ = all != 0;
}

PlainCopy::~PlainCopy() {
    Parts &p = *parts_;
    for (const Parts::Copy &copy : p.copies)
        if (copy.theirs)
            p.cuda.cuIpcCloseMemHandle(copy.theirs);
    meet(team_); // nobody has open what is freed
    for (const Parts::Copy &copy : p.copies) {
        if (copy.stream)
            p.cuda.cuStreamDestroy_v2(copy.stream);
        if (copy.landing)
            p.cuda.cuMemFree_v2(copy.landing);
    }
    if (p.own)
        p.cuda.cuMemFree_v2(p.own);
}

void PlainCopy::run() {
    Parts &p = *parts_;
    int result = 0;
    for (const Parts::Copy &copy : p.copies)
        result |= p.cuda.cuMemcpyDtoDAsync_v2(copy.landing, copy.theirs, p.bytes, copy.stream);
    for (const Parts::Copy &copy : p.copies)
        result |= p.cuda.cuStreamSynchronize(copy.stream);
    if (result != 0)
        give_up("CUDA: a copy between GPUs failed");
}
