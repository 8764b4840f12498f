// The stand-in's memory: files in memory, mapped at reserved addresses.
#include "cuda.h"

#include <test_gpus.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace fake_cuda;

namespace {

struct Location {
    int type, id;
};
struct Properties {
    int type, handle_types;
    Location location;
    void *win32;
    unsigned char compression, rdma, others[6];
};
struct Access {
    Location location;
    int flags;
};

struct Piece {
    int file = -1;
    std::size_t bytes = 0;
    bool for_networks = false;
};
struct Range {
    std::size_t bytes = 0;
    bool for_networks = false;
    bool mapped = false;
    int accessible_by = -1;
};

std::mutex mutex;
std::map<std::uint64_t, Piece> pieces;           // by handle
std::map<std::uint64_t, Range> ranges;           // by address
std::map<std::uint64_t, std::size_t> registered; // of the host's memory; GPUs see it where the CPU does
std::uint64_t last_handle = 0x1000;

Piece &piece_of(const char *function, std::uint64_t handle) {
    const auto found = pieces.find(handle);
    if (found == pieces.end())
        wrong("%s: handle 0x%llx is not one, or was released", function, static_cast<unsigned long long>(handle));
    return found->second;
}

Range &range_of(const char *function, std::uint64_t address, std::size_t bytes) {
    const auto found = ranges.find(address);
    if (found == ranges.end() || found->second.bytes != bytes)
        wrong("%s: %zu bytes at 0x%llx were not reserved, or are free again", function, bytes,
              static_cast<unsigned long long>(address));
    return found->second;
}

void *pointer(std::uint64_t address) { return reinterpret_cast<void *>(address); }

bool is_ours(int file, std::size_t &bytes) {
    char path[64], target[128] = {};
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct stat status {};
    if (readlink(path, target, sizeof target - 1) < 0 || !std::strstr(target, test_gpus::memory_name) ||
        fstat(file, &status) != 0)
        return false;
    bytes = static_cast<std::size_t>(status.st_size);
    return true;
}

void check_properties(const char *function, const Properties *properties) {
    if (properties->type != 1 || properties->handle_types != 1 || properties->location.type != 1 || properties->win32)
        wrong("%s: expected pinned memory of a device, shared by POSIX descriptors", function);
    if (properties->compression || properties->rdma > 1)
        wrong("%s: flags that were not expected", function);
    if (properties->location.id < 0 || properties->location.id >= gpu_count())
        wrong("%s: no GPU %d", function, properties->location.id);
}

} // namespace

bool fake_cuda::is_mapped(std::uint64_t address, int &gpu) {
    const std::lock_guard lock(mutex);
    for (const auto &[start, range] : ranges)
        if (address >= start && address - start < range.bytes && range.mapped) {
            gpu = range.accessible_by;
            return true;
        }
    return false;
}

bool fake_cuda::is_registered(std::uint64_t address) {
    const std::lock_guard lock(mutex);
    return std::any_of(registered.begin(), registered.end(),
                       [&](const auto &one) { return address >= one.first && address - one.first < one.second; });
}

void fake_cuda::check_range(const char *function, int gpu, std::uint64_t address, std::size_t bytes) {
    if (is_allocated(function, gpu, address, bytes))
        return;
    const std::lock_guard lock(mutex);
    for (const auto &[start, size] : registered)
        if (address >= start && address - start < size && bytes <= size - (address - start))
            return;
    auto found = ranges.upper_bound(address);
    if (found == ranges.begin())
        wrong("%s: 0x%llx is no memory", function, static_cast<unsigned long long>(address));
    const auto &[start, range] = *--found;
    if (address - start >= range.bytes || bytes > range.bytes - (address - start) || !range.mapped)
        wrong("%s: %zu bytes at 0x%llx are not in memory that is mapped", function, bytes,
              static_cast<unsigned long long>(address));
    if (range.accessible_by != gpu)
        wrong("%s: GPU %d may not access 0x%llx", function, gpu, static_cast<unsigned long long>(address));
}

#define MAY_FAIL(function)                                                                                             \
    if (Result failure; fails(function, failure))                                                                      \
        return failure;

