#include "route/mpi_gpu_aware.h"

#include <dlfcn.h>

namespace pixmpi::mpi {
namespace {

template <class Function> Function *find(const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}

} // namespace

GpuAware ask_gpu_aware(Options::GpuAware wanted) {
    if (wanted != Options::GpuAware::automatic)
        return {wanted == Options::GpuAware::yes, "PIXMPI_GPU_AWARE"};
    constexpr int cuda = 0, success = 0; // MPIX_GPU_SUPPORT_CUDA, MPI_SUCCESS
    constexpr const char *of_mpich = "MPIX_GPU_query_support", *of_both = "MPIX_Query_cuda_support";
    GpuAware answer{false, "it has nothing to ask"};
    if (auto *query = find<int(int, int *)>(of_mpich)) {
        int supported = 0;
        answer = {query(cuda, &supported) == success && supported != 0, of_mpich};
    }
    if (auto *query = answer.yes ? nullptr : find<int()>(of_both))
        answer = {query() == 1, of_both};
    return answer;
}

} // namespace pixmpi::mpi
