#include "sync/digest.h"

namespace mpiglut {

const char *name(Did what) {
    switch (what) {
    case Did::callbacks: return "callbacks";
    case Did::redisplays: return "redisplays";
    case Did::timers: return "timers";
    case Did::windows: return "window state";
    case Did::viewport: return "viewport";
    case Did::clock: return "clock readings";
    case Did::frames: return "frames";
    case Did::agreement: return "agreements";
    case Did::count: break;
    }
    return "something unknown";
}

std::string first_difference(const Digest &of_rank_0, const Digest &of_other) {
    for (std::size_t i = 0; i < of_rank_0.entries.size(); ++i) {
        const Digest::Entry &ours = of_rank_0.entries[i], &theirs = of_other.entries[i];
        if (ours == theirs)
            continue;
        std::string text = std::string(name(static_cast<Did>(i))) + " (" + std::to_string(ours.times);
        if (ours.times != theirs.times)
            return text + " times on rank 0, " + std::to_string(theirs.times) + " here)";
        return text + " times on both, not the same ones)";
    }
    return {};
}

} // namespace mpiglut