extern "C" {

int fakeCudaOwner(const void *memory, std::size_t bytes, bool *for_networks) {
    const auto address = reinterpret_cast<std::uint64_t>(memory);
    const std::lock_guard lock(mutex);
    for (const auto &[start, range] : ranges) {
        if (address >= start + range.bytes || start >= address + bytes)
            continue;
        if (address < start || address + bytes > start + range.bytes || !range.mapped || range.accessible_by < 0)
            wrong("%zu bytes at %p are not all in memory that is mapped", bytes, memory);
        *for_networks = range.for_networks;
        return range.accessible_by;
    }
    return -1;
}

Result cuMemGetAllocationGranularity(std::size_t *bytes, const Properties *properties, int) {
    MAY_FAIL("cuMemGetAllocationGranularity")
    check_properties("cuMemGetAllocationGranularity", properties);
    *bytes = grain;
    return success;
}

Result cuMemCreate(std::uint64_t *handle, std::size_t bytes, const Properties *properties, unsigned long long flags) {
    MAY_FAIL("cuMemCreate")
    current_gpu("cuMemCreate");
    check_properties("cuMemCreate", properties);
    if (bytes == 0 || bytes % grain != 0 || flags != 0)
        wrong("cuMemCreate: %zu bytes, expected a multiple of %zu", bytes, grain);
    if (bytes > memory_limit())
        return out_of_memory;
    const int file = memfd_create(test_gpus::memory_name, MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0)
        wrong("memfd_create failed");
    const std::lock_guard lock(mutex);
    *handle = ++last_handle;
    pieces[*handle] = {file, bytes, properties->rdma == 1};
    return success;
}

Result cuMemRelease(std::uint64_t handle) {
    const std::lock_guard lock(mutex);
    close(piece_of("cuMemRelease", handle).file);
    pieces.erase(handle);
    return success;
}

Result cuMemExportToShareableHandle(int *descriptor, std::uint64_t handle, int type, unsigned long long flags) {
    MAY_FAIL("cuMemExportToShareableHandle")
    const std::lock_guard lock(mutex);
    if (type != 1 || flags != 0)
        wrong("cuMemExportToShareableHandle: expected a POSIX descriptor");
    const int file = piece_of("cuMemExportToShareableHandle", handle).file;
    *descriptor = exported_instead() ? exported_instead()() : dup(file);
    return success;
}

Result cuMemImportFromShareableHandle(std::uint64_t *handle, void *descriptor, int type) {
    MAY_FAIL("cuMemImportFromShareableHandle")
    current_gpu("cuMemImportFromShareableHandle");
    const auto file = static_cast<int>(reinterpret_cast<std::intptr_t>(descriptor));
    std::size_t bytes = 0;
    if (type != 1)
        wrong("cuMemImportFromShareableHandle: expected a POSIX descriptor");
    if (!is_ours(file, bytes))
        return invalid_value;
    const std::lock_guard lock(mutex);
    *handle = ++last_handle;
    pieces[*handle] = {dup(file), bytes, false};
    return success;
}

Result cuMemAddressReserve(std::uint64_t *address, std::size_t bytes, std::size_t alignment, std::uint64_t wish,
                           unsigned long long flags) {
    MAY_FAIL("cuMemAddressReserve")
    if (alignment || wish || flags)
        wrong("cuMemAddressReserve: more than was expected");
    if (bytes == 0 || bytes % grain != 0)
        return invalid_value;
    void *const where = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (where == MAP_FAILED)
        return out_of_memory;
    const std::lock_guard lock(mutex);
    *address = reinterpret_cast<std::uint64_t>(where);
    ranges[*address] = {bytes, false, false, -1};
    return success;
}

Result cuMemAddressFree(std::uint64_t address, std::size_t bytes) {
    const std::lock_guard lock(mutex);
    if (range_of("cuMemAddressFree", address, bytes).mapped)
        wrong("cuMemAddressFree: memory is mapped there");
    ranges.erase(address);
    munmap(pointer(address), bytes);
    return success;
}

Result cuMemMap(std::uint64_t address, std::size_t bytes, std::size_t offset, std::uint64_t handle,
                unsigned long long flags) {
    MAY_FAIL("cuMemMap")
    const std::lock_guard lock(mutex);
    Range &range = range_of("cuMemMap", address, bytes);
    const Piece &piece = piece_of("cuMemMap", handle);
    if (range.mapped || offset != 0 || flags != 0)
        wrong("cuMemMap: is mapped already, or has an offset");
    if (bytes > piece.bytes)
        return invalid_value;
    if (mmap(pointer(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, piece.file, 0) == MAP_FAILED)
        return out_of_memory;
    range.mapped = true;
    range.for_networks = piece.for_networks;
    return success;
}

Result cuMemUnmap(std::uint64_t address, std::size_t bytes) {
    MAY_FAIL("cuMemUnmap")
    check_unused("cuMemUnmap", address, bytes);
    const std::lock_guard lock(mutex);
    Range &range = range_of("cuMemUnmap", address, bytes);
    if (!range.mapped)
        wrong("cuMemUnmap: nothing is mapped there");
    mmap(pointer(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    range.mapped = false;
    range.accessible_by = -1;
    return success;
}

Result cuMemSetAccess(std::uint64_t address, std::size_t bytes, const Access *access, std::size_t count) {
    MAY_FAIL("cuMemSetAccess")
    const std::lock_guard lock(mutex);
    Range &range = range_of("cuMemSetAccess", address, bytes);
    if (!range.mapped || count != 1 || access->location.type != 1 || access->flags != 3)
        wrong("cuMemSetAccess: expected one device that reads and writes memory that is mapped");
    if (mprotect(pointer(address), bytes, PROT_READ | PROT_WRITE) != 0)
        return unknown;
    range.accessible_by = access->location.id;
    return success;
}

Result cuIpcOpenMemHandle_v2(std::uint64_t *address, Handle handle, unsigned flags) {
    MAY_FAIL("cuIpcOpenMemHandle_v2")
    const int gpu = current_gpu("cuIpcOpenMemHandle");
    if (flags != 1 || handle.process == getpid())
        wrong("cuIpcOpenMemHandle: flags %u, or memory of this process", flags);
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/fd/%d", handle.process, handle.file);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    void *const where = file < 0 ? MAP_FAILED
                                 : mmap(nullptr, handle.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                                        static_cast<off_t>(handle.offset));
    close(file);
    if (where == MAP_FAILED)
        return invalid_value;
    const std::lock_guard lock(mutex);
    *address = reinterpret_cast<std::uint64_t>(where);
    ranges[*address] = {handle.bytes, false, true, gpu};
    return success;
}

Result cuIpcCloseMemHandle(std::uint64_t address) {
    std::size_t bytes = 0;
    {
        const std::lock_guard lock(mutex);
        const auto found = ranges.find(address);
        if (found == ranges.end())
            wrong("cuIpcCloseMemHandle: 0x%llx was not opened", static_cast<unsigned long long>(address));
        bytes = found->second.bytes;
    }
    finish_all("cuIpcCloseMemHandle"); // as the real one does
    check_unused("cuIpcCloseMemHandle", address, bytes);
    const std::lock_guard lock(mutex);
    ranges.erase(address);
    munmap(pointer(address), bytes);
    return success;
}

Result cuMemHostRegister_v2(void *memory, std::size_t bytes, unsigned flags) {
    MAY_FAIL("cuMemHostRegister_v2")
    current_gpu("cuMemHostRegister");
    constexpr Result registered_already = 712;
    const auto address = reinterpret_cast<std::uint64_t>(memory);
    if (address % 4096 || bytes == 0 || flags & ~7u)
        wrong("cuMemHostRegister: %zu bytes at %p, flags %u", bytes, memory, flags);
    const std::lock_guard lock(mutex);
    return registered.emplace(address, bytes).second ? success : registered_already;
}

Result cuMemHostUnregister(void *memory) {
    const auto address = reinterpret_cast<std::uint64_t>(memory);
    std::size_t bytes = 0;
    {
        const std::lock_guard lock(mutex);
        const auto found = registered.find(address);
        if (found == registered.end())
            wrong("cuMemHostUnregister: %p was not registered", memory);
        bytes = found->second;
        registered.erase(found);
    }
    check_unused("cuMemHostUnregister", address, bytes);
    return success;
}

Result cuMemHostGetDevicePointer_v2(std::uint64_t *address, void *memory, unsigned flags) {
    MAY_FAIL("cuMemHostGetDevicePointer_v2")
    const auto wanted = reinterpret_cast<std::uint64_t>(memory);
    if (flags || (!is_registered(wanted) && !is_allocated("cuMemHostGetDevicePointer", -1, wanted, 1)))
        return invalid_value;
    *address = reinterpret_cast<std::uint64_t>(memory);
    return success;
}
}
