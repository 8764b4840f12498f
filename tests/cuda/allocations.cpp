// The stand-in's memory of cuMemAlloc and so on, and its arrays, with pixels in host memory.
#include "cuda.h"

#include "../../cudampi/kernels/work.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace fake_cuda;

namespace {

enum class Kind { device, managed, pinned };
struct Allocation {
    std::size_t bytes;
    Kind kind;
    int gpu;
    std::uint64_t number; ///< never used twice
};
struct Array {
    Shape shape;
    int gpu;
    std::vector<char> pixels;
    cudampi::kernels::HostArray for_kernels{};
};
struct Resource {
    std::size_t type;
    void *array;
    std::size_t others[16];
};
struct Mipmapped {
    std::vector<std::unique_ptr<Array>> levels;
};

std::mutex mutex;
std::map<std::uint64_t, Allocation> allocations;
std::set<Array *> arrays;
std::set<Mipmapped *> mipmapped_arrays;
std::multiset<std::uint64_t> objects; ///< of arrays, for kernels

/// All memory of cuMemAlloc: mapped once for its addresses, which the CPU may not touch, and once for the stand-in.
class Arena {
  public:
    Arena() : file_(memfd_create("stand-in", MFD_CLOEXEC)) {
        if (ftruncate(file_, static_cast<off_t>(bytes)) != 0)
            wrong("the stand-in gets no memory");
        start_ = map(PROT_NONE);
        inside_ = map(PROT_READ | PROT_WRITE);
    }
    bool has(std::uint64_t address) const { return address - start_ < bytes; }
    std::uint64_t inside(std::uint64_t address) const { return has(address) ? address - start_ + inside_ : address; }
    /// 0: there is no room. The memory that was freed last is used again last.
    std::uint64_t take(std::size_t size) {
        for (int round = 0; round < 2; ++round, next_ = 0)
            for (; next_ + size <= bytes;) {
                const auto behind = allocations.lower_bound(start_ + next_ + size);
                const auto last = behind == allocations.begin() ? allocations.end() : std::prev(behind);
                const std::uint64_t end =
                    last == allocations.end() || !has(last->first) ? 0 : last->first - start_ + last->second.bytes;
                if (end <= next_)
                    return start_ + std::exchange(next_, next_ + size);
                next_ = end;
            }
        return 0;
    }
    Handle handle(std::uint64_t address, std::size_t size) const {
        return {getpid(), file_, address - start_, size, {}};
    }
    void free(std::uint64_t address, std::size_t size) const {
        fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(address - start_),
                  static_cast<off_t>(size));
    }

  private:
    static constexpr std::size_t bytes = std::size_t{64} << 30;
    std::uint64_t map(int access) const {
        void *const where = mmap(nullptr, bytes, access, MAP_SHARED | MAP_NORESERVE, file_, 0);
        if (where == MAP_FAILED)
            wrong("the stand-in gets no memory");
        return reinterpret_cast<std::uint64_t>(where);
    }
    const int file_;
    std::uint64_t start_, inside_, next_ = 0;
};

Arena &arena() {
    static auto &one = *new Arena;
    return one;
}

Result allocate(const char *function, std::uint64_t &address, std::size_t bytes, Kind kind) {
    const int gpu = current_gpu(function);
    if (bytes == 0)
        return invalid_value;
    if (bytes > memory_limit())
        return out_of_memory;
    const std::size_t size = (bytes + 4095) / 4096 * 4096;
    const std::lock_guard lock(mutex);
    if (kind == Kind::device) {
        address = arena().take(size);
    } else {
        void *const where = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        address = where == MAP_FAILED ? 0 : reinterpret_cast<std::uint64_t>(where);
    }
    if (!address)
        return out_of_memory;
    static std::uint64_t last_number = 0;
    allocations[address] = {size, kind, gpu, ++last_number};
    return success;
}

Result free_one(const char *function, std::uint64_t address, bool pinned) {
    std::size_t bytes = 0;
    {
        const std::lock_guard lock(mutex);
        const auto found = allocations.find(address);
        if (found == allocations.end() || (found->second.kind == Kind::pinned) != pinned)
            wrong("%s: 0x%llx was not allocated", function, static_cast<unsigned long long>(address));
        bytes = found->second.bytes;
    }
    finish_all(function); // as the real one does
    check_unused(function, address, bytes);
    const std::lock_guard lock(mutex);
    allocations.erase(address);
    if (arena().has(address))
        arena().free(address, bytes);
    else
        munmap(reinterpret_cast<void *>(address), bytes);
    return success;
}

