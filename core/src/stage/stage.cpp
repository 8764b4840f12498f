#include "stage/stage.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace pixmpi {

namespace {

constexpr std::size_t unit = StageMemory::unit;

std::size_t rounded(std::size_t bytes) { return (bytes + unit - 1) / unit * unit; }

// A sixty-fourth of the memory: about 4000 flows with 64 MiB.
std::size_t flow_bytes(std::size_t bytes) { return std::max(unit, rounded(bytes / 64)); }

} // namespace

StageMemory::~StageMemory() {
    if (map_.base)
        munmap(map_.base, map_.bytes);
    if (descriptor_ >= 0)
        close(descriptor_);
}

Status StageMemory::open(std::size_t bytes, std::uint64_t owner) {
    bytes = bytes / unit * unit;
    descriptor_ = memfd_create("pixmpi-stage", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0)
        return fail(PIXMPI_ERR_MEMORY, "%zu bytes of shared memory for the stage: %s", bytes, std::strerror(errno));
    // Pages that are cut off end their users by a signal. Others look for these seals before they map it.
    (void)fcntl(descriptor_, F_ADD_SEALS, stage_seals | F_SEAL_SEAL);
    void *base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (base == MAP_FAILED)
        return fail(PIXMPI_ERR_MEMORY, "%zu bytes of shared memory for the stage: %s", bytes, std::strerror(errno));
    const auto flows = static_cast<std::uint32_t>((flow_bytes(bytes) - flows_offset) / sizeof(Flow));
    new (base) StageHeader{stage_magic, owner, flows, 0, bytes, {}, {}};
    map_ = {static_cast<std::byte *>(base), bytes, flows};
    free_flows_.reserve(flows);
    for (std::uint32_t i = flows; i-- > 0;)
        free_flows_.push_back(i);
    data_ = flow_bytes(bytes);
    units_ = Units(bytes - data_, unit);
    return PIXMPI_SUCCESS;
}

std::size_t StageMemory::largest(std::size_t bytes) {
    bytes = bytes / unit * unit;
    return (bytes - flow_bytes(bytes)) / unit / 4 * unit;
}

bool StageMemory::allocate(std::size_t bytes, Claim claim, std::size_t &offset) {
    const std::size_t wanted = units_.rounded(bytes), all = units_.bytes(), half = all / unit / 2 * unit;
    const std::size_t last = half + (all - half) / unit / 2 * unit;
    if (in_use_ + wanted > map_.bytes) { // a device holds the rest
        ran_short_ = true;
        return false;
    }
    const auto place = [&](std::size_t from, std::size_t to) { return units_.allocate(wanted, from, to, offset); };
    bool placed = claim == Claim::wanted && (place(last, all) || place(half, all));
    placed = placed || (claim == Claim::receiving && place(half, last));
    if (!placed && !place(0, half))
        return false;
    offset += data_;
    count(wanted);
    return true;
}

void StageMemory::free(std::size_t offset, std::size_t bytes) {
    units_.free(offset - data_, bytes);
    in_use_ -= units_.rounded(bytes);
}

bool StageMemory::allocate_flow(std::uint32_t &index) {
    if (free_flows_.empty())
        return false;
    index = free_flows_.back();
    free_flows_.pop_back();
    map_.flow(index).reset();
    return true;
}

void StageMemory::free_flow(std::uint32_t index) { free_flows_.push_back(index); }

bool StageMemory::reserve(std::size_t bytes, bool least) {
    if (in_use_ + bytes > map_.bytes / 4 * (least ? 4 : 3)) {
        ran_short_ = true;
        return false;
    }
    count(bytes);
    return true;
}

void StageMemory::release(std::size_t bytes) { in_use_ -= bytes; }

void StageMemory::count(std::size_t bytes) {
    const std::size_t now = in_use_ += bytes;
    if (now > most_)
        most_ = now;
}

} // namespace pixmpi
