#include "gpu/cuda.h"

#include "base/environment.h"
#include "base/log.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>

namespace pixmpi {
namespace {

// The driver's binary interface, as NVIDIA's CUDA Driver API reference has it (sections 6.2 to 6.20).
using Result = int;
constexpr Result success = 0, not_ready = 600;

struct Uuid {
    std::uint8_t bytes[16];
};
struct Location {
    int type, id;
};
constexpr int on_device = 1;
struct AllocationProperties {
    int type;         // 1: pinned
    int handle_types; // 1: POSIX file descriptors
    Location location;
    void *win32;
    struct {
        unsigned char compression, rdma;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
};
constexpr int pinned = 1, posix_descriptor = 1;
struct Access {
    Location location;
    int flags; // 3: read and write
};
constexpr int read_and_write = 3;

#define PIXMPI_CUDA_FUNCTIONS(X)                                                                                       \
    X(cuInit, (unsigned))                                                                                              \
    X(cuGetErrorName, (Result, const char **))                                                                         \
    X(cuDeviceGetCount, (int *))                                                                                       \
    X(cuDeviceGet, (int *, int))                                                                                       \
    X(cuDeviceGetUuid, (Uuid *, int))                                                                                  \
    X(cuDeviceGetAttribute, (int *, int, int))                                                                         \
    X(cuDevicePrimaryCtxRetain, (void **, int))                                                                        \
    X(cuCtxPushCurrent_v2, (void *))                                                                                   \
    X(cuCtxPopCurrent_v2, (void **))                                                                                   \
    X(cuMemGetAllocationGranularity, (std::size_t *, const AllocationProperties *, int))                               \
    X(cuMemCreate, (std::uint64_t *, std::size_t, const AllocationProperties *, unsigned long long))                   \
    X(cuMemRelease, (std::uint64_t))                                                                                   \
    X(cuMemExportToShareableHandle, (void *, std::uint64_t, int, unsigned long long))                                  \
    X(cuMemImportFromShareableHandle, (std::uint64_t *, void *, int))                                                  \
    X(cuMemAddressReserve, (std::uint64_t *, std::size_t, std::size_t, std::uint64_t, unsigned long long))             \
    X(cuMemAddressFree, (std::uint64_t, std::size_t))                                                                  \
    X(cuMemMap, (std::uint64_t, std::size_t, std::size_t, std::uint64_t, unsigned long long))                          \
    X(cuMemUnmap, (std::uint64_t, std::size_t))                                                                        \
    X(cuMemSetAccess, (std::uint64_t, std::size_t, const Access *, std::size_t))                                       \
    X(cuMemHostRegister_v2, (void *, std::size_t, unsigned))                                                           \
    X(cuMemHostUnregister, (void *))                                                                                   \
    X(cuMemHostGetDevicePointer_v2, (std::uint64_t *, void *, unsigned))                                               \
    X(cuMemcpyAsync, (std::uint64_t, std::uint64_t, std::size_t, void *))                                              \
    X(cuStreamCreate, (void **, unsigned))                                                                             \
    X(cuStreamSynchronize, (void *))                                                                                   \
    X(cuStreamDestroy_v2, (void *))                                                                                    \
    X(cuEventCreate, (void **, unsigned))                                                                              \
    X(cuEventRecord, (void *, void *))                                                                                 \
    X(cuEventQuery, (void *))                                                                                          \
    X(cuEventDestroy_v2, (void *))

struct Functions {
#define X(name, arguments) Result(*name) arguments = nullptr;
    PIXMPI_CUDA_FUNCTIONS(X)
#undef X
    bool complete = false;
};

/// The process ends, and CUDA with it, which has been loaded after what other libraries destroy at exit. Its memory
/// goes by itself.
std::atomic<bool> exiting{false};

/// Opened once and never closed; `complete` tells whether it is there.
const Functions &cuda() {
    static const Functions functions = [] {
        Functions f;
        bool wanted = true; // a wrong word has been refused by read_options()
        if (read_word("PIXMPI_CUDA", {"0", "1"}, wanted) || !wanted)
            return f;
        void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        if (!library)
            return f;
        f.complete = true;
#define X(name, arguments)                                                                                             \
    f.name = reinterpret_cast<Result(*) arguments>(dlsym(library, #name));                                             \
    f.complete = f.complete && f.name;
        PIXMPI_CUDA_FUNCTIONS(X)
#undef X
        const Result result = f.complete ? f.cuInit(0) : success;
        if (!f.complete || result != success) {
            log_line(PIXMPI_LOG_INFO, "CUDA: %s", f.complete ? "cuInit fails" : "libcuda.so.1 is too old");
            f.complete = false;
        }
        std::atexit([] { exiting = true; });
        return f;
    }();
    return functions;
}

/// Logs what failed.
bool good(Result result, const char *function) {
    if (result == success)
        return true;
    const char *name = nullptr;
    cuda().cuGetErrorName(result, &name);
    log_line(PIXMPI_LOG_INFO, "CUDA: %s: %s", function, name ? name : "an unknown error");
    return false;
}

#define PIXMPI_CUDA(function, ...) (!exiting && good(cuda().function(__VA_ARGS__), #function))

AllocationProperties properties_for(const CudaGpu &gpu, bool networks) {
    AllocationProperties properties{};
    properties.type = pinned;
    properties.handle_types = posix_descriptor;
    properties.location = {on_device, gpu.ordinal};
    properties.flags.rdma = networks && gpu.serves_networks;
    return properties;
}

} // namespace

bool CudaGpu::possible() { return cuda().complete; }

CudaGpu *CudaGpu::find(const Gpu &gpu) {
    static auto *const known = new std::map<std::array<std::uint8_t, 16>, std::unique_ptr<CudaGpu>>;
    if (!gpu || !possible())
        return nullptr;
    if (const auto found = known->find(gpu.device); found != known->end())
        return found->second.get();
    std::unique_ptr<CudaGpu> &made = (*known)[gpu.device];
    int count = 0;
    PIXMPI_CUDA(cuDeviceGetCount, &count);
    for (int i = 0; i < count; ++i) {
        int device = 0;
        Uuid uuid{};
        void *context = nullptr;
        if (PIXMPI_CUDA(cuDeviceGet, &device, i) && PIXMPI_CUDA(cuDeviceGetUuid, &uuid, device) &&
            std::memcmp(uuid.bytes, gpu.device.data(), sizeof uuid.bytes) == 0 &&
            PIXMPI_CUDA(cuDevicePrimaryCtxRetain, &context, device)) {
            constexpr int rdma_with_virtual_memory = 110;
            int networks = 0;
            PIXMPI_CUDA(cuDeviceGetAttribute, &networks, rdma_with_virtual_memory, device);
            made.reset(new CudaGpu(device, context, networks != 0));
        }
    }
    return made.get();
}

CudaCurrent::CudaCurrent(const CudaGpu *gpu)
    : pushed_(gpu && !exiting && cuda().cuCtxPushCurrent_v2(gpu->context) == success) {}

CudaCurrent::~CudaCurrent() {
    void *popped = nullptr;
    if (pushed_)
        PIXMPI_CUDA(cuCtxPopCurrent_v2, &popped);
}

std::unique_ptr<CudaMemory> CudaMemory::make(CudaGpu &gpu, std::size_t bytes, bool networks) {
    const CudaCurrent current(&gpu);
    const AllocationProperties properties = properties_for(gpu, networks);
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
    const Access access{{on_device, gpu_.ordinal}, read_and_write};
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
    constexpr Result registered_already = 712; // by the program itself
    const CudaCurrent current(&gpu);
    std::unique_ptr<CudaHostMemory> made(new CudaHostMemory(gpu, memory)); // before the lock, which its end takes
    const std::lock_guard lock(registrations_lock);
    const auto known = registrations.find(memory);
    const Result result =
        known != registrations.end() ? success : cuda().cuMemHostRegister_v2(memory, bytes, for_all_contexts | mapped);
    if (result != registered_already && !good(result, "cuMemHostRegister"))
        return nullptr;
    made->registered_ = result == success;
    if (made->registered_)
        ++registrations[memory];
    return PIXMPI_CUDA(cuMemHostGetDevicePointer_v2, &made->address_, memory, 0) ? std::move(made) : nullptr;
}

CudaHostMemory::~CudaHostMemory() {
    if (!registered_ || exiting)
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
    if (exiting)
        over_ = started_; // nobody can tell any more
    if (over_ < started_) {
        const CudaCurrent current(&gpu_);
        while (over_ < started_) {
            const Result result = cuda().cuEventQuery(events_[over_ % most]);
            if (result == not_ready)
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
