// NVIDIA's driver library, opened when it is first needed and never closed. The only place that knows its binary
// interface, as the CUDA Driver API reference has it (sections 6.2 to 6.27). The core and cudampi call it by this
// table; another vendor's library could stand for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pixmpi {

using CudaResult = int;
using CudaAddress = std::uint64_t;
constexpr CudaResult cuda_success = 0, cuda_out_of_memory = 2, cuda_not_ready = 600;
/// The first and the last of the errors that a capture by the program causes.
constexpr CudaResult cuda_capture_first = 900, cuda_capture_last = 908;
/// In this mode of a thread, what the library does leaves captures of the program's alone.
constexpr int cuda_capture_relaxed = 2;

struct CudaUuid {
    std::uint8_t bytes[16];
};
struct CudaLocation {
    int type, id; // 1: a device
};
struct CudaAllocation {
    int type;         // 1: pinned
    int handle_types; // 1: POSIX file descriptors
    CudaLocation location;
    void *win32;
    struct {
        unsigned char compression, rdma;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
};
struct CudaAccess {
    CudaLocation location;
    int flags; // 3: read and write
};
enum class CudaMemoryType : int { host = 1, device = 2, array = 3, any = 4 };
/// CUDA_MEMCPY3D: half of it for each end.
struct CudaCopyEnd {
    std::size_t x_bytes, y, z, level;
    CudaMemoryType type;
    const void *host;
    CudaAddress address;
    void *array;
    void *reserved;
    std::size_t pitch, height;
};
struct CudaCopy {
    CudaCopyEnd from, to;
    std::size_t width_bytes, height, depth;
};
struct CudaArrayShape {
    std::size_t width, height, depth; // 0: it has not that dimension
    int format;
    unsigned channels, flags;
};
constexpr unsigned cuda_array_layered = 1, cuda_array_surface = 2, cuda_array_cube = 4; ///< CudaArrayShape::flags
/// CUDA_RESOURCE_DESC, of an array.
struct CudaResource {
    std::size_t type; // 0: an array
    void *array;
    std::size_t others[16];
};
/// By which another process of the host maps memory of cuMemAlloc (CUipcMemHandle).
struct CudaMemoryHandle {
    unsigned char bytes[64];
};
enum CudaPointerQuestion : int {
    cuda_pointer_context = 1,
    cuda_pointer_memory = 2,
    cuda_pointer_number = 7, // of the allocation, never used twice in a process
    cuda_pointer_managed = 8,
    cuda_pointer_device = 9,
    cuda_pointer_has_handle = 10, // cuIpcGetMemHandle() gives one
    cuda_pointer_begin = 11,
    cuda_pointer_bytes = 12
};
enum CudaDeviceQuestion : int { cuda_major = 75, cuda_rdma_with_virtual_memory = 110 };

#define PIXMPI_CUDA_FUNCTIONS(X)                                                                                       \
    X(cuInit, (unsigned))                                                                                              \
    X(cuGetErrorName, (CudaResult, const char **))                                                                     \
    X(cuDeviceGetCount, (int *))                                                                                       \
    X(cuDeviceGet, (int *, int))                                                                                       \
    X(cuDeviceGetName, (char *, int, int))                                                                             \
    X(cuDeviceGetUuid, (CudaUuid *, int))                                                                              \
    X(cuDeviceGetAttribute, (int *, int, int))                                                                         \
    X(cuDevicePrimaryCtxRetain, (void **, int))                                                                        \
    X(cuCtxPushCurrent_v2, (void *))                                                                                   \
    X(cuCtxPopCurrent_v2, (void **))                                                                                   \
    X(cuCtxGetCurrent, (void **))                                                                                      \
    X(cuCtxGetDevice, (int *))                                                                                         \
    X(cuMemGetAllocationGranularity, (std::size_t *, const CudaAllocation *, int))                                     \
    X(cuMemCreate, (std::uint64_t *, std::size_t, const CudaAllocation *, unsigned long long))                         \
    X(cuMemRelease, (std::uint64_t))                                                                                   \
    X(cuMemExportToShareableHandle, (void *, std::uint64_t, int, unsigned long long))                                  \
    X(cuMemImportFromShareableHandle, (std::uint64_t *, void *, int))                                                  \
    X(cuMemAddressReserve, (CudaAddress *, std::size_t, std::size_t, CudaAddress, unsigned long long))                 \
    X(cuMemAddressFree, (CudaAddress, std::size_t))                                                                    \
    X(cuMemMap, (CudaAddress, std::size_t, std::size_t, std::uint64_t, unsigned long long))                            \
    X(cuMemUnmap, (CudaAddress, std::size_t))                                                                          \
    X(cuMemSetAccess, (CudaAddress, std::size_t, const CudaAccess *, std::size_t))                                     \
    X(cuMemAlloc_v2, (CudaAddress *, std::size_t))                                                                     \
    X(cuMemFree_v2, (CudaAddress))                                                                                     \
    X(cuMemHostAlloc, (void **, std::size_t, unsigned))                                                                \
    X(cuMemFreeHost, (void *))                                                                                         \
    X(cuMemHostRegister_v2, (void *, std::size_t, unsigned))                                                           \
    X(cuMemHostUnregister, (void *))                                                                                   \
    X(cuMemHostGetDevicePointer_v2, (CudaAddress *, void *, unsigned))                                                 \
    X(cuPointerGetAttributes, (unsigned, const int *, void **, CudaAddress))                                           \
    X(cuIpcGetMemHandle, (CudaMemoryHandle *, CudaAddress))                                                            \
    X(cuIpcOpenMemHandle_v2, (CudaAddress *, CudaMemoryHandle, unsigned))                                              \
    X(cuIpcCloseMemHandle, (CudaAddress))                                                                              \
    X(cuMemcpyAsync, (CudaAddress, CudaAddress, std::size_t, void *))                                                  \
    X(cuMemcpy3DAsync_v2, (const CudaCopy *, void *))                                                                  \
    X(cuArray3DGetDescriptor_v2, (CudaArrayShape *, void *))                                                           \
    X(cuMipmappedArrayGetLevel, (void **, void *, unsigned))                                                           \
    X(cuSurfObjectCreate, (std::uint64_t *, const CudaResource *))                                                     \
    X(cuSurfObjectDestroy, (std::uint64_t))                                                                            \
    X(cuStreamCreate, (void **, unsigned))                                                                             \
    X(cuStreamGetCtx, (void *, void **))                                                                               \
    X(cuStreamSynchronize, (void *))                                                                                   \
    X(cuStreamQuery, (void *))                                                                                         \
    X(cuStreamIsCapturing, (void *, int *))                                                                            \
    X(cuThreadExchangeStreamCaptureMode, (int *))                                                                      \
    X(cuStreamWaitEvent, (void *, void *, unsigned))                                                                   \
    X(cuStreamDestroy_v2, (void *))                                                                                    \
    X(cuEventCreate, (void **, unsigned))                                                                              \
    X(cuEventRecord, (void *, void *))                                                                                 \
    X(cuEventQuery, (void *))                                                                                          \
    X(cuEventDestroy_v2, (void *))                                                                                     \
    X(cuModuleLoadData, (void **, const void *))                                                                       \
    X(cuModuleGetFunction, (void **, void *, const char *))                                                            \
    X(cuModuleUnload, (void *))                                                                                        \
    X(cuLaunchKernel,                                                                                                  \
      (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))

struct CudaDriver {
#define X(name, arguments) CudaResult(*name) arguments = nullptr;
    PIXMPI_CUDA_FUNCTIONS(X)
#undef X
    bool complete = false; ///< it is there
    /// The process ends, and CUDA with it, which has been loaded after what other libraries destroy at exit. Its memory
    /// goes by itself, and nothing of it may be called.
    std::atomic<bool> exiting{false};
};

/// Opens it.
CudaDriver &cuda_driver();

/// Whether the program has loaded it, by whatever way; does not open it. Cheap.
bool cuda_is_loaded();

/// The owner of the memory at an address. As long as CUDA is not loaded, GPU memory looks like no memory.
enum class Memory { of_host, of_gpu, none };
/// `address` is that of a pixel.
Memory memory_at(const void *address);

} // namespace pixmpi
