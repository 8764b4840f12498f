// The library's lock: one thread at a time uses what the process has one of (request/runtime.h), and the devices.
//
// Public calls lock it first (public_call() in status.h), threads of the library around their work. Inside, a function
// that waits locks it once more, and gives all of it away while it waits. The order of locks: this one, then those of
// parts of the library. For a lock of the program the library waits in a thread that holds nothing else:
// vkmpi/src/context/queue.h.
#pragma once

#include "base/status.h"

#include <mutex>

namespace pixmpi {

extern "C" {
// Exported for glmpi and vkmpi.
PIXMPI_API bool pixMPI_Internal_lock_is_mine();
[[noreturn]] PIXMPI_API void pixMPI_Internal_lacks_lock(const char *what);
/// The library begins (true) or ends (false) to wait for a lock of the program. The thread that holds that lock may
/// wait for the library: calls are refused when this takes too long.
PIXMPI_API void pixMPI_Internal_waits_for_program(bool begins);
}

/// Called whenever a thread is about to give the lock away, with the lock held.
void set_before_unlock(void (*call)());

/// Another thread waits for the lock.
bool lock_is_wanted();
/// Whether this thread has the lock.
inline bool lock_is_mine() { return pixMPI_Internal_lock_is_mine(); }
/// Ends the process where it has not: an error inside the library, which would show as damaged memory later. `what`
/// needs the lock. It costs three nanoseconds, so it is there in all builds.
inline void need_lock(const char *what) {
    if (!lock_is_mine())
        pixMPI_Internal_lacks_lock(what);
}

/// Holds the lock as long as it lives; a thread may have several. Who gives it away tells the program what has been
/// logged.
class Lock {
  public:
    Lock();
    /// Only when no other thread has it: see is_held().
    explicit Lock(std::try_to_lock_t);
    ~Lock();
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;
    /// Gives it away, however often this thread has locked it, until lock().
    void unlock();
    void lock();
    bool is_held() const { return held_; }

  private:
    bool held_ = true;
    int given_away_ = 0;
};

} // namespace pixmpi
