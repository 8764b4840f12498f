// What a run does to other processes, in order: operations that travel as messages, and copies to and from windows
// within reach. A message behind a copy waits until the copy has completed.
#pragma once

#include "endpoint/service.h"

#include <deque>

namespace pixmpi {

class Straight {
  public:
    explicit Straight(Endpoint &endpoint) : endpoint_(endpoint) {}

    /// A copy under way; none: over from the beginning.
    struct Copy {
        int process = -1;
        std::uint64_t number = 0;
    };
    /// Whether a put or get is a copy. Never behind bytes that travel by messages, which it would overtake.
    bool accepts(std::uint32_t own_window, int process, const RemoteOperation &operation) const {
        return operation.bytes > 0 && !by_messages_.contains(process) &&
               endpoint_.reach->reaches(own_window, process, operation.window);
    }
    Status begin(Reach::Part own, int process, const RemoteOperation &operation, Copy &copy);
    bool over(const Copy &copy) const { return copy.process < 0 || processes_.at(copy.process).over >= copy.number; }
    bool all_over() const;

    /// Tells a process, behind the copies that have begun.
    void notify(int process, const RemoteOperation &operation);
    /// Tells what has waited for copies that are over.
    Status look();

    /// Bytes are on their way to the process by messages, until a quiet that begins later is over.
    void note_bytes(int process) { by_messages_[process] = ++noted_; }
    std::uint64_t noted() const { return noted_; }
    void forget_bytes(std::uint64_t noted) {
        std::erase_if(by_messages_, [&](const auto &one) { return one.second <= noted; });
    }

  private:
    struct Waiting {
        std::uint64_t behind;
        RemoteOperation operation;
    };
    struct Process {
        std::uint64_t begun = 0, over = 0; ///< copies
        std::deque<Waiting> waiting;
    };
    Endpoint &endpoint_;
    std::map<int, Process> processes_; ///< that copies have gone to
    std::map<int, std::uint64_t> by_messages_;
    std::uint64_t noted_ = 0;
};

} // namespace pixmpi
