#include "cuda_rig_memory.h"

#include "../cuda/cuda.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace cuda_rig {
namespace {

void *library() {
    static void *const one = dlopen("libcuda.so.1", RTLD_NOW);
    return one;
}

/// Calls a function of the driver; ends the program when it fails.
template <class... Arguments> void call(const char *name, Arguments... arguments) {
    const auto function = library() ? reinterpret_cast<int (*)(Arguments...)>(dlsym(library(), name)) : nullptr;
    const int result = function ? function(arguments...) : -1;
    if (result != 0) {
        std::fprintf(stderr, "%s: %d\n", name, result);
        std::abort();
    }
}

void *context_of(int gpu) {
    static void *contexts[16] = {};
    if (!contexts[gpu]) {
        int device = 0;
        call("cuInit", 0u);
        call("cuDeviceGet", &device, gpu);
        call("cuDevicePrimaryCtxRetain", &contexts[gpu], device);
    }
    return contexts[gpu];
}

using fake_cuda::Copy;
using fake_cuda::End;
using fake_cuda::Shape;

} // namespace

bool is_there(std::string &reason) {
    if (!library()) {
        reason = "there is no libcuda.so.1";
        return false;
    }
    int count = 0;
    const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(library(), "cuInit"));
    const auto get_count = reinterpret_cast<int (*)(int *)>(dlsym(library(), "cuDeviceGetCount"));
    if (init(0) != 0 || get_count(&count) != 0 || count == 0) {
        reason = "CUDA's driver finds no GPU";
        return false;
    }
    return true;
}

int gpu_count() {
    int count = 0;
    call("cuInit", 0u);
    call("cuDeviceGetCount", &count);
    return count;
}

std::string name_of(int gpu, unsigned char *uuid) {
    char name[256] = {};
    int device = 0;
    call("cuInit", 0u);
    call("cuDeviceGet", &device, gpu);
    call("cuDeviceGetName", static_cast<char *>(name), static_cast<int>(sizeof name) - 1, device);
    call("cuDeviceGetUuid", uuid, device);
    return name;
}

void hurry(unsigned most) {
    if (const auto delay = reinterpret_cast<void (*)(unsigned)>(dlsym(library(), "fakeCudaDelay")))
        delay(most);
}

Current::Current(int gpu) { call("cuCtxPushCurrent_v2", context_of(gpu)); }
Current::~Current() {
    void *popped = nullptr;
    call("cuCtxPopCurrent_v2", &popped);
}

Stream::Stream(int gpu) : gpu_(gpu) {
    const Current current(gpu_);
    call("cuStreamCreate", &name_, 1u);
}
Stream::~Stream() {
    const Current current(gpu_);
    call("cuStreamDestroy_v2", name_);
}

void Stream::begin_capture() {
    const Current current(gpu_);
    call("cuStreamBeginCapture_v2", name_, 0);
}
bool Stream::end_capture() {
    const Current current(gpu_);
    void *graph = nullptr;
    const auto end = reinterpret_cast<int (*)(void *, void **)>(dlsym(library(), "cuStreamEndCapture"));
    return end(name_, &graph) == 0;
}

Memory::Memory(int gpu, Kind kind, std::size_t bytes) : gpu_(gpu), kind_(kind), bytes_(bytes + (bytes == 0)) {
    const Current current(gpu_);
    if (kind == Kind::pinned)
        call("cuMemHostAlloc", reinterpret_cast<void **>(&address_), bytes_, 3u);
    else if (kind == Kind::managed)
        call("cuMemAllocManaged", &address_, bytes_, 1u);
    else
        call("cuMemAlloc_v2", &address_, bytes_);
    call("cuMemHostAlloc", &carry_, bytes_, 3u);
}

Memory::~Memory() {
    const Current current(gpu_);
    call("cuMemFreeHost", carry_);
    if (kind_ == Kind::pinned)
        call("cuMemFreeHost", reinterpret_cast<void *>(address_));
    else
        call("cuMemFree_v2", address_);
}

void Memory::write(std::span<const std::byte> bytes, void *stream) {
    const Current current(gpu_);
    call("cuStreamSynchronize", stream); // with what may still read the pinned memory
    std::memcpy(carry_, bytes.data(), bytes.size());
    if (!bytes.empty())
        call("cuMemcpyAsync", address_, reinterpret_cast<std::uint64_t>(carry_), bytes.size(), stream);
}

void Memory::read(std::span<std::byte> bytes, void *stream) const {
    const Current current(gpu_);
    if (!bytes.empty())
        call("cuMemcpyAsync", reinterpret_cast<std::uint64_t>(carry_), address_, bytes.size(), stream);
    call("cuStreamSynchronize", stream);
    std::memcpy(bytes.data(), carry_, bytes.size());
}

Array::Array(int gpu, std::size_t width, std::size_t height, int format, unsigned channels, ArrayKind kind)
    : gpu_(gpu), level_(kind == ArrayKind::mipmapped ? 1 : 0), layer_(kind >= ArrayKind::solid ? 2 : 0) {
    const Current current(gpu_);
    constexpr unsigned layered = 1, for_surfaces = 2;
    const unsigned flags = (kind == ArrayKind::mipmapped ? layered : 0) | (kind == ArrayKind::plain ? 0 : for_surfaces);
    Shape shape{width << level_, height << level_, layer_ ? std::size_t{4} : 0, format, channels, flags};
    if (kind == ArrayKind::mipmapped) {
        call("cuMipmappedArrayCreate", &name_, &shape, level_ + 1);
        call("cuMipmappedArrayGetLevel", &pixels_, name_, level_);
    } else {
        call("cuArray3DCreate_v2", &name_, &shape);
        pixels_ = name_;
    }
}

Array::~Array() {
    const Current current(gpu_);
    call(level_ ? "cuMipmappedArrayDestroy" : "cuArrayDestroy", name_);
}

void Array::copy(std::uint64_t address, std::size_t bytes, std::size_t row_bytes, bool into, void *stream) const {
    if (bytes == 0)
        return;
    const Current current(gpu_);
    constexpr int array = 3, any = 4;
    Copy copy{};
    copy.width_bytes = row_bytes;
    copy.height = bytes / row_bytes;
    copy.depth = 1;
    End here{}, there{};
    here.type = array;
    here.array = pixels_;
    here.z = layer_;
    there.type = any;
    there.address = address;
    there.pitch = row_bytes;
    copy.from = into ? there : here;
    copy.to = into ? here : there;
    call("cuMemcpy3DAsync_v2", &copy, stream);
}

void Array::write(std::span<const std::byte> pixels, std::size_t row_bytes, void *stream) {
    Memory memory(gpu_, Kind::device, pixels.size());
    memory.write(pixels, stream);
    copy(reinterpret_cast<std::uint64_t>(memory.address()), pixels.size(), row_bytes, true, stream);
}

void Array::read(std::span<std::byte> pixels, std::size_t row_bytes, void *stream) const {
    const Memory memory(gpu_, Kind::device, pixels.size());
    copy(reinterpret_cast<std::uint64_t>(memory.address()), pixels.size(), row_bytes, false, stream);
    memory.read(pixels, stream);
}

} // namespace cuda_rig
