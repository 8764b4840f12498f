#include "gpu/cuda.h"

#include "base/environment.h"
#include "base/log.h"
#include "gpu/cuda_driver.h"

#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace pixmpi {
namespace {

const CudaDriver &cuda() { return cuda_driver(); }

/// Logs what failed.
bool good(CudaResult result, const char *function) {
    if (result == cuda_success)
        return true;
    const char *name = nullptr;
    cuda().cuGetErrorName(result, &name);
    log_line(PIXMPI_LOG_INFO, "CUDA: %s: %s", function, name ? name : "an unknown error");
    return false;
}

#define PIXMPI_CUDA(function, ...) (!cuda().exiting && good(cuda().function(__VA_ARGS__), #function))

constexpr int on_device = 1, posix_descriptor = 1, read_and_write = 3;

CudaAllocation properties_for(const CudaGpu &gpu, bool networks) {
    CudaAllocation properties{};
    properties.type = 1;
    properties.handle_types = posix_descriptor;
    properties.location = {on_device, gpu.ordinal};
    properties.flags.rdma = networks && gpu.serves_networks;
    return properties;
}

/// False where the program has reset the GPU: its contexts have gone.
bool lives(const CudaGpu &gpu) {
    void *popped = nullptr;
    return PIXMPI_CUDA(cuCtxPushCurrent_v2, gpu.context) && PIXMPI_CUDA(cuCtxPopCurrent_v2, &popped);
}

} // namespace

bool CudaGpu::possible() {
    static const bool wanted = [] {
        bool word = true; // a wrong one has been refused by read_options()
        return read_word("PIXMPI_CUDA", word) == PIXMPI_SUCCESS && word;
    }();
    return wanted && cuda().complete;
}

CudaGpu *CudaGpu::find(const Gpu &gpu) {
    static auto *const known = new std::map<std::array<std::uint8_t, 16>, std::unique_ptr<CudaGpu>>;
    static auto *const reset = new std::vector<std::unique_ptr<CudaGpu>>; // what these had may still name them
    if (!gpu || !possible())
        return nullptr;
    if (const auto found = known->find(gpu.device); found != known->end()) {
        if (!found->second || lives(*found->second))
            return found->second.get();
        reset->push_back(std::move(found->second));
    }
    std::unique_ptr<CudaGpu> &made = (*known)[gpu.device];
    int count = 0;
    PIXMPI_CUDA(cuDeviceGetCount, &count);
    for (int i = 0; i < count; ++i) {
        int device = 0;
        CudaUuid uuid{};
        void *context = nullptr;
        if (PIXMPI_CUDA(cuDeviceGet, &device, i) && PIXMPI_CUDA(cuDeviceGetUuid, &uuid, device) &&
            std::memcmp(uuid.bytes, gpu.device.data(), sizeof uuid.bytes) == 0 &&
            PIXMPI_CUDA(cuDevicePrimaryCtxRetain, &context, device)) {
            int networks = 0;
            PIXMPI_CUDA(cuDeviceGetAttribute, &networks, cuda_rdma_with_virtual_memory, device);
            made.reset(new CudaGpu(device, context, networks != 0));
        }
    }
    return made.get();
}

CudaCurrent::CudaCurrent(const CudaGpu *gpu)
    : pushed_(gpu && !cuda().exiting && cuda().cuCtxPushCurrent_v2(gpu->context) == cuda_success),
      capture_mode_(cuda_capture_relaxed) {
    if (pushed_)
        PIXMPI_CUDA(cuThreadExchangeStreamCaptureMode, &capture_mode_);
}

CudaCurrent::~CudaCurrent() {
    void *popped = nullptr;
    if (pushed_) {
        PIXMPI_CUDA(cuThreadExchangeStreamCaptureMode, &capture_mode_);
        PIXMPI_CUDA(cuCtxPopCurrent_v2, &popped);
    }
}

std::unique_ptr<CudaMemory> CudaMemory::make(CudaGpu &gpu, std::size_t bytes, bool networks) {
    const CudaCurrent current(&gpu);
    const CudaAllocation properties = properties_for(gpu, networks);
    constexpr int recommended = 1;
    std::size_t grain = 0;
    if (!PIXMPI_CUDA(cuMemGetAllocationGranularity, &grain, &properties, recommended) || grain == 0)
        return nullptr;
    std::unique_ptr<CudaMemory> made(new CudaMemory(gpu, (bytes + grain - 1) / grain * grain));
    if (!PIXMPI_CUDA(cuMemCreate, &made->handle_, made->bytes_, &properties, 0) || !made->map())
        return nullptr;
    return made;
}

std::unique_ptr<CudaMemory> CudaMemory::import(CudaGpu &gpu, int descriptor, std::size_t bytes) {
    const CudaCurrent current(&gpu);
    std::unique_ptr<CudaMemory> made(new CudaMemory(gpu, bytes));
    // The descriptor travels in the place of a pointer.
    if (!PIXMPI_CUDA(cuMemImportFromShareableHandle, &made->handle_,
                     reinterpret_cast<void *>(static_cast<std::intptr_t>(descriptor)), posix_descriptor) ||
        !made->map())
        return nullptr;
    return made;
}

