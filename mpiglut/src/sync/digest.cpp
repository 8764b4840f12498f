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
    case Did::values:
        return "values";
    case Did::count: break;
    }
    return "something unknown";
}

Did first_differing(const Digest &of_rank_0, const Digest &of_other) {
    std::size_t i = 0;
    while (i < of_rank_0.entries.size() && of_rank_0.entries[i] == of_other.entries[i])
        ++i;
    return static_cast<Did>(i);
}

std::string first_difference(const Digest &of_rank_0, const Digest &of_other) {
    const Did what = first_differing(of_rank_0, of_other);
    if (what == Did::count)
        return {};
    const auto times = [what](const Digest &digest) {
        return std::to_string(digest.entries[static_cast<int>(what)].times);
    };
    const std::string text = std::string(name(what)) + " (" + times(of_rank_0);
    if (times(of_rank_0) != times(of_other))
        return text + " times on rank 0, " + times(of_other) + " here)";
    return text + " times on both, not the same ones)";
}

} // namespace mpiglut