std::size_t pixel_bytes(const Shape &shape) {
    const std::size_t bytes = shape.format & 0x20                                              ? 4
                              : shape.format == 3 || shape.format == 0xa                       ? 4
                              : shape.format == 2 || shape.format == 9 || shape.format == 0x10 ? 2
                                                                                               : 1;
    return bytes * shape.channels;
}

Array *make_array(const Shape &shape, int gpu) {
    constexpr std::uint64_t widest = 16; // that kernels read and write at once
    auto *const array = new Array{shape, gpu, {}};
    const std::uint64_t row = (shape.width * pixel_bytes(shape) + widest - 1) / widest * widest,
                        layer = row * std::max<std::size_t>(1, shape.height);
    array->pixels.resize(layer * std::max<std::size_t>(1, shape.depth));
    array->for_kernels = {reinterpret_cast<std::uint64_t>(array->pixels.data()), row, layer};
    arrays.insert(array);
    return array;
}

Array &array_of(const char *function, void *name) {
    auto *const array = static_cast<Array *>(name);
    if (!arrays.contains(array))
        wrong("%s: %p is no array, or was destroyed", function, name);
    return *array;
}

struct Rows {
    char *first;
    std::size_t pitch;
};

/// Where the first row of an end lies; checks that all of it is there.
Rows rows_of(const char *function, int gpu, const End &end, const Copy &copy, std::vector<Span> &spans) {
    constexpr int host = 1, array = 3, any = 4; // host: any memory of the program's, which waits for the copy
    if (end.level != 0 || copy.depth != 1)
        wrong("%s: more than was expected", function);
    if (end.type == array) {
        const std::lock_guard lock(mutex);
        Array &one = array_of(function, end.array);
        const std::size_t row = one.shape.width * pixel_bytes(one.shape),
                          rows = std::max<std::size_t>(1, one.shape.height);
        if (end.x_bytes + copy.width_bytes > row || end.y + copy.height > rows ||
            end.z >= std::max<std::size_t>(1, one.shape.depth) || one.gpu != gpu)
            wrong("%s: beyond the array, or of another GPU", function);
        const cudampi::kernels::HostArray &all = one.for_kernels;
        return {one.pixels.data() + end.z * all.layer_bytes + end.y * all.row_bytes + end.x_bytes, all.row_bytes};
    }
    const bool rows_overlap = copy.height > 1 && end.pitch < copy.width_bytes;
    if (end.type == host && !end.x_bytes && !end.y)
        return {static_cast<char *>(const_cast<void *>(end.host)), end.pitch};
    if (end.type != any || end.x_bytes || end.y || end.z || rows_overlap)
        wrong("%s: type %d, pitch %zu", function, end.type, end.pitch);
    const std::size_t bytes = (copy.height - 1) * end.pitch + copy.width_bytes;
    check_range(function, gpu, end.address, bytes);
    spans.push_back({end.address, bytes});
    return {static_cast<char *>(inside(end.address)), end.pitch};
}

} // namespace

void *fake_cuda::inside(std::uint64_t address) { return reinterpret_cast<void *>(arena().inside(address)); }

bool fake_cuda::is_allocated(const char *function, int gpu, std::uint64_t address, std::size_t bytes) {
    const std::lock_guard lock(mutex);
    auto found = allocations.upper_bound(address);
    if (found == allocations.begin())
        return false;
    const auto &[start, one] = *--found;
    if (address - start >= one.bytes)
        return false;
    if (bytes > one.bytes - (address - start) || (gpu >= 0 && one.kind == Kind::device && one.gpu != gpu))
        wrong("%s: %zu bytes at 0x%llx are not all memory of that GPU", function, bytes,
              static_cast<unsigned long long>(address));
    return true;
}

#define MAY_FAIL(function)                                                                                             \
    if (Result failure; fails(function, failure))                                                                      \
        return failure;

