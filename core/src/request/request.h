// What takes time: a message, a schedule of several, a copy between surfaces. It is started, moves along inside the
// library's calls, and is completed by Wait, Test and so on, whatever kind it is.
#pragma once

#include "base/wait.h"
#include "device/device.h"
#include "request/runtime.h"

#include <chrono>
#include <optional>
#include <span>

namespace pixmpi {

enum class State { inactive, active, complete };

/// How to pass the time until a request is over.
struct Pause {
    Wait wait;
    std::shared_ptr<Device> device; ///< its threads wake us; null: polled
};

/// While the device, if it is a GPU, may be at it, the pause does not become a sleep: that would outlast the GPU's work.
void stay_awake_for(Pause &pause, const Device &device);
/// For so many pixels to be copied from or to each of the surfaces.
Pause pause_for(std::span<const std::shared_ptr<Surface>> surfaces, std::uint64_t pixels);

/// Pixels of a surface. The region is committed.
struct Place {
    std::shared_ptr<Surface> surface;
    std::shared_ptr<const Region> region;
};

/// A request's error. There may be thousands of requests, and most of them have none: so it has no memory for a text
/// until there is one. If there is no memory then, only the text is lost.
class KeptError {
  public:
    Status code = PIXMPI_SUCCESS;
    KeptError &operator=(const Error &error);
    operator Error() const;
    const char *text() const;

  private:
    std::shared_ptr<const Error> all_;
};

class Request {
  public:
    virtual ~Request() = default;

    bool persistent = false; ///< it can be started again
    bool blocking = false;   ///< the call that starts it waits for it
    bool rests = false;      ///< a receive that nothing has matched: advance() has nothing to do

    // Of the last start.
    State state = State::inactive;
    KeptError error;
    mpi::Arrival arrival = mpi::nothing(); ///< what the user's MPI_Status tells

    /// Whether it could be started here and now, when it is not active.
    virtual Status check_start() const = 0;
    /// Leaves it active or complete. On an error it may be active, too: undo() follows.
    virtual Status begin(Runtime &runtime) = 0;
    /// begin() has failed on its way: nothing stays under way.
    virtual void undo(Runtime &runtime) = 0;
    /// Moves it along; `moved` tells whether anything changed. Its errors are its own: it becomes complete with them.
    virtual void advance(Runtime &runtime, bool &moved) = 0;
    /// A device that it needs to go on and that this thread cannot use now; null when it can go on here.
    virtual const Device *lacks() const = 0;
    /// How a call that waits for it should wait.
    virtual Pause pause() const = 0;
    /// A call waits for it, and does not return before.
    virtual void await() = 0;
    /// That call returns in vain: what begins later is not waited for.
    virtual void end_wait() { blocking = false; }
    /// All that is left of it are commands that this device makes before those that it gets from now on.
    virtual bool is_queued(const Device &) const { return false; }
    /// Asks it to end. An error where it is of a kind that cannot be cancelled; nothing when it is too late.
    virtual Status cancel() = 0;
    /// MPI ends, and what it waits for has not come: it fails, and nothing of it goes on.
    virtual void abandon(Runtime &) {}
    /// What it sends is compressed so from its next start on; the codec has been checked.
    virtual Status set_codec(const pixMPI_Codec &) { return fail(PIXMPI_ERR_REQUEST, "request: it sends nothing"); }
    /// The surfaces that the user named.
    virtual std::span<const std::shared_ptr<Surface>> surfaces() const = 0;

    /// What it does for other processes while the program calls nothing: in the library's thread, without MPI where
    /// Runtime::mpi_barred says so.
    virtual void serve(Runtime &, bool & /*moved*/) {}
    /// Whether something of that is under way, and goes on without the program.
    virtual bool serves() const { return false; }

    virtual bool uses(const Device &device) const {
        for (const auto &surface : surfaces())
            if (surface->device.get() == &device)
                return true;
        return false;
    }

  private:
    friend class RequestQueue;
    std::shared_ptr<Request> self_; ///< while it is in a queue
    RequestQueue *queue_ = nullptr;
    Request *next_ = nullptr, *previous_ = nullptr;
};

/// Whether it is active and cannot go on in this thread.
inline bool stuck(const Request &request) { return request.state == State::active && request.lacks(); }
/// PIXMPI_ERR_CONTEXT, naming the device.
Status fail_for_lack_of(const Device &device);

/// Starts an inactive request. On an error it stays inactive, and nothing of it is under way. Throws nothing.
Status start(Runtime &runtime, const std::shared_ptr<Request> &request);
/// Moves all requests of this process along; `moved` tells whether anything changed. Throws nothing: what finds no
/// memory fails.
void progress(Runtime &runtime, bool &moved);
/// The same, without asking MPI and other processes for what is new.
void advance_requests(Runtime &runtime, bool &moved);
/// Asks so many of the kept ports whether they are over, and frees the memory of those that are.
void poll_unread_sends(Runtime &runtime, std::size_t at_most);
/// Only what is done for other processes, in the library's thread.
void serve_others(Runtime &runtime, bool &moved);
/// Whether something of that goes on without the program.
bool serves_others(const Runtime &runtime);
/// A pause without the lock.
void let_others_in(Lock &lock, Pause &pause);

/// While it lives, a call of the program looks after messages, and the library's thread need not. Made and destroyed
/// with the lock held.
class Attendance {
  public:
    explicit Attendance(Runtime &runtime);
    ~Attendance();
    Attendance(const Attendance &) = delete;
    Attendance &operator=(const Attendance &) = delete;

  private:
    Runtime &runtime_;
};

/// How everything here waits: moves all requests along, and lets others in, until `enough(yes)` says so, or fails.
/// While requests move, MPI is not asked for new ones and the core is not yielded, for a millisecond at most: on a busy
/// machine each can cost a time slice of all other processes.
template <class Enough> Status go_on_until(Runtime &runtime, Lock &lock, Pause pause, Enough enough) {
    constexpr std::chrono::milliseconds longest{1};
    for (std::optional<Attendance> here;;) {
        bool moved = false, yes = false;
        progress(runtime, moved);
        if (moved)
            pause.wait.reset();
        const Wait begun;
        for (bool more = moved;; advance_requests(runtime, more)) {
            if (const Status error = enough(yes); error || yes)
                return error;
            if (!more || begun.waited() >= longest || lock_is_wanted())
                break;
            more = false;
        }
        if (!here)
            here.emplace(runtime);
        let_others_in(lock, pause);
    }
}
/// Until it is complete; others get their turn. PIXMPI_ERR_CONTEXT when it cannot go on in this thread: it stays
/// active.
Status wait(Runtime &runtime, Lock &lock, Request &request);
/// MPI is about to end: completes the requests under way that no call waits for, except those that make no progress.
void complete_all(Runtime &runtime);

} // namespace pixmpi
