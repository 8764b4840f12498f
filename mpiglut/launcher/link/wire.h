// The frames (run/frames.h) on the control connection between mpiglutrun and an agent: their types, with payloads of
// messages.h.
#pragma once

#include "run/frames.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mpiglut::launcher {

enum class Type : std::uint8_t {
    hello = 1,      ///< agent: who it is; the first frame of a connection
    welcome,        ///< launcher, agent of rank 0: the agent has been admitted
    want_display,   ///< launcher: start an X server of this size
    display,        ///< agent: its name and cookie file
    start,          ///< launcher: what to run
    failed,         ///< agent: the program could not be started, and why
    output,         ///< agent: what the program printed
    report,         ///< agent: a line from libmpiglut
    exited,         ///< agent: how the program ended
    input,          ///< launcher: bytes for the program's standard input; none: end of input
    input_taken,    ///< agent: so many bytes of it went into the program, so there is room for more
    close_output,   ///< launcher: this stream has no reader any more
    signal,         ///< launcher: send this signal to the program and its children
    end,            ///< launcher: the run is over, clean up
    dead,           ///< launcher: the wall goes on without this rank
    attend,         ///< launcher: the operator wants a live picture every so many milliseconds, 0: none
    operate,        ///< launcher: events from the operator
    figures,        ///< agent: what its rank does
    picture,        ///< agent: what its rank shows, or a piece of that
    started,        ///< agent: the program runs
    recorded,       ///< agent of rank 0: lines of a recording that the operator makes
    rejoin_address, ///< agent of rank 0: where agents of ranks that come back find it
    menu,           ///< agent of rank 0: the menu that is open, in JSON, or nothing
    relayed,        ///< between agents: bytes from one's program to the other's (relay.h)
    // Between mpiglutrun and the operator's server:
    run,     ///< mpiglutrun: what runs; the first frame
    of_rank, ///< mpiglutrun: a frame of a rank's agent
    tile,    ///< mpiglutrun: a rank has come, has started its program, has ended
    line,    ///< mpiglutrun: something was printed
    over,    ///< mpiglutrun: the run is over, with this exit status
    stop,    ///< server: end the run; 1: at once
    address, ///< server: where the page is
    count
};

struct Frame {
    Type type{};
    std::string payload;
};
using Unframer = ::mpiglut::Unframer<Frame>;

inline std::string encode(Type type, std::string_view payload) {
    return encode_frame<std::string>(type, std::as_bytes(std::span(payload)));
}

} // namespace mpiglut::launcher
