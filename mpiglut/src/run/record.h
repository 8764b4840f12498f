// --record and --replay: all input by frame, one JSON object a line.
//
//     {"frame":12,"after":0,"kind":"mouse","window":1,"rank":2,"x":310,"y":42,"a":0,"b":0,"modifiers":0}
//
// `frame`: frames completed when rank 0 ordered the event; `after`: ticks since that frame was completed, or hundredths
// of a second since a program without windows of OpenGL, which has no frames, has first shown something. The first line
// says what the file is: {"mpiglut":"input","version":1,"width":...,"height":...} with the wall's size.
#pragma once

#include "sync/tick.h"

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace mpiglut {

/// The first line of such a file, and the line of an event; without their ends.
std::string head_of_record(int width, int height);
std::string line_of(const Recorded &recorded);
/// A file's text; `name` is its name in messages. Where something is wrong: what, with file and line.
std::vector<Recorded> read_record(std::istream &text, const std::string &name, std::string &error);

class Recorder {
  public:
    /// Null, with `error` set, when the file cannot be written.
    static std::unique_ptr<Recorder> open(const std::string &path, int width, int height, std::string &error);
    virtual ~Recorder() = default;
    virtual void write(const Recorded &recorded) = 0; ///< flushed line by line
};

class Replayer {
  public:
    /// Null, with `error` naming file, line and what was expected, when the file cannot be read.
    static std::unique_ptr<Replayer> open(const std::string &path, std::string &error);
    /// Of events in the order of their instants, which count from `frame`.
    static std::unique_ptr<Replayer> of(std::vector<Recorded> events, std::int64_t frame);
    virtual ~Replayer() = default;
    /// The events that are due: those recorded at (frame, after) or earlier. `idle`: nothing but input could make the
    /// program go on, so the next recorded instant is due now even if it lies ahead.
    virtual std::vector<Event> due(std::int64_t frame, std::int64_t after, bool idle) = 0;
    virtual bool finished() const = 0;
    /// Such an event is in the file.
    virtual bool has(Event::Kind kind) const = 0;
};

} // namespace mpiglut