extern "C" {

Result cuMemAlloc_v2(std::uint64_t *address, std::size_t bytes) {
    MAY_FAIL("cuMemAlloc_v2")
    return allocate("cuMemAlloc", *address, bytes, Kind::device);
}

Result cuMemAllocManaged(std::uint64_t *address, std::size_t bytes, unsigned flags) {
    if (flags != 1)
        wrong("cuMemAllocManaged: flags %u", flags);
    return allocate("cuMemAllocManaged", *address, bytes, Kind::managed);
}

Result cuMemHostAlloc(void **memory, std::size_t bytes, unsigned flags) {
    MAY_FAIL("cuMemHostAlloc")
    if (flags & ~7u)
        wrong("cuMemHostAlloc: flags %u", flags);
    std::uint64_t address = 0;
    const Result result = allocate("cuMemHostAlloc", address, bytes, Kind::pinned);
    *memory = reinterpret_cast<void *>(address);
    return result;
}

Result cuMemFree_v2(std::uint64_t address) {
    MAY_FAIL("cuMemFree_v2")
    return free_one("cuMemFree", address, false);
}
Result cuMemFreeHost(void *memory) {
    MAY_FAIL("cuMemFreeHost")
    return free_one("cuMemFreeHost", reinterpret_cast<std::uint64_t>(memory), true);
}

Result cuPointerGetAttributes(unsigned count, const int *questions, void **answers, std::uint64_t address) {
    MAY_FAIL("cuPointerGetAttributes")
    constexpr unsigned host = 1, device = 2;
    unsigned type = is_registered(address) ? host : 0;
    bool managed = false, has_context = false, has_handle = false;
    int gpu = 0;
    std::uint64_t number = 0, begin = 0, bytes = 0;
    if (is_mapped(address, gpu)) {
        type = device;
    } else {
        const std::lock_guard lock(mutex);
        auto found = allocations.upper_bound(address);
        if (found != allocations.begin() && address - std::prev(found)->first < std::prev(found)->second.bytes) {
            const Allocation &one = std::prev(found)->second;
            type = one.kind == Kind::pinned ? host : device;
            managed = one.kind == Kind::managed;
            gpu = one.gpu;
            has_context = true;
            has_handle = one.kind == Kind::device;
            number = one.number;
            begin = std::prev(found)->first;
            bytes = one.bytes;
        }
    }
    for (unsigned i = 0; i < count; ++i)
        switch (questions[i]) {
        case 1:
            *static_cast<void **>(answers[i]) =
                has_context ? reinterpret_cast<void *>(static_cast<std::intptr_t>(gpu) + 1) : nullptr;
            break;
        case 2:
            *static_cast<unsigned *>(answers[i]) = type;
            break;
        case 7:
            *static_cast<std::uint64_t *>(answers[i]) = number;
            break;
        case 8:
            *static_cast<unsigned *>(answers[i]) = managed;
            break;
        case 9:
            *static_cast<int *>(answers[i]) = type ? gpu : -2;
            break;
        case 10:
            *static_cast<bool *>(answers[i]) = has_handle;
            break;
        case 11:
            *static_cast<std::uint64_t *>(answers[i]) = begin;
            break;
        case 12:
            *static_cast<std::uint64_t *>(answers[i]) = bytes;
            break;
        default:
            wrong("cuPointerGetAttributes: question %d", questions[i]);
        }
    return success;
}

Result cuIpcGetMemHandle(Handle *handle, std::uint64_t address) {
    MAY_FAIL("cuIpcGetMemHandle")
    const std::lock_guard lock(mutex);
    auto found = allocations.upper_bound(address);
    if (found == allocations.begin() || address - std::prev(found)->first >= std::prev(found)->second.bytes ||
        std::prev(found)->second.kind != Kind::device)
        wrong("cuIpcGetMemHandle: 0x%llx is no memory of cuMemAlloc", static_cast<unsigned long long>(address));
    --found;
    *handle = arena().handle(found->first, found->second.bytes);
    return success;
}

Result cuArray3DCreate_v2(void **array, const Shape *shape) {
    const int gpu = current_gpu("cuArray3DCreate");
    const std::lock_guard lock(mutex);
    *array = make_array(*shape, gpu);
    return success;
}

Result cuArrayDestroy(void *array) {
    finish_all("cuArrayDestroy");
    const std::lock_guard lock(mutex);
    Array *const gone = &array_of("cuArrayDestroy", array);
    arrays.erase(gone);
    delete gone;
    return success;
}

Result cuArray3DGetDescriptor_v2(Shape *shape, void *array) {
    MAY_FAIL("cuArray3DGetDescriptor_v2")
    const std::lock_guard lock(mutex);
    *shape = array_of("cuArray3DGetDescriptor", array).shape;
    return success;
}

Result cuMipmappedArrayCreate(void **mipmapped, const Shape *shape, unsigned levels) {
    const int gpu = current_gpu("cuMipmappedArrayCreate");
    const std::lock_guard lock(mutex);
    auto made = std::make_unique<Mipmapped>();
    Shape level = *shape;
    for (unsigned i = 0; i < levels; ++i) {
        made->levels.emplace_back(make_array(level, gpu));
        level.width = std::max<std::size_t>(1, level.width / 2);
        level.height = std::max<std::size_t>(1, level.height / 2);
    }
    mipmapped_arrays.insert(made.get());
    *mipmapped = made.release();
    return success;
}

Result cuMipmappedArrayDestroy(void *mipmapped) {
    finish_all("cuMipmappedArrayDestroy");
    const std::lock_guard lock(mutex);
    const std::unique_ptr<Mipmapped> gone(static_cast<Mipmapped *>(mipmapped));
    if (!mipmapped_arrays.erase(gone.get()))
        wrong("cuMipmappedArrayDestroy: %p is no mipmapped array", mipmapped);
    for (const auto &level : gone->levels)
        arrays.erase(level.get());
    return success;
}

Result cuMipmappedArrayGetLevel(void **array, void *mipmapped, unsigned level) {
    const std::lock_guard lock(mutex);
    auto *const found = static_cast<Mipmapped *>(mipmapped);
    if (!mipmapped_arrays.contains(found))
        wrong("cuMipmappedArrayGetLevel: %p is no mipmapped array", mipmapped);
    if (level >= found->levels.size())
        return invalid_value;
    *array = found->levels[level].get();
    return success;
}

Result cuSurfObjectCreate(std::uint64_t *object, const Resource *resource) {
    MAY_FAIL("cuSurfObjectCreate")
    constexpr unsigned for_surfaces = 2;
    const int gpu = current_gpu("cuSurfObjectCreate");
    const std::lock_guard lock(mutex);
    const Array &array = array_of("cuSurfObjectCreate", resource->array);
    if (resource->type != 0 || !(array.shape.flags & for_surfaces) || array.gpu != gpu)
        wrong("cuSurfObjectCreate: no array for surfaces, or of another GPU");
    *object = reinterpret_cast<std::uint64_t>(&array.for_kernels);
    objects.insert(*object);
    return success;
}

Result cuSurfObjectDestroy(std::uint64_t object) {
    const std::lock_guard lock(mutex);
    if (const auto found = objects.find(object); found != objects.end())
        objects.erase(found);
    else
        wrong("cuSurfObjectDestroy: 0x%llx is none", static_cast<unsigned long long>(object));
    return success;
}

Result cuMemcpy3DAsync_v2(const Copy *copy, void *stream) {
    MAY_FAIL("cuMemcpy3DAsync_v2")
    const int gpu = gpu_of_stream("cuMemcpy3DAsync", stream);
    if (copy->width_bytes == 0 || copy->height == 0)
        wrong("cuMemcpy3DAsync: nothing to copy");
    Task task;
    const Rows from = rows_of("cuMemcpy3DAsync (from)", gpu, copy->from, *copy, task.spans);
    const Rows to = rows_of("cuMemcpy3DAsync (to)", gpu, copy->to, *copy, task.spans);
    const auto rows = [=, width = copy->width_bytes](std::size_t count) {
        for (std::size_t y = 0; y < count; ++y)
            std::memcpy(to.first + y * to.pitch, from.first + y * from.pitch, width);
    };
    task.all = [rows, height = copy->height] { rows(height); };
    task.some = [rows, height = copy->height / 2] { rows(height); };
    submit("cuMemcpy3DAsync", stream, std::move(task));
    return success;
}
}
