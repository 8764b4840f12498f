// NVIDIA's driver library, loaded when there is one: for what a program with CUDA at hand would do. Nothing of the
// library's own is used.
#pragma once

#include "object/api.h"

#include <cstddef>
#include <cstdint>

/// Memory of a GPU as another process opens it.
struct CudaIpcHandle {
    char bytes[64];
};

// The names and types of NVIDIA's CUDA Driver API; 0 is success.
struct CudaDriver {
    struct Uuid {
        std::uint8_t bytes[16];
    };
    int (*cuInit)(unsigned) = nullptr;
    int (*cuDeviceGetCount)(int *) = nullptr;
    int (*cuDeviceGet)(int *, int) = nullptr;
    int (*cuDeviceGetUuid)(Uuid *, int) = nullptr;
    int (*cuDevicePrimaryCtxRetain)(void **, int) = nullptr;
    int (*cuCtxSetCurrent)(void *) = nullptr;
    int (*cuCtxEnablePeerAccess)(void *, unsigned) = nullptr;
    int (*cuMemcpyPeerAsync)(std::uint64_t, void *, std::uint64_t, void *, std::size_t, void *) = nullptr;
    int (*cuMemAlloc_v2)(std::uint64_t *, std::size_t) = nullptr;
    int (*cuMemFree_v2)(std::uint64_t) = nullptr;
    int (*cuMemsetD8_v2)(std::uint64_t, unsigned char, std::size_t) = nullptr;
    int (*cuMemcpyDtoH_v2)(void *, std::uint64_t, std::size_t) = nullptr;
    int (*cuIpcGetMemHandle)(CudaIpcHandle *, std::uint64_t) = nullptr;
    int (*cuIpcOpenMemHandle_v2)(std::uint64_t *, CudaIpcHandle, unsigned) = nullptr;
    int (*cuIpcCloseMemHandle)(std::uint64_t) = nullptr;
    int (*cuMemcpyDtoDAsync_v2)(std::uint64_t, std::uint64_t, std::size_t, void *) = nullptr;
    int (*cuStreamCreate)(void **, unsigned) = nullptr;
    int (*cuStreamSynchronize)(void *) = nullptr;
    int (*cuStreamDestroy_v2)(void *) = nullptr;

    /// The context of that GPU, current in this thread; null when there is no CUDA, or no such GPU.
    void *open(const GpuUuid &wanted);
    /// A stream that waits for no other one.
    bool make_stream(void *&stream) const {
        constexpr unsigned not_blocking = 1;
        return cuStreamCreate(&stream, not_blocking) == 0;
    }

  private:
    bool load();
};
