// What frames are drawn from: samples of the values that the program hands to GL. All ranks sample alike, so that their
// hashes can be compared, and keep the samples for a few ticks, so that a difference can be named by call and value.
//
// What it costs is bounded: of small values so many a tick, of arrays a share of their bytes, at other places each
// tick.
#pragma once

#include "sync/digest.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpiglut::content {

struct Call {
    const char *name;
    std::uint64_t hash;
    constexpr explicit Call(const char *text) : name(text), hash(0xcbf29ce484222325ull) {
        for (char c : std::string_view(text))
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    }
};

enum class Type : std::uint8_t {
    bytes,
    ints,
    floats,
    doubles,
    buffer, ///< of vertices or uniforms: mostly floats, but also colours and counts
};

/// The program has handed these bytes to GL. Counts in the running tick; only the thread of the ticks may call this.
void note(const Call &call, Type type, const void *data, std::size_t bytes);

/// Some places in an array that is slow to read, or has bytes that the program may leave as they were: all of a small
/// one, a few of a large one, different ones each tick. They go up in steps of `sample_bytes`; none once a tick has had
/// enough.
std::vector<std::size_t> places(std::size_t bytes);
inline constexpr std::size_t sample_bytes = 16;
/// The same of these places alone.
void note_at(const Call &call, Type type, const void *data, std::size_t bytes, std::span<const std::size_t> places);

/// From now on this program draws each tile in its own way: nothing is compared, from the running tick on.
void differs_by_tile();

/// Vertices of this draw call are to be noted: true for a few in each tick.
bool draw_counts();
/// Goes up by one each tick, to take other values each time.
std::uint64_t turn();

/// At the end of a tick: what was noted goes into its digest.
void finish_tick(std::uint64_t tick, Digest &digest);

/// The samples of a tick that ended a short time ago, a line each; empty when they are not kept any more.
std::string samples(std::uint64_t tick);

/// "values: floats of glUniform1f, call 7 of the tick: 0.5 on rank 0, 0.25 here" for the first line that differs.
std::string difference(const std::string &samples_of_rank_0, const std::string &samples_of_other);

} // namespace mpiglut::content
