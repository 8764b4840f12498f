// A thread that moves requests along while the program does not call the library: MPI's messages, shared memory, copies
// between GPUs, ends in host memory. What needs a graphics context waits for the thread that has it.
#pragma once

#include <condition_variable>
#include <thread>

namespace pixmpi {

struct Runtime;

class ProgressThread {
  public:
    /// Starts the thread, which takes the library's lock as all do. Throws std::system_error.
    explicit ProgressThread(Runtime &runtime);
    /// Ends it. Called without the lock.
    ~ProgressThread();
    ProgressThread(const ProgressThread &) = delete;
    ProgressThread &operator=(const ProgressThread &) = delete;
    /// A request has been started. Called with the lock held.
    void wake() { work_.notify_one(); }

  private:
    void run();
    bool idle() const;

    Runtime &runtime_;
    bool stopping_ = false;
    std::condition_variable_any work_;
    std::thread thread_;
};

} // namespace pixmpi
