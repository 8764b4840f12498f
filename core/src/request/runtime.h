// What this process has one of: the lock, the requests and messages under way, and what it shares with others
// (memory/process.h). Opened by the first attachment, kept until the process ends.
#pragma once

#include "base/handles.h"
#include "base/log.h"
#include "codec/coding_thread.h"
#include "memory/process.h"
#include "request/channel.h"
#include "request/letter_ring.h"
#include "request/progress_thread.h"
#include "route/port.h"

#include <mutex>
#include <vector>

namespace pixmpi {

class Request;

struct Runtime : Process {
    std::mutex mutex;                ///< see Lock
    std::vector<MPI_Comm> attaching; ///< communicators, by threads that wait for the other ranks
    HandleTable<Request> requests;
    std::vector<std::shared_ptr<Request>> active; ///< in the order of their start
    Letters outbox;                               ///< in MPI's hands, and nobody's else
    std::size_t outbox_bytes = 0;
    std::vector<std::weak_ptr<Device>> devices; ///< that keep stage memory for later
    std::list<LetterRings> left_rings; ///< of endpoints that are gone, until their readers are, too
    std::vector<SlotSpace *> spaces;   ///< of all endpoints
    std::vector<Request *> services;   ///< theirs: Request::serve
    int attending = 0;                 ///< calls that wait, and look after messages meanwhile (Attendance)
    bool mpi_barred = false;           ///< in the pass at hand: the program may be inside MPI, which takes one thread
    PortQueue lingering; ///< of completed sends, whose receivers have not taken all yet
    pixMPI_Stats stats{};
    std::unique_ptr<ProgressThread> progress_thread; ///< PIXMPI_PROGRESS=thread, or of the first endpoint
    std::unique_ptr<CodingThread> coding_thread;     ///< of the first message that is coded
};

Runtime &runtime();

/// Held in all public calls, but not while one waits. Who gives it away tells the program what has been logged.
class Lock {
  public:
    explicit Lock(Runtime &runtime) : runtime_(runtime) { lock(); }
    ~Lock() { unlock(); }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;
    void lock() { runtime_.mutex.lock(); }
    void unlock() {
        if (runtime_.progress_thread)
            runtime_.progress_thread->leave_to_it();
        runtime_.mutex.unlock();
        tell_log();
    }

  private:
    Runtime &runtime_;
};

} // namespace pixmpi
