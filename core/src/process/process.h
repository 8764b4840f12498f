// What this process shows to other processes, and knows of them: its stage memory, its Card, the socket that receives
// descriptors. One object, kept until the process ends.
#pragma once

#include "base/options.h"
#include "process/descriptors.h"
#include "process/peer.h"

#include <unordered_map>

namespace pixmpi {

struct Process {
    bool open = false;
    Options options;
    bool gpu_aware = false; ///< MPI accepts pointers to a GPU's memory
    StageMemory stage;
    Card card{};
    Descriptors descriptors;
    std::unordered_map<std::uint64_t, std::weak_ptr<Peer>> peers; ///< by Card::id
    bool knows(std::uint64_t id) const {
        const auto found = peers.find(id);
        return found != peers.end() && !found->second.expired();
    }
};

/// Part of runtime(), which makes it. Needs the lock.
Process &process();

} // namespace pixmpi
