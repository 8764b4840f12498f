#include "plain_copy.h"

#include "cuda_driver.h"
#include "turns.h"

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
    int all = team.ranks > 1 && p.cuda.open(team.api->gpu()) && p.make_memory() &&
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
