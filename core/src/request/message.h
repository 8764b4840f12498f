// One message, at one end: a send or a receive, from its start to its completion; a persistent one from start to start.
#pragma once

#include "base/wait.h"
#include "request/pipeline.h"
#include "request/runtime.h"

namespace pixmpi {

enum class State { inactive, active, complete };

struct Message {
    // What the user asked for.
    Direction direction = Direction::pack; ///< pack: a send
    bool persistent = false;
    std::shared_ptr<Channel> channel;
    int rank = 0, tag = 0; ///< of the other end; a receive's may be wildcards
    std::shared_ptr<Surface> surface;
    std::shared_ptr<const Region> region;
    std::unique_ptr<Transfer> transfer;    ///< made by the first start
    bool blocking = false;                 ///< the call that starts it waits for it
    std::shared_ptr<const Message> before; ///< Sendrecv_replace: the send that reads what this receive overwrites

    // The message under way, or the last one.
    State state = State::inactive;
    bool matched = false;  ///< a receive has its envelope
    bool taken = false;    ///< that a probe took out of MPI's matching
    bool settling = false; ///< all is over but what the device has under way
    Error error;
    std::optional<Wait> short_since; ///< a receive finds no memory to take what comes, and throw it away
    mpi::Arrival arrival = mpi::nothing();
    Letters letter; ///< a receive's envelope as it comes: one
    Watch watch;    ///< on a receive's sender
    std::unique_ptr<Port> port;
    Pipeline pipeline;
    std::uint64_t bytes = 0;
    pixMPI_Route route = PIXMPI_ROUTE_NONE;

    Device &device() const { return *surface->device; }
};

/// Checks everything that can be checked before a byte moves, and makes an inactive message.
Status make_message(Direction direction, std::shared_ptr<Surface> surface, pixMPI_Region region, int rank, int tag,
                    MPI_Comm comm, std::shared_ptr<Message> &message);

/// dest and tag of a send, source and tag of a receive.
Status check_address(const Channel &channel, Direction direction, int rank, int tag);

/// Whether it could be started here and now.
Status check_start(const Message &message);
/// Starts an inactive message. On an error it stays inactive, and nothing of it is under way. Throws nothing.
Status start(Runtime &runtime, const std::shared_ptr<Message> &message);
/// Moves all messages of this process along; `moved` tells whether anything changed. Throws nothing: a message that
/// finds no memory fails.
void progress(Runtime &runtime, bool &moved);
/// Until `message` is complete; others get their turn. PIXMPI_ERR_CONTEXT when it cannot go on in this thread: it stays
/// active.
Status wait(Runtime &runtime, Lock &lock, Message &message);
/// How to pass the time until a message is through.
struct Pause {
    Wait wait;
    std::shared_ptr<Device> device; ///< whose threads wake us; null: polled
};
Pause suit(const Message &message);
/// A pause without the lock.
void let_others_in(Lock &lock, Pause &pause);
/// How everything here waits: moves all messages along, and lets others in, until `enough(yes)` says so, or fails.
template <class Enough> Status go_on_until(Runtime &runtime, Lock &lock, Pause pause, Enough enough) {
    for (;;) {
        bool moved = false, yes = false;
        progress(runtime, moved);
        if (const Status error = enough(yes); error || yes)
            return error;
        if (moved)
            pause.wait.reset();
        let_others_in(lock, pause);
    }
}
/// Whether it is active and its device cannot be used here and now.
bool stuck(const Message &message);
/// MPI is about to end: completes what is still under way and has nobody who waits for it. Gives up on what does not
/// move.
void finish_all(Runtime &runtime);
/// Asks an unmatched receive to end.
Status cancel(Message &message);
/// Leaves the envelope that a receive still expects to MPI.
void drop_letter(Runtime &runtime, Message &message);

// Of the two kinds, for progress() and start().
Status start_send(Runtime &runtime, Message &message);
Status advance_send(Runtime &runtime, Message &message, bool &moved);
Status start_recv(Runtime &runtime, Message &message);
Status advance_recv(Runtime &runtime, Message &message, bool &moved);
/// Now or, after its transfer has been abandoned, when that has settled.
void complete(Runtime &runtime, Message &message);
/// The message has failed: completes it with this thread's last error, or has it throw away what still comes.
void fail_message(Runtime &runtime, Message &message, Status error);

/// Sends an envelope, `letter`'s only one; its bytes are kept until MPI has them.
Status post_envelope(Runtime &runtime, Message &message, Letters letter);
/// Takes the first message that a receive of `source` and `tag` would match, so that it can be looked at: its place in
/// channel.waiting, or null when it has not come, or not all of it.
Status look(Channel &channel, int source, int tag, const Letter *&found);
/// The same. An error when it never will, because the sender has ended.
Status expect(Channel &channel, int source, int tag, const Letter *&found);
/// Of a receive that has failed without a port: tells its sender that nothing is wanted. False when that cannot be
/// told, so that what comes has to be taken.
bool refuse(Message &message);

} // namespace pixmpi
