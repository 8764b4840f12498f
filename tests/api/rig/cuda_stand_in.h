// The stand-in for CUDA's driver, which counts calls and makes functions fail.
#pragma once

#include "rig/ends.h"

#include "../../cuda/cuda.h"

#include <cudampi.h>

#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace api {

/// One of its own functions; null where the driver is NVIDIA's.
template <class Function> Function *stand_in(const char *name) {
    return reinterpret_cast<Function *>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), name));
}

/// The library was built with kernels, and uses them.
inline bool has_kernels() {
    const pixMPI_Surface empty = cudaMPI_Memory(nullptr, PIXMPI_R8, 0, 0);
    CHECK_OK(cudaMPI_Send(empty, PIXMPI_WHOLE, MPI_PROC_NULL, 1, world())); // the first one loads them
    const auto calls = stand_in<FakeCudaCalls>("fakeCudaCalls");
    const char *const way = std::getenv("PIXMPI_CUDA_PACK");
    return way ? std::string(way) != "copies" : !calls || calls("cuModuleLoadData") > 0;
}

} // namespace api
