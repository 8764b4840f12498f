// Bytes on the control connection between mpiglutrun and an agent: frames of a length (4 bytes, little-endian, payload
// only), a type (1 byte) and a payload; payloads are made of the pieces that Writer writes and Reader reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

class Writer {
  public:
    Writer &number(std::int64_t value);
    Writer &text(std::string_view value);
    Writer &texts(const std::vector<std::string> &values);
    Writer &numbers(const std::vector<std::int64_t> &values);
    std::string take() { return std::move(bytes_); }

  private:
    std::string bytes_;
};

/// After a read beyond the end everything is 0 or empty, and `good` is false.
class Reader {
  public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}
    std::int64_t number();
    std::string text();
    std::vector<std::string> texts();
    std::vector<std::int64_t> numbers();
    /// Everything was there, and nothing is left over.
    bool good() const { return good_ && rest_.empty(); }

  private:
    std::string_view take(std::size_t size);
    std::int64_t count();
    std::string_view rest_;
    bool good_ = true;
};

struct Frame {
    Type type{};
    std::string payload;
};

std::string encode(Type type, std::string_view payload);

/// Cuts a stream of bytes into frames.
class Unframer {
  public:
    static constexpr std::size_t longest_default = 16u << 20;
    /// No frame may be longer than `longest`, so that a stranger cannot make us keep what it sends.
    void limit(std::size_t longest) { longest_ = longest; }
    void feed(std::string_view bytes) { bytes_.append(bytes); }
    std::optional<Frame> next();
    bool broken() const { return broken_; }

  private:
    std::string bytes_;
    std::size_t longest_ = longest_default;
    bool broken_ = false;
};

} // namespace mpiglut::launcher
