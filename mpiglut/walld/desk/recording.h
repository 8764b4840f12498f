// Input that is recorded while a program runs, as rank 0 tells of it, and recordings that are played to a program.
#pragma once

#include "capture/captures.h"
#include "desk/input.h"

#include <string>
#include <vector>

namespace mpiglut::walld {

class Recording {
  public:
    Recording(Captures &captures, int width, int height);

    /// Whole lines.
    void add(const std::string &lines);
    void end(const std::string &error = {});

    bool runs() const { return runs_; }
    const std::string &file() const { return name_; }
    std::size_t events() const { return events_; }
    const std::string &error() const { return error_; } ///< why it ended, if it was not ended

  private:
    std::string name_, error_;
    OwnFile file_;
    bool runs_ = true;
    std::size_t events_ = 0, bytes_ = 0;
};

/// The events that take a recording of the captures to rank 0, and play it there under this number.
Read<std::vector<Event>> events_of_replay(const Captures &captures, const std::string &name, int number);
/// The one that ends a replay.
Event end_of_replay();

} // namespace mpiglut::walld
