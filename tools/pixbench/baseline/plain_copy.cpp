#include "baseline/plain_copy.h"

#include "baseline/cuda_driver.h"
#include "measure/turns.h"

#include <cstdint>
#include <vector>

struct PlainCopy::Parts {
    CudaDriver cuda;
    std::size_t bytes = 0;
    std::uint64_t own = 0;
    /// Of one other rank's memory.
    struct Copy {
        std::uint64_t landing = 0, theirs = 0;
        void *stream = nullptr;
    };
    std::vector<Copy> copies;

    bool make_memory() {
        bool good = cuda.cuMemAlloc_v2(&own, bytes) == 0;
        for (Copy &copy : copies)
            good = good && cuda.cuMemAlloc_v2(&copy.landing, bytes) == 0 && cuda.make_stream(copy.stream);
        return good;
    }
};

PlainCopy::PlainCopy(std::size_t bytes, const Team &team, int sources)
    : team_(team), parts_(std::make_unique<Parts>()) {
    constexpr unsigned reach_other_gpus = 1;
    Parts &p = *parts_;
    p.bytes = bytes;
    p.copies.resize(static_cast<std::size_t>(sources));
    CudaIpcHandle mine{};
    int all = team.ranks > 1 && p.cuda.open(team.api->gpu()) != nullptr && p.make_memory() &&
              p.cuda.cuIpcGetMemHandle(&mine, p.own) == 0;
    std::vector<CudaIpcHandle> handles(static_cast<std::size_t>(team.ranks));
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
    meet(team_); // no rank has open what is freed
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

struct PlainPeerCopy::Parts {
    CudaDriver cuda;
    std::size_t bytes = 0;
    struct End {
        void *context = nullptr;
        std::uint64_t memory = 0;
    } from, to;
    void *stream = nullptr;

    bool open(End &end, const GpuUuid &gpu) {
        end.context = cuda.open(gpu);
        return end.context && cuda.cuMemAlloc_v2(&end.memory, bytes) == 0;
    }
    void close(End &end) {
        if (end.context && cuda.cuCtxSetCurrent(end.context) == 0 && end.memory)
            cuda.cuMemFree_v2(end.memory);
    }
};

PlainPeerCopy::PlainPeerCopy(std::size_t bytes, const GpuUuid &from, const GpuUuid &to)
    : parts_(std::make_unique<Parts>()) {
    constexpr int enabled_already = 704;
    Parts &p = *parts_;
    p.bytes = bytes;
    if (!p.open(p.to, to) || !p.open(p.from, from) || !p.cuda.make_stream(p.stream))
        return;
    const int result = from == to ? 0 : p.cuda.cuCtxEnablePeerAccess(p.to.context, 0);
    reaches_ = result == 0 || result == enabled_already;
    possible_ = true;
}

PlainPeerCopy::~PlainPeerCopy() {
    Parts &p = *parts_;
    p.close(p.to);
    p.close(p.from);
    if (p.stream)
        p.cuda.cuStreamDestroy_v2(p.stream);
}

void PlainPeerCopy::run() {
    const Parts &p = *parts_;
    if (p.cuda.cuCtxSetCurrent(p.from.context) != 0 ||
        p.cuda.cuMemcpyPeerAsync(p.to.memory, p.to.context, p.from.memory, p.from.context, p.bytes, p.stream) != 0 ||
        p.cuda.cuStreamSynchronize(p.stream) != 0)
        give_up("CUDA: a copy between GPUs failed");
}
