// --record and --replay: all input by frame, one JSON object a line.
//
//     {"frame":12,"after":0,"kind":"mouse","window":1,"rank":2,"x":310,"y":42,"a":0,"b":0,"modifiers":0}
//
// `frame`: frames completed when rank 0 ordered the event; `after`: ticks since that frame was completed. The first
// line says what the file is: {"mpiglut":"input","version":1,"width":...,"height":...} with the wall's size.
#pragma once

#include "sync/tick.h"

#include <memory>
#include <string>
#include <vector>

namespace mpiglut {

class Recorder {
  public:
    /// Null, with `error` set, when the file cannot be written.
    static std::unique_ptr<Recorder> open(const std::string &path, int width, int height, std::string &error);
    virtual ~Recorder() = default;
    virtual void write(std::int64_t frame, std::int64_t after, const Event &event) = 0; ///< flushed line by line
};

class Replayer {
  public:
    /// Null, with `error` naming file, line and what was expected, when the file cannot be read.
    static std::unique_ptr<Replayer> open(const std::string &path, std::string &error);
    virtual ~Replayer() = default;
    /// The events that are due: those recorded at (frame, after) or earlier. `idle`: nothing but input could make the
    /// program go on, so the next recorded instant is due now even if it lies ahead.
    virtual std::vector<Event> due(std::int64_t frame, std::int64_t after, bool idle) = 0;
    virtual bool finished() const = 0;
    /// Such an event is in the file.
    virtual bool has(Event::Kind kind) const = 0;
};

} // namespace mpiglut
