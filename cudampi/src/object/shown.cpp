#include "object/shown.h"

#include "base/environment.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

namespace cudampi {

using namespace pixmpi;

namespace {

constexpr std::uint64_t largest = std::uint64_t{1} << 30, most_bytes = 2 * largest;
constexpr std::size_t most_seen = 32;

} // namespace

/// Of an allocation of another process.
struct ShownMemories::Mapped {
    Mapped(const Context &context_, CudaAddress address_) : context(context_), address(address_) {}
    ~Mapped() {
        const Current current(context.handle);
        if (current.pushed())
            (void)CUDA_DO(cuIpcCloseMemHandle, address);
    }
    Mapped(const Mapped &) = delete;
    Mapped &operator=(const Mapped &) = delete;
    const Context context;
    const CudaAddress address;
};

Status ShownMemories::open() { return read_word("PIXMPI_CUDA_IN_PLACE", never_); }

bool ShownMemories::show(CudaAddress address, ShownPixels &shown) {
    const int questions[] = {cuda_pointer_number, cuda_pointer_begin, cuda_pointer_bytes, cuda_pointer_has_handle};
    CudaAddress begin = 0;
    int has_handle = 0;
    void *answers[] = {&shown.memory, &begin, &shown.bytes, &has_handle};
    if (never_ || !CUDA_DO(cuPointerGetAttributes, 4, questions, answers, address) || !has_handle ||
        shown.memory == 0 || shown.bytes > largest)
        return false;
    auto found =
        std::find_if(handles_.begin(), handles_.end(), [&](const Handle &one) { return one.memory == shown.memory; });
    if (found == handles_.end()) {
        CudaMemoryHandle handle{};
        if (!CUDA_DO(cuIpcGetMemHandle, &handle, address))
            return false;
        found = handles_.begin() + static_cast<std::ptrdiff_t>(next_handle_++ % handles_.size());
        *found = {shown.memory, handle};
    }
    std::memcpy(shown.handle, found->handle.bytes, sizeof shown.handle);
    shown.offset = address - begin;
    shown.address = address;
    shown.context = reinterpret_cast<std::uint64_t>(context_.handle);
    return true;
}

CudaAddress ShownMemories::see(const std::shared_ptr<Peer> &owner, const ShownPixels &shown,
                               std::shared_ptr<const void> &hold) {
    if (never_ || shown.bytes > largest || shown.offset >= shown.bytes)
        return 0;
    if (owner->card.pid == getpid()) // no process maps what is its own
        return shown.context == reinterpret_cast<std::uint64_t>(context_.handle) ? shown.address : 0;
    std::erase_if(seen_, [](const Seen &one) { return one.owner.expired(); });
    const std::uint64_t begin = shown.address - shown.offset;
    auto found = std::find_if(seen_.begin(), seen_.end(), [&](const Seen &one) {
        return one.memory == shown.memory && one.begin == begin && one.bytes == shown.bytes &&
               one.owner.lock() == owner;
    });
    if (found == seen_.end()) {
        std::erase_if(seen_, [&](const Seen &one) { // those that the owner has freed: others are there now
            return one.mapped.use_count() <= 1 && one.begin < begin + shown.bytes && begin < one.begin + one.bytes &&
                   one.owner.lock() == owner;
        });
        if (!make_room(shown.bytes))
            return 0;
        seen_.push_back({owner, shown.memory, begin, shown.bytes, map(shown), {}});
        found = std::prev(seen_.end());
    }
    found->used = std::chrono::steady_clock::now();
    if (!found->mapped)
        return 0;
    hold = found->mapped;
    return found->mapped->address + shown.offset;
}

/// Whether another allocation may be mapped. To map and unmap them alternately would take longer than to pack.
bool ShownMemories::make_room(std::uint64_t bytes) {
    constexpr std::chrono::seconds rest{5};
    const auto now = std::chrono::steady_clock::now();
    for (;;) {
        std::uint64_t sum = bytes;
        auto oldest = seen_.end();
        for (auto one = seen_.begin(); one != seen_.end(); ++one) {
            sum += one->mapped ? one->bytes : 0;
            const bool rests = one->mapped.use_count() <= 1 && now - one->used > rest;
            if (rests && (oldest == seen_.end() || one->used < oldest->used))
                oldest = one;
        }
        if (seen_.size() < most_seen && sum <= most_bytes)
            return true;
        if (oldest == seen_.end())
            return false;
        seen_.erase(oldest);
    }
}

std::shared_ptr<const ShownMemories::Mapped> ShownMemories::map(const ShownPixels &shown) const {
    constexpr unsigned reach_other_gpus = 1;
    CudaMemoryHandle handle{};
    std::memcpy(handle.bytes, shown.handle, sizeof handle.bytes);
    CudaAddress address = 0;
    if (CUDA_DO(cuIpcOpenMemHandle_v2, &address, handle, reach_other_gpus))
        return std::make_shared<Mapped>(context_, address);
    core().log(PIXMPI_LOG_INFO, "cudampi: CUDA does not map another process' memory; its pixels are packed");
    return nullptr;
}

} // namespace cudampi
