// What this process has one of: the requests and messages under way, and what it shares with others
// (process/process.h). Opened by the first attachment, kept until the process ends. Under the lock (base/lock.h), all
// of it.
#pragma once

#include "base/handles.h"
#include "base/lock.h"
#include "base/log.h"
#include "codec/coding_thread.h"
#include "process/process.h"
#include "request/channel.h"
#include "request/progress_thread.h"
#include "route/port.h"

#include <vector>

namespace pixmpi {

class Request;

/// Requests in the order of their arrival. One that is in a queue lives as long as it is there, and is in no other
/// one. Being there takes no memory.
class RequestQueue {
  public:
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    Request *first() const { return first_; }
    const Request *last() const { return last_; }
    static Request *after(const Request &request);
    /// To the end, out of the queue where it is.
    void push(const std::shared_ptr<Request> &request);
    /// The same for one that is in a queue; nothing happens where it is in none.
    void push(Request &request);
    void remove(Request &request);

  private:
    void link(Request &request);
    void unlink(Request &request);

    Request *first_ = nullptr, *last_ = nullptr;
    std::size_t size_ = 0;
};

/// What carries envelopes of a channel by other ways than MPI.
class Carrier {
  public:
    virtual ~Carrier() = default;
    /// Sends what waits for room and finds it now; whether there was some.
    virtual bool flush() = 0;
    /// Whether something still waits for room.
    virtual bool holds() const = 0;
    /// Whether something has arrived that has not been received. Asked by the library's thread before it sleeps.
    virtual bool has_packets() const = 0;
    /// Whether some ways lead by MPI.
    virtual bool needs_mpi() const = 0;
};

struct Runtime : Process {
    std::vector<MPI_Comm> attaching; ///< communicators, by threads that wait for the other ranks
    HandleTable<Request> requests;
    RequestQueue active;                        ///< to be moved along, in the order of their start
    RequestQueue resting;                       ///< under way, but nothing is to be done: a matcher has them
    std::vector<Matcher *> matchers;            ///< that have receives
    PacketPool packets;                         ///< memory for envelopes
    Packets outbox;                             ///< in MPI's hands only
    std::size_t outbox_bytes = 0;               ///< see leave_to_mpi()
    std::vector<std::weak_ptr<Device>> devices; ///< that keep stage memory for later
    std::vector<Carrier *> carriers;            ///< of all attachments
    std::vector<Request *> services;            ///< what attachments do for other processes: Request::serve
    int attending = 0;                          ///< calls that wait, and look after messages meanwhile (Attendance)
    bool mpi_barred = false; ///< in the pass at hand: the program may be inside MPI, which accepts one thread
    PortQueue unread_sends;  ///< of completed messages that receivers, or MPI, have not done with yet
    pixMPI_Stats stats = PIXMPI_STATS_INIT;
    std::unique_ptr<ProgressThread> progress_thread; ///< PIXMPI_PROGRESS=thread, or of the first attachment that serves
    std::unique_ptr<CodingThread> coding_thread;     ///< of the first message that is coded

    /// MPI still reads or writes the bytes of these messages, though no request of the program is left.
    void leave_to_mpi(Packets &left) {
        for (const Packet &one : left)
            outbox_bytes += one.bytes.size();
        outbox.splice(outbox.end(), left);
    }
};

/// Needs the lock.
Runtime &runtime();

} // namespace pixmpi
