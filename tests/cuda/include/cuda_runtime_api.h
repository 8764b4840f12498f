/* A stand-in for CUDA's runtime API, as far as demos/first/cuda.c calls it, over the stand-in for its driver. Memory of
 * the host that copies touch has to be pinned. */
#ifndef STAND_IN_CUDA_RUNTIME_API_H
#define STAND_IN_CUDA_RUNTIME_API_H

#include <stddef.h>
#include <stdint.h>

typedef int cudaError_t;
typedef struct CUstream_st *cudaStream_t;
enum { cudaSuccess = 0 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };

/* One side of the driver's CUDA_MEMCPY3D. */
struct cuSide {
    size_t x_bytes, y, z, level;
    int type;
    const void *host;
    uint64_t address;
    void *array, *reserved;
    size_t pitch, height;
};
struct cuCopy {
    struct cuSide from, to;
    size_t width_bytes, height, depth;
};

int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxPushCurrent_v2(void *context);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamSynchronize(void *stream);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemFree_v2(uint64_t address);
int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags);
int cuMemFreeHost(void *memory);
int cuMemcpy3DAsync_v2(const struct cuCopy *copy, void *stream);

static inline cudaError_t cudaGetDeviceCount(int *count) {
    const int error = cuInit(0);
    return error ? error : cuDeviceGetCount(count);
}
static inline cudaError_t cudaSetDevice(int device) {
    void *context = NULL;
    const int error = cuDevicePrimaryCtxRetain(&context, device);
    return error ? error : cuCtxPushCurrent_v2(context);
}
static inline cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    void *made = NULL;
    const int error = cuStreamCreate(&made, 0);
    *stream = (cudaStream_t)made;
    return error;
}
static inline cudaError_t cudaStreamDestroy(cudaStream_t stream) { return cuStreamDestroy_v2(stream); }
static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return cuStreamSynchronize(stream); }
static inline cudaError_t cudaMallocHost(void **memory, size_t bytes) { return cuMemHostAlloc(memory, bytes, 0); }
static inline cudaError_t cudaFreeHost(void *memory) { return cuMemFreeHost(memory); }
static inline cudaError_t cudaMallocPitch(void **memory, size_t *pitch, size_t row_bytes, size_t rows) {
    uint64_t address = 0;
    int error;
    *pitch = (row_bytes + 511) / 512 * 512;
    error = cuMemAlloc_v2(&address, *pitch * rows);
    *memory = (void *)(uintptr_t)address;
    return error;
}
static inline cudaError_t cudaFree(void *memory) { return cuMemFree_v2((uint64_t)(uintptr_t)memory); }
static inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                            size_t row_bytes, size_t rows, enum cudaMemcpyKind kind,
                                            cudaStream_t stream) {
    struct cuCopy copy = {0};
    (void)kind; /* addresses say it */
    copy.from.type = copy.to.type = 4;
    copy.from.address = (uint64_t)(uintptr_t)from;
    copy.from.pitch = from_pitch;
    copy.to.address = (uint64_t)(uintptr_t)to;
    copy.to.pitch = to_pitch;
    copy.width_bytes = row_bytes;
    copy.height = rows;
    copy.depth = 1;
    return cuMemcpy3DAsync_v2(&copy, stream);
}

#endif
