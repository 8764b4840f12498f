// What travels between rank 0 and the others.
#pragma once

#include "run/frames.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mpiglut::transport {

using Bytes = std::vector<std::byte>;

enum class Type : std::uint32_t {
    input,   ///< up: events
    done,    ///< up: a tick is finished
    collect, ///< up: a rank has reached a collective
    ask,     ///< up: a rank waits for a word
    tick,    ///< down
    go,      ///< down: a collective is over
    word,    ///< down: what rank 0 publishes
    record,  ///< down: an operation of rank 0's program on a socket, with its result; up: so many bytes are taken
    differs, ///< up: this rank's program did something else
    explain, ///< down: which values went into a tick's digest? up: these
    // Of a rank that comes back, see sync/returning.h:
    hello,     ///< up: the rank is there
    welcome,   ///< down: who all are
    join,      ///< down: from this place on it is one of the others
    count
};

struct Header {
    Type type{};
    std::uint32_t kind = 0; ///< collective: which
    std::uint64_t tick = 0;
    std::uint32_t index = 0;  ///< collective, word: the how-manieth of its tick
    std::uint32_t agreed = 0; ///< go: all ranks came; word: rank 0 came
    std::uint64_t signature = 0;
    std::uint32_t sequence = 0; ///< which of the rank's threads has it; see sync/sequences.h
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) {
        visit(m.type, m.kind, m.tick, m.index, m.agreed, m.signature, m.sequence);
    }
};

struct Message {
    Header header;
    Bytes payload;
};

/// A message as its bytes travel and are kept.
inline Bytes encode(const Header &header, std::span<const std::byte> payload) {
    return encode_frame<Bytes>(header, payload);
}

} // namespace mpiglut::transport
