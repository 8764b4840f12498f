// What tests say to the stand-in, its complaints, devices and contexts.
#include "cuda.h"

#include <test_gpus.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace fake_cuda {
namespace {

struct Fault {
    Result result = success;
    int after = 0, times = 0, calls = 0;
};
std::mutex mutex;
std::map<std::string, Fault> faults;
std::size_t limit = std::numeric_limits<std::size_t>::max();
constexpr unsigned usual_delay = 400;
unsigned delay = usual_delay;
int (*instead)() = nullptr;
thread_local std::vector<int> contexts;

} // namespace

void wrong(const char *format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::fprintf(stderr, "CUDA's stand-in was handed what is wrong: ");
    std::vfprintf(stderr, format, arguments);
    std::fprintf(stderr, "\n");
    va_end(arguments);
    std::abort();
}

bool fails(const char *function, Result &result) {
    const std::lock_guard lock(mutex);
    Fault &fault = faults[function];
    ++fault.calls;
    if (fault.times == 0 || fault.after-- > 0)
        return false;
    --fault.times;
    fault.after = 0;
    result = fault.result;
    return true;
}

std::size_t memory_limit() { return limit; }
unsigned longest_delay() { return delay; }
int (*exported_instead())() { return instead; }

int gpu_count() { return test_gpus::count(); }

int current_gpu(const char *function) {
    if (contexts.empty())
        wrong("%s without a current context", function);
    return contexts.back();
}

} // namespace fake_cuda

using namespace fake_cuda;

extern "C" {

void fakeCudaFail(const char *function, int result, int after, int times) {
    const std::lock_guard lock(mutex);
    Fault &fault = faults[function];
    fault.result = result;
    fault.after = after;
    fault.times = times;
}

void fakeCudaHeal() {
    const std::lock_guard lock(mutex);
    for (auto &[name, fault] : faults)
        fault.times = 0;
    limit = std::numeric_limits<std::size_t>::max();
    instead = nullptr;
    delay = usual_delay;
}

int fakeCudaCalls(const char *function) {
    const std::lock_guard lock(mutex);
    return faults[function].calls;
}

int fakeCudaCurrent() { return contexts.empty() ? -1 : contexts.back(); }
void fakeCudaLimit(std::size_t bytes) { limit = bytes; }
void fakeCudaDelay(unsigned most) { delay = most ? most : usual_delay; }
void fakeCudaExport(int (*make)()) { instead = make; }

Result cuInit(unsigned flags) { return flags == 0 && gpu_count() > 0 ? success : 100; }

Result cuGetErrorName(Result result, const char **name) {
    switch (result) {
    case invalid_value:
        *name = "CUDA_ERROR_INVALID_VALUE";
        return success;
    case out_of_memory:
        *name = "CUDA_ERROR_OUT_OF_MEMORY";
        return success;
    default:
        *name = nullptr;
        return invalid_value;
    }
}

Result cuDeviceGetCount(int *count) {
    *count = gpu_count();
    return success;
}

Result cuDeviceGet(int *device, int ordinal) {
    if (ordinal < 0 || ordinal >= gpu_count())
        return invalid_device;
    *device = ordinal;
    return success;
}

Result cuDeviceGetUuid(std::uint8_t *uuid, int device) {
    if (device < 0 || device >= gpu_count())
        return invalid_device;
    test_gpus::write_uuid(device, uuid);
    return success;
}

Result cuDeviceGetAttribute(int *value, int attribute, int device) {
    constexpr int major = 75, rdma_with_virtual_memory = 110;
    if (device < 0 || device >= gpu_count() || (attribute != rdma_with_virtual_memory && attribute != major))
        return invalid_value;
    *value = attribute == major ? 9 : 1;
    return success;
}

Result cuDeviceGetName(char *name, int bytes, int device) {
    if (device < 0 || device >= gpu_count())
        return invalid_device;
    std::snprintf(name, static_cast<std::size_t>(bytes), "stand-in GPU %d", device);
    return success;
}

Result cuCtxGetCurrent(void **context) {
    *context = contexts.empty() ? nullptr : reinterpret_cast<void *>(static_cast<std::intptr_t>(contexts.back()) + 1);
    return success;
}

Result cuCtxGetDevice(int *device) {
    *device = current_gpu("cuCtxGetDevice");
    return success;
}

Result cuDevicePrimaryCtxRetain(void **context, int device) {
    if (Result failure; fails("cuDevicePrimaryCtxRetain", failure))
        return failure;
    if (device < 0 || device >= gpu_count())
        return invalid_device;
    *context = reinterpret_cast<void *>(static_cast<std::intptr_t>(device) + 1);
    return success;
}

Result cuCtxPushCurrent_v2(void *context) {
    if (Result failure; fails("cuCtxPushCurrent_v2", failure))
        return failure;
    const auto number = reinterpret_cast<std::intptr_t>(context);
    if (number < 1 || number > gpu_count())
        wrong("cuCtxPushCurrent: %p is no context", context);
    if (contexts.size() == 4)
        wrong("cuCtxPushCurrent: contexts are pushed and never popped");
    contexts.push_back(static_cast<int>(number) - 1);
    return success;
}

Result cuCtxPopCurrent_v2(void **context) {
    *context = reinterpret_cast<void *>(static_cast<std::intptr_t>(current_gpu("cuCtxPopCurrent")) + 1);
    contexts.pop_back();
    return success;
}
}
