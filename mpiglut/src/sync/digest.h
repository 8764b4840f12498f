// What a rank did during a tick, in a few numbers that rank 0 can compare.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace mpiglut {

enum class Did { callbacks, redisplays, timers, windows, viewport, clock, frames, agreement, values, count };

/// A name for messages: "callbacks", "timers", ...
const char *name(Did what);

struct Digest {
    struct Tally {
        std::uint32_t times = 0;
        std::uint64_t hash = 0xcbf29ce484222325ull; // FNV-1a offset basis
        bool operator==(const Tally &) const = default;
    };
    std::array<Tally, static_cast<int>(Did::count)> entries{};

    /// Order matters: the hash goes on from what was noted before.
    void note(Did what, std::uint64_t value) {
        Tally &entry = entries[static_cast<int>(what)];
        ++entry.times;
        for (int i = 0; i < 8; ++i) {
            entry.hash ^= (value >> (8 * i)) & 0xff;
            entry.hash *= 0x100000001b3ull;
        }
    }
    template <class... Values> void note(Did what, std::uint64_t first, Values... rest) {
        note(what, first);
        (note(what, static_cast<std::uint64_t>(rest)), ...);
    }
    bool operator==(const Digest &) const = default;
};

/// The digest of the tick that is running on this rank, and a shorthand for noting in it. Threads other than the one
/// that executes the ticks note in vain: what they do belongs to no tick.
Digest &current_digest();
template <class... Values> void note(Did what, Values... values) {
    current_digest().note(what, static_cast<std::uint64_t>(values)...);
}

/// The first category that differs; `count` when equal.
Did first_differing(const Digest &of_rank_0, const Digest &of_other);
/// "redisplays (3 times on rank 0, 4 here)" for the first category that differs; empty when equal.
std::string first_difference(const Digest &of_rank_0, const Digest &of_other);

} // namespace mpiglut
