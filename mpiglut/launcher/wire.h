// Bytes on the control connection between mpiglutrun and an agent: frames of a length (4 bytes, little-endian, payload
// only), a type (1 byte) and a payload (messages.h).
#pragma once

#include "run/packing.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mpiglut::launcher {

enum class Type : std::uint8_t {
    hello = 1,    ///< agent: who it is; the first frame of a connection
    welcome,      ///< launcher, agent of rank 0: the agent has been admitted
    want_display, ///< launcher: start an X server of this size
    display,      ///< agent: its name and cookie file
    start,        ///< launcher: what to run
    failed,       ///< agent: the program could not be started, and why
    output,       ///< agent: what the program printed
    report,       ///< agent: a line from libmpiglut
    exited,       ///< agent: how the program ended
    input,        ///< launcher: bytes for the program's standard input; none: end of input
    input_taken,  ///< agent: so many bytes of it went into the program, so there is room for more
    close_output, ///< launcher: this stream has no reader any more
    signal,       ///< launcher: send this signal to the program and its children
    end,          ///< launcher: the run is over, clean up
    dead,         ///< launcher: the wall goes on without this rank
    attend,       ///< launcher: the operator wants a live picture every so many milliseconds, 0: none
    operate,      ///< launcher: events from the operator
    figures,      ///< agent: what its rank does
    picture,      ///< agent: what its rank shows, or a piece of that
    started,      ///< agent: the program runs
    recorded,     ///< agent of rank 0: lines of a recording that the operator makes
    door,         ///< agent of rank 0: where agents of ranks that come back find it
    menu,         ///< agent of rank 0: the menu that is open, in JSON, or nothing
    relayed,      ///< between agents: bytes from one's program to the other's (relay.h)
    // Between mpiglutrun and the operator's server:
    run,     ///< mpiglutrun: what runs; the first frame
    of_rank, ///< mpiglutrun: a frame of a rank's agent
    tile,    ///< mpiglutrun: a rank has come, has started its program, has ended
    line,    ///< mpiglutrun: something was printed
    over,    ///< mpiglutrun: the run is over, with this exit status
    stop,    ///< server: end the run; 1: at once
    address, ///< server: where the page is
};

struct Frame {
    Type type{};
    std::string payload;
};

inline std::string encode(Type type, std::string_view payload) {
    Writer<std::string, std::uint32_t> head;
    head(static_cast<std::uint32_t>(payload.size()), type);
    return head.take().append(payload);
}

/// Cuts a stream of bytes into frames.
class Unframer {
  public:
    static constexpr std::size_t longest_default = 16u << 20;
    /// No frame may be longer than `longest`, so that a stranger cannot make us keep what it sends.
    void limit(std::size_t longest) { longest_ = longest; }
    void feed(std::string_view bytes) { bytes_.append(bytes); }
    std::optional<Frame> next() {
        constexpr std::size_t head_size = 5;
        if (broken_ || bytes_.size() < head_size)
            return {};
        std::uint32_t size = 0;
        Reader<std::uint32_t>(std::as_bytes(std::span(bytes_).first(sizeof size)))(size);
        broken_ = size > longest_;
        if (broken_ || bytes_.size() < head_size + size)
            return {};
        Frame frame{static_cast<Type>(bytes_[sizeof size]), bytes_.substr(head_size, size)};
        bytes_.erase(0, head_size + size);
        return frame;
    }
    bool broken() const { return broken_; }

  private:
    std::string bytes_;
    std::size_t longest_ = longest_default;
    bool broken_ = false;
};

} // namespace mpiglut::launcher
