#include "stage.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace pixmpi {

namespace {

std::size_t rounded(std::size_t bytes) { return (bytes + StageMemory::unit - 1) / StageMemory::unit * StageMemory::unit; }

} // namespace

StageMemory::~StageMemory() {
    if (map_.base)
        munmap(map_.base, map_.bytes);
    if (descriptor_ >= 0)
        close(descriptor_);
}

Status StageMemory::open(std::size_t bytes, std::uint64_t owner) {
    bytes = bytes / unit * unit;
    descriptor_ = memfd_create("pixmpi-stage", MFD_CLOEXEC);
    if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0)
        return fail(PIXMPI_ERR_MEMORY, "%zu bytes of shared memory for the stage: %s", bytes, std::strerror(errno));
    void *base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (base == MAP_FAILED)
        return fail(PIXMPI_ERR_MEMORY, "%zu bytes of shared memory for the stage: %s", bytes, std::strerror(errno));
    map_ = {static_cast<std::byte *>(base), bytes};

    // A sixteenth for the flows, a page at least: 32 Ki of them with 64 MiB.
    const std::size_t flow_bytes = std::max(unit, rounded(bytes / 64));
    const auto flows = static_cast<std::uint32_t>((flow_bytes - flows_offset) / sizeof(Flow));
    new (base) StageHeader{stage_magic, owner, flows, 0, bytes};
    free_flows_.reserve(flows);
    for (std::uint32_t i = flows; i-- > 0;)
        free_flows_.push_back(i);
    data_ = flow_bytes;
    units_.assign((bytes - data_) / unit, 0);
    return PIXMPI_SUCCESS;
}

bool StageMemory::take(std::size_t bytes, Claim claim, std::size_t &offset) {
    const std::size_t wanted = rounded(std::max<std::size_t>(bytes, 1)), n = wanted / unit;
    if (claim == Claim::speculative && speculative_ + wanted > units_.size() * unit / 2)
        return false;
    if (in_use_ + wanted > map_.bytes) // a device holds the rest
        return false;
    // First fit, so that the same few units, warm in the cache, serve again and again.
    for (std::size_t i = first_free_; i + n <= units_.size();) {
        const auto from = units_.begin() + static_cast<std::ptrdiff_t>(i), to = from + static_cast<std::ptrdiff_t>(n);
        const auto taken = std::find(std::make_reverse_iterator(to), std::make_reverse_iterator(from), 1);
        if (taken.base() == from) {
            std::fill(from, to, std::uint8_t{1});
            if (i == first_free_)
                first_free_ = i + n;
            offset = data_ + i * unit;
            if (claim == Claim::speculative)
                speculative_ += wanted;
            count(wanted);
            return true;
        }
        i = static_cast<std::size_t>(taken.base() - units_.begin());
    }
    return false;
}

void StageMemory::give(std::size_t offset, std::size_t bytes, Claim claim) {
    const std::size_t wanted = rounded(std::max<std::size_t>(bytes, 1)), i = (offset - data_) / unit;
    std::fill_n(units_.begin() + static_cast<std::ptrdiff_t>(i), wanted / unit, std::uint8_t{0});
    first_free_ = std::min(first_free_, i);
    if (claim == Claim::speculative)
        speculative_ -= wanted;
    in_use_ -= wanted;
}

bool StageMemory::take_flow(std::uint32_t &index) {
    if (free_flows_.empty())
        return false;
    index = free_flows_.back();
    free_flows_.pop_back();
    map_.flow(index).reset();
    return true;
}

void StageMemory::give_flow(std::uint32_t index) { free_flows_.push_back(index); }

bool StageMemory::reserve(std::size_t bytes) {
    // A quarter stays for lanes, or messages would wait for what a device keeps for good.
    if (in_use_ + bytes > map_.bytes / 4 * 3)
        return false;
    count(bytes);
    return true;
}

void StageMemory::release(std::size_t bytes) { in_use_ -= bytes; }

void StageMemory::count(std::size_t bytes) {
    in_use_ += bytes;
    most_ = std::max(most_, in_use_);
}

} // namespace pixmpi
