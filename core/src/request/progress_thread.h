// A thread that moves things along while the program does not call the library. It does everything where the program
// has asked for that (PIXMPI_PROGRESS=thread): MPI's messages, shared memory, copies between GPUs, ends in host memory.
// Else it does what other processes ask of this one (Request::serve), once something attached needs that. What needs a
// graphics context waits for the thread that has it.
#pragma once

#include "stage/presence.h"

#include <condition_variable>
#include <thread>

namespace pixmpi {

struct Runtime;
class Lock;

class ProgressThread {
  public:
    /// `requests`: everything, as long as requests of the program are under way, and then nothing. For programs whose
    /// MPI_Finalize is not seen: none are when they call it.
    enum class Does { everything, requests, services };
    static constexpr const char *name = "pixmpi-progress"; ///< as debuggers and top show it
    /// Starts the thread, which acquires the library's lock as all do. Throws std::system_error. `calls_mpi`: MPI
    /// accepts calls of several threads at once.
    ProgressThread(Runtime &runtime, Does what, bool calls_mpi);
    /// Ends it. Called without the lock.
    ~ProgressThread();
    ProgressThread(const ProgressThread &) = delete;
    ProgressThread &operator=(const ProgressThread &) = delete;

    // Called with the lock held.

    /// A request has been started.
    void wake() { work_.notify_one(); }
    /// A call of the program's begins to look after messages, which does so faster; the last of them has ended.
    void make_way();
    void resume();
    /// The lock is about to be given away: what is under way for other processes is the thread's.
    void leave_to_it() {
        if (asleep_)
            wake_for_others();
    }

  private:
    void wake_for_others();
    void do_everything();
    void serve();
    bool idle() const;
    bool has_packets() const;
    void sleep(Lock &lock);
    Presence &presence() const;

    Runtime &runtime_;
    const Does does_;
    const bool calls_mpi_;
    bool stopping_ = false;
    bool asleep_ = false; ///< in sleep(), and others wake it
    std::condition_variable_any work_;
    std::thread thread_;
};

/// Without the lock. None may be in MPI when MPI ends.
void end_progress_thread();

} // namespace pixmpi
