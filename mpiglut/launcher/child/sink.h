// Standard output or standard error of mpiglutrun, written without ever blocking the event loop.
#pragma once

#include "child/loop.h"

#include <functional>
#include <string>
#include <string_view>

namespace mpiglut::launcher {

class Sink {
  public:
    Sink(Loop &loop, int fd);
    ~Sink() { loop_.forget(fd_); }

    void write(std::string_view bytes);
    /// More is waiting than a slow reader should be sent.
    bool full() const { return queue_.size() > 256u << 10; }
    void on_drained(std::function<void()> drained) { drained_ = std::move(drained); }
    /// Called once when there is no reader any more.
    void on_broken(std::function<void()> broken) { broken_ = std::move(broken); }
    /// Writes what waits, for at most this long; negative: as long as it takes.
    void flush(std::chrono::milliseconds longest);

  private:
    void write_some();
    Loop &loop_;
    int fd_;
    std::string queue_;
    bool gone_ = false;
    std::function<void()> drained_, broken_;
};

/// Makes whole lines of the bytes of one stream, each with `head` in front.
class LinePrefix {
  public:
    explicit LinePrefix(std::string head) : head_(std::move(head)) {}
    /// The lines that are complete now.
    std::string add(std::string_view bytes);
    /// The line that has no end, as if it had one.
    std::string rest() { return partial_.empty() ? std::string() : add("\n"); }

  private:
    std::string head_, partial_;
};

} // namespace mpiglut::launcher
