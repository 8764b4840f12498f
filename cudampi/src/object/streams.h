// Streams of the library's own, each for one message at a time, and events. Both are kept for the next message.
#pragma once

#include "context/driver.h"

#include <vector>

namespace cudampi {

class Streams {
  public:
    explicit Streams(const Context &context) : context_(context) {}
    ~Streams();
    Streams(const Streams &) = delete;
    Streams &operator=(const Streams &) = delete;

    /// A stream on which nothing is under way, that does not wait for the program's legacy stream.
    Status take(void *&stream);
    void give(void *stream) { streams_.push_back(stream); }
    /// What was submitted to `stream` so far, as an event.
    Status mark(void *stream, void *&event);
    /// `stream` goes on when what the program has submitted to `before` is over. 0: its legacy stream.
    Status order(void *stream, void *before);
    Status query(void *event, bool &over);
    void give_event(void *event) { events_.push_back(event); }

  private:
    Status take_event(void *&event);
    const Context context_;
    std::vector<void *> streams_, events_;
};

} // namespace cudampi
