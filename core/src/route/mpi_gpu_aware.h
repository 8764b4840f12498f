// Whether MPI accepts pointers to a GPU's memory, so that bands go from and to it without passing through the host's.
//
// There is no standard way to ask. MPICH 4 and MPIs made from it have MPIX_GPU_query_support, Open MPI and MPICH
// MPIX_Query_cuda_support. Both are looked up when the program runs, so that the library needs neither to be built.
// What a yes is worth:
// - MPICH: it was built with CUDA, and MPIR_CVAR_ENABLE_GPU is not 0. So it looks at every pointer it is handed.
// - Open MPI up to 4: it was built with CUDA, and no more. 5: its CUDA component was chosen when it started, so that
//   there was also a driver.
// - Neither says that the transport in use accepts such pointers: Open MPI on an UCX without CUDA does not. A no does
//   not mean that it accepts none: an UCX with CUDA does, also for an MPI without.
// - No document of these MPIs names cuMemCreate's memory, which MPI is handed here. Versions from before that memory
//   fail, or copy it through the host where they would use cuIpc for other memory.
// Hence the option, which overrules the answer.
#pragma once

#include "base/options.h"

namespace pixmpi::mpi {

struct GpuAware {
    bool yes = false;
    const char *why = ""; ///< what has said so
};

/// After MPI_Init.
GpuAware ask_gpu_aware(Options::GpuAware wanted);

} // namespace pixmpi::mpi
