#include "object/cuda_object.h"

#include "measure/job.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>

bool CudaCalls::load() {
    void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    bool good = library != nullptr;
    const auto find = [&](auto &function, const char *name) {
        function = library ? reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name)) : nullptr;
        good = good && function;
    };
#define FIND(name) find(name, #name)
    FIND(cuInit);
    FIND(cuDeviceGetCount);
    FIND(cuDeviceGet);
    FIND(cuDeviceGetName);
    FIND(cuDeviceGetUuid);
    FIND(cuDevicePrimaryCtxRetain);
    FIND(cuCtxPushCurrent_v2);
    FIND(cuCtxPopCurrent_v2);
    FIND(cuMemAlloc_v2);
    FIND(cuMemFree_v2);
    FIND(cuMemHostAlloc);
    FIND(cuMemFreeHost);
    FIND(cuArray3DCreate_v2);
    FIND(cuArrayDestroy);
    FIND(cuStreamCreate);
    FIND(cuStreamSynchronize);
    FIND(cuStreamDestroy_v2);
    FIND(cuMemcpy3DAsync_v2);
#undef FIND
    int count = 0;
    return good && cuInit(0) == 0 && cuDeviceGetCount(&count) == 0 && count > 0;
}

class CudaObject::Current {
  public:
    explicit Current(const CudaObject &of) : cuda_(of.cuda_) {
        if (cuda_.cuCtxPushCurrent_v2(of.context_) != 0)
            give_up("CUDA: a context cannot be used");
    }
    ~Current() {
        void *popped = nullptr;
        cuda_.cuCtxPopCurrent_v2(&popped);
    }
    Current(const Current &) = delete;
    Current &operator=(const Current &) = delete;

  private:
    const CudaCalls &cuda_;
};

CudaObject::~CudaObject() {
    const Current current(*this);
    if (stream_)
        cuda_.cuStreamDestroy_v2(stream_);
    if (array_)
        cuda_.cuArrayDestroy(array_);
    if (memory_)
        cuda_.cuMemFree_v2(memory_);
    for (void *host : {staging_, static_cast<void *>(own_)})
        if (host)
            cuda_.cuMemFreeHost(host);
}

std::string CudaObject::make(bool array) {
    constexpr unsigned not_blocking = 1;
    const Current current(*this);
    if (array) {
        // Unsigned integers, as CUDA counts them: one channel of a pixel's bytes, or several of four.
        const int each = std::min(pixel_bytes, 4);
        constexpr unsigned for_surfaces = 2; // kernels reach no others
        if (pixel_bytes % 3 == 0)
            return std::string("--format: ") + pixMPI_Format_name(format) + " is none of CUDA's arrays";
        const CudaCalls::ArrayShape shape{
            static_cast<std::size_t>(width),   static_cast<std::size_t>(height),          0,
            each == 1 ? 1 : each == 2 ? 2 : 3, static_cast<unsigned>(pixel_bytes / each), for_surfaces};
        if (cuda_.cuArray3DCreate_v2(&array_, &shape) != 0)
            return "CUDA: no memory for an array";
    } else if (cuda_.cuMemAlloc_v2(&memory_, bytes()) != 0) {
        return "CUDA: no memory";
    }
    return cuda_.cuStreamCreate(&stream_, not_blocking) == 0 && cuda_.cuMemHostAlloc(&staging_, bytes(), 3) == 0
               ? ""
               : "CUDA: no pinned memory";
}

bool CudaObject::make_own_memory(std::size_t size) {
    const Current current(*this);
    void *made = nullptr;
    if (cuda_.cuMemHostAlloc(&made, size, 3) != 0)
        return false;
    own_ = static_cast<std::byte *>(made);
    own_bytes_ = size;
    return true;
}

bool CudaObject::is_pinned(const std::byte *memory) const {
    const auto *const staging = static_cast<const std::byte *>(staging_);
    return (memory >= staging && memory < staging + bytes()) || (own_ && memory >= own_ && memory < own_ + own_bytes_);
}

void CudaObject::submit(pixMPI_Rect rect, const void *memory, bool out) const {
    if (rect.width == 0 || rect.height == 0)
        return;
    const auto size = static_cast<std::size_t>(pixel_bytes);
    CudaCalls::End pixels{}, packed{};
    const auto x = static_cast<std::size_t>(rect.x) * size, y = static_cast<std::size_t>(rect.y);
    if (array_) {
        pixels.type = CudaCalls::in_array;
        pixels.array = array_;
        pixels.x_bytes = x;
        pixels.y = y;
    } else {
        pixels.type = CudaCalls::memory_at;
        pixels.address = memory_ + y * row_bytes() + x;
        pixels.pitch = row_bytes();
    }
    if (is_pinned(static_cast<const std::byte *>(memory))) {
        packed.type = CudaCalls::memory_at;
        packed.address = reinterpret_cast<std::uint64_t>(memory);
    } else {
        packed.type = CudaCalls::of_host;
        packed.host = memory;
    }
    packed.pitch = static_cast<std::size_t>(rect.width) * size;
    const CudaCalls::Copy copy{out ? pixels : packed, out ? packed : pixels, packed.pitch,
                               static_cast<std::size_t>(rect.height), 1};
    const Current current(*this);
    if (cuda_.cuMemcpy3DAsync_v2(&copy, stream_) != 0)
        give_up("CUDA: a copy failed");
}

void CudaObject::finish() {
    const Current current(*this);
    if (cuda_.cuStreamSynchronize(stream_) != 0)
        give_up("CUDA: a copy failed");
}

void CudaObject::read(pixMPI_Rect rect, void *memory) {
    submit(rect, memory, true);
    finish();
}

void CudaObject::write(pixMPI_Rect rect, const void *memory) {
    submit(rect, memory, false);
    finish();
}

void CudaObject::read_all(std::span<const pixMPI_Rect> rects, std::byte *memory) {
    for (const pixMPI_Rect &rect : rects) {
        submit(rect, memory, true);
        memory += bytes_of(rect);
    }
    finish();
}

void CudaObject::write_all(std::span<const pixMPI_Rect> rects, const std::byte *memory) {
    for (const pixMPI_Rect &rect : rects) {
        submit(rect, memory, false);
        memory += bytes_of(rect);
    }
    finish();
}

// Not waited for: the message has to.
void CudaObject::touch(int frame) {
    constexpr int side = 16;
    const pixMPI_Rect rect{0, 0, std::min(width, side), std::min(height, side)};
    std::memset(staging_, frame & 0x3f, bytes_of(rect));
    submit(rect, staging_, false);
}

End CudaObject::end() {
    auto *const stream = static_cast<CUstream_st *>(stream_);
    return End(cudaMPI_On_stream(array_
                                     ? cudaMPI_Array(array_, format, 0)
                                     : cudaMPI_Memory(reinterpret_cast<const void *>(memory_), format, width, height),
                                 stream));
}
