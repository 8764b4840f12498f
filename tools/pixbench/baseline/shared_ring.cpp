#include "baseline/shared_ring.h"

#include <cstring>
#include <sched.h>

namespace {

constexpr std::size_t page = 4096;

/// Ranks without a separate core let others run.
void pause(int idle) {
    if (idle > 1000)
        sched_yield();
}

} // namespace

SharedRing::SharedRing(const Team &team, Cargo &cargo) : team_(team), cargo_(cargo) {
    MPI_Comm host = MPI_COMM_NULL;
    int together = 0;
    MPI_Comm_split_type(team.comm, MPI_COMM_TYPE_SHARED, team.rank, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &together);
    MPI_Allreduce(MPI_IN_PLACE, &together, 1, MPI_INT, MPI_MIN, team.comm);
    if (together == team.ranks && team.ranks > 1) {
        void *memory = nullptr;
        MPI_Win_allocate_shared(page + most_bytes + sizeof(Counts), 1, MPI_INFO_NULL, host, &memory, &window_);
        out_ = link_of(team.rank);
        in_ = link_of((team.rank + team.ranks - 1) % team.ranks);
        std::memset(out_.slots, 0, most_bytes + sizeof(Counts));
        MPI_Barrier(team.comm);
    }
    MPI_Comm_free(&host);
}

SharedRing::~SharedRing() {
    if (possible())
        MPI_Win_free(&window_);
}

SharedRing::Link SharedRing::link_of(int rank) const {
    MPI_Aint bytes = 0;
    int unit = 0;
    void *memory = nullptr;
    MPI_Win_shared_query(window_, rank, &bytes, &unit, &memory);
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    Link link;
    link.slots = static_cast<std::byte *>(memory) + (page - address % page) % page;
    link.counts = reinterpret_cast<Counts *>(link.slots + most_bytes);
    return link;
}

bool SharedRing::put(std::uint64_t k) {
    const std::size_t slots = cargo_.slots();
    const std::uint64_t n = out_.before + k;
    if (n >= out_.counts->consumed.load(std::memory_order_acquire) + slots)
        return false;
    cargo_.put(k, out_.slots + n % slots * cargo_.piece_bytes());
    out_.counts->packed.store(n + 1, std::memory_order_release);
    return true;
}

bool SharedRing::get(std::uint64_t k) {
    const std::uint64_t n = in_.before + k;
    if (n >= in_.counts->packed.load(std::memory_order_acquire))
        return false;
    cargo_.get(k, in_.slots + n % cargo_.slots() * cargo_.piece_bytes());
    in_.counts->consumed.store(n + 1, std::memory_order_release);
    return true;
}

void SharedRing::run(bool sends, bool receives) {
    const std::uint64_t pieces = cargo_.pieces();
    std::uint64_t sent = sends ? 0 : pieces, received = receives ? 0 : pieces;
    for (int idle = 0; sent < pieces || received < pieces;) {
        const bool putting = sent < pieces && put(sent);
        sent += putting ? 1 : 0;
        const bool getting = received < pieces && get(received);
        received += getting ? 1 : 0;
        pause(idle = putting || getting ? 0 : idle + 1);
    }
    out_.before += sends ? pieces : 0;
    in_.before += receives ? pieces : 0;
}
