// Reads and writes of files that go on while the program does something else: by io_uring, or by threads where the
// system has none.
#pragma once

#include "base/status.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace pixmpi {

/// Lives where it is from start() until it is over.
struct IoOperation {
    enum class Kind { read, write, sync };
    Kind kind = Kind::read;
    int descriptor = -1;
    std::byte *memory = nullptr;
    std::size_t bytes = 0;
    std::int64_t offset = 0;
    std::int64_t result = 0; ///< bytes, or the negative number of an error
    bool over = false;
};

/// Called with the library's lock held, except doze().
class IoQueue {
  public:
    static Status make(std::unique_ptr<IoQueue> &queue);
    virtual ~IoQueue();
    virtual const char *name() const = 0;
    /// False when there is no room now.
    virtual bool start(IoOperation &operation) = 0;
    /// What has been started begins, at the latest.
    virtual void flush() = 0;
    /// Marks what is over.
    virtual void reap() = 0;
    /// Sleeps until something is over, `seconds` at most; false, at once, when nothing is under way.
    bool doze(double seconds) const;
    int under_way() const { return under_way_; }

  protected:
    Status open();
    int wakes_ = -1; ///< a descriptor that becomes readable when something is over
    std::atomic<int> under_way_{0};
    void drain_wakes() const;
};

/// Null where the system or the build has no io_uring.
std::unique_ptr<IoQueue> make_uring_queue();

} // namespace pixmpi
