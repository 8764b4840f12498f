#include "baseline/cuda_driver.h"

#include <cstring>
#include <dlfcn.h>
#include <type_traits>

bool CudaDriver::load() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const auto find = [&](auto &function, const char *name) {
        function = library ? reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name)) : nullptr;
        return function != nullptr;
    };
#define FIND(name) find(name, #name)
    return FIND(cuInit) && FIND(cuDeviceGetCount) && FIND(cuDeviceGet) && FIND(cuDeviceGetUuid) &&
           FIND(cuDevicePrimaryCtxRetain) && FIND(cuCtxSetCurrent) && FIND(cuCtxEnablePeerAccess) &&
           FIND(cuMemcpyPeerAsync) && FIND(cuMemAlloc_v2) && FIND(cuMemFree_v2) && FIND(cuMemsetD8_v2) &&
           FIND(cuMemcpyDtoH_v2) && FIND(cuIpcGetMemHandle) && FIND(cuIpcOpenMemHandle_v2) &&
           FIND(cuIpcCloseMemHandle) && FIND(cuMemcpyDtoDAsync_v2) && FIND(cuStreamCreate) &&
           FIND(cuStreamSynchronize) && FIND(cuStreamDestroy_v2) && cuInit(0) == 0;
#undef FIND
}

void *CudaDriver::open(const GpuUuid &wanted) {
    int count = 0;
    if (wanted == GpuUuid{} || !load() || cuDeviceGetCount(&count) != 0)
        return nullptr;
    for (int i = 0; i < count; ++i) {
        int device = 0;
        Uuid uuid;
        void *context = nullptr;
        if (cuDeviceGet(&device, i) == 0 && cuDeviceGetUuid(&uuid, device) == 0 &&
            std::memcmp(uuid.bytes, wanted.data(), wanted.size()) == 0)
            return cuDevicePrimaryCtxRetain(&context, device) == 0 && cuCtxSetCurrent(context) == 0 ? context : nullptr;
    }
    return nullptr;
}