bool CudaMemory::map() {
    reserved_ = PIXMPI_CUDA(cuMemAddressReserve, &address_, bytes_, 0, 0, 0);
    mapped_ = reserved_ && PIXMPI_CUDA(cuMemMap, address_, bytes_, 0, handle_, 0);
    const CudaAccess access{{on_device, gpu_.ordinal}, read_and_write};
    return mapped_ && PIXMPI_CUDA(cuMemSetAccess, address_, bytes_, &access, 1);
}

int CudaMemory::descriptor() const {
    const CudaCurrent current(&gpu_);
    int descriptor = -1;
    return PIXMPI_CUDA(cuMemExportToShareableHandle, &descriptor, handle_, posix_descriptor, 0) ? descriptor : -1;
}

CudaMemory::~CudaMemory() {
    const CudaCurrent current(&gpu_);
    if (mapped_)
        PIXMPI_CUDA(cuMemUnmap, address_, bytes_);
    if (reserved_)
        PIXMPI_CUDA(cuMemAddressFree, address_, bytes_);
    if (handle_)
        PIXMPI_CUDA(cuMemRelease, handle_);
}

namespace {

// CUDA registers memory once, whichever GPU asks; the last one that needs it takes it back.
std::mutex registrations_lock;
std::map<std::byte *, int> registrations;

} // namespace

std::unique_ptr<CudaHostMemory> CudaHostMemory::make(CudaGpu &gpu, std::byte *memory, std::size_t bytes) {
    constexpr unsigned for_all_contexts = 1, mapped = 2;
    constexpr CudaResult registered_already = 712; // by the program itself
    const CudaCurrent current(&gpu);
    std::unique_ptr<CudaHostMemory> made(new CudaHostMemory(gpu, memory)); // before the lock, which its end takes
    const std::lock_guard lock(registrations_lock);
    const auto known = registrations.find(memory);
    const CudaResult result = known != registrations.end()
                                  ? cuda_success
                                  : cuda().cuMemHostRegister_v2(memory, bytes, for_all_contexts | mapped);
    if (result != registered_already && !good(result, "cuMemHostRegister"))
        return nullptr;
    made->registered_ = result == cuda_success;
    if (made->registered_)
        ++registrations[memory];
    return PIXMPI_CUDA(cuMemHostGetDevicePointer_v2, &made->address_, memory, 0) ? std::move(made) : nullptr;
}

CudaHostMemory::~CudaHostMemory() {
    if (!registered_ || cuda().exiting)
        return;
    const CudaCurrent current(&gpu_);
    const std::lock_guard lock(registrations_lock);
    if (--registrations[memory_] > 0)
        return;
    registrations.erase(memory_);
    PIXMPI_CUDA(cuMemHostUnregister, memory_);
}

std::unique_ptr<CudaStream> CudaStream::make(CudaGpu &gpu, std::size_t at_once) {
    const CudaCurrent current(&gpu);
    constexpr unsigned not_blocking = 1, without_time = 2;
    std::unique_ptr<CudaStream> made(new CudaStream(gpu, at_once));
    bool all = true;
    for (void *&stream : made->streams_)
        all = all && PIXMPI_CUDA(cuStreamCreate, &stream, not_blocking);
    for (void *&event : made->events_)
        all = all && PIXMPI_CUDA(cuEventCreate, &event, without_time);
    return all ? std::move(made) : nullptr;
}

CudaStream::~CudaStream() {
    const CudaCurrent current(&gpu_);
    finish();
    for (void *stream : streams_)
        if (stream)
            PIXMPI_CUDA(cuStreamDestroy_v2, stream);
    for (void *event : events_)
        if (event)
            PIXMPI_CUDA(cuEventDestroy_v2, event);
}

bool CudaStream::finish() {
    bool all = true;
    for (void *stream : streams_)
        all = (!stream || PIXMPI_CUDA(cuStreamSynchronize, stream)) && all;
    return all;
}

Status CudaStream::copy(std::uint64_t to, std::uint64_t from, std::size_t bytes, std::uint64_t &number) {
    const CudaCurrent current(&gpu_);
    if (started_ - over_ == most) {
        if (!finish())
            return fail(PIXMPI_ERR_DEVICE, "CUDA: copies failed");
        over_ = started_;
    }
    void *const stream = streams_[started_ % streams_.size()];
    if (!PIXMPI_CUDA(cuMemcpyAsync, to, from, bytes, stream) ||
        !PIXMPI_CUDA(cuEventRecord, events_[started_ % most], stream))
        return fail(PIXMPI_ERR_DEVICE, "CUDA: a copy of %zu bytes cannot be made", bytes);
    number = ++started_;
    return PIXMPI_SUCCESS;
}

Status CudaStream::progress(std::uint64_t &number) {
    if (cuda().exiting)
        over_ = started_; // it cannot be found out any more
    if (over_ < started_) {
        const CudaCurrent current(&gpu_);
        while (over_ < started_) {
            const CudaResult result = cuda().cuEventQuery(events_[over_ % most]);
            if (result == cuda_not_ready)
                break;
            if (!good(result, "cuEventQuery"))
                return fail(PIXMPI_ERR_DEVICE, "CUDA: a copy failed");
            ++over_;
        }
    }
    number = over_;
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
