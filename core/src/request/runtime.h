// What this process has one of: the requests and messages under way, and what it shares with others (process/process.h).
// Opened by the first attachment, kept until the process ends. Under the lock (base/lock.h), all of it.
#pragma once

#include "base/handles.h"
#include "base/lock.h"
#include "base/log.h"
#include "codec/coding_thread.h"
#include "process/process.h"
#include "request/channel.h"
#include "request/letter_ring.h"
#include "request/progress_thread.h"
#include "route/port.h"

#include <vector>

namespace pixmpi {

class Request;

struct Runtime : Process {
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
    PortQueue lingering; ///< of completed messages, whose receivers, or MPI, have not done with all yet
    pixMPI_Stats stats = PIXMPI_STATS_INIT;
    std::unique_ptr<ProgressThread> progress_thread; ///< PIXMPI_PROGRESS=thread, or of the first endpoint
    std::unique_ptr<CodingThread> coding_thread;     ///< of the first message that is coded
};

/// Needs the lock.
Runtime &runtime();

} // namespace pixmpi
