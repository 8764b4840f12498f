#include "run/death_counts.h"

#include "run/shared_memory.h"

#include <sys/mman.h>

namespace mpiglut {

namespace {

constexpr std::uint64_t right_magic = 0x326c6c6f72676c6d; // "mlgroll2"
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "two processes share it");

} // namespace

DeathCounts *DeathCounts::make(int ranks, int &fd) {
    const auto count = static_cast<std::uint32_t>(ranks);
    auto *made = static_cast<DeathCounts *>(make_shared_memory("mpiglut-deaths", bytes_for(count), fd));
    if (made) {
        made->ranks_ = count;
        made->magic_ = right_magic;
    }
    return made;
}

DeathCounts *DeathCounts::map(int fd) {
    std::size_t bytes = 0;
    auto *mapped = static_cast<DeathCounts *>(map_shared_memory(fd, sizeof(DeathCounts), bytes));
    return mapped && mapped->magic_ == right_magic && bytes == bytes_for(mapped->ranks_) ? mapped : nullptr;
}

void DeathCounts::unmap(DeathCounts *death_counts, int ranks) {
    if (death_counts)
        ::munmap(death_counts, bytes_for(static_cast<std::uint32_t>(ranks)));
}

void DeathCounts::strike(int rank, int ranks) {
    if (rank < 0 || rank >= ranks)
        return;
    by_rank()[rank].fetch_add(1, std::memory_order_release);
    deaths_.fetch_add(1, std::memory_order_release);
}

} // namespace mpiglut
