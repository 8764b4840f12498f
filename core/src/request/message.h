// One message, at one end: a send or a receive, from its start to its completion; a persistent one from start to start.
//
//     matching --> moving --> settling --> complete
//         |           |           ^
//         +---------> draining ---+
//
// A receive waits for its envelope (matching), then its bands move. One that fails gives up: it ends its transfer, and
// tells the other end. Where nobody else can take what still comes it takes that first, and throws it away (draining).
// What the device has under way comes to its end (settling) before the request is complete. The port of a send that is
// complete may linger, until the receiver has all of it (Runtime::lingering).
#pragma once

#include "coding/coded_transfer.h"
#include "request/envelope.h"
#include "request/pipeline.h"
#include "request/request.h"
#include "request/shown.h"

namespace pixmpi {

enum class Phase { matching, moving, draining, settling };

/// Whose envelopes: they travel on different communicators, so that a receive with MPI_ANY_TAG takes none of the
/// library's own.
enum class Traffic { program, schedule };

struct Message final : Request {
    // What the user asked for.
    Direction direction = Direction::pack; ///< pack: a send
    Traffic traffic = Traffic::program;
    std::shared_ptr<Channel> channel;
    int rank = 0, tag = 0; ///< of the other end; a receive's may be wildcards
    int own = 0;           ///< of a communicator with slots: whose message it is
    std::vector<int> others; ///< a schedule's send: ranks of this host that unpack from the same slots
    std::vector<TakenFlow> flows; ///< a send with others: a flow for each receiver, taken before its start
    std::shared_ptr<Surface> surface;
    std::shared_ptr<const Region> region;
    std::uint64_t schedule = 0;            ///< a schedule's: its number; the tag is its label
    std::uint64_t first = 0;               ///< a partitioned message's part: where in the whole it begins
    std::uint64_t whole = 0;               ///< a schedule's: pixels of the picture that all ranks cut alike, or 0
    std::shared_ptr<const Message> handed_on; ///< a schedule's send: the receive that its pixels came by, or null
    bool keeps_streams = false;               ///< a receive: somebody hands them on
    Combination combination;               ///< a receive: what it does with the pixels that are there
    std::optional<pixMPI_Codec> codec;     ///< a send: instead of what its surface or communicator says
    bool synchronous = false;              ///< a send: complete no sooner than a receive has matched
    bool probed = false;                   ///< a receive of a message that a probe has taken: its letter is there
    bool exact = false;                    ///< a send: pixels that must not change on their way
    std::unique_ptr<ForwardingTransfer> forwarder; ///< of the start under way, if that hands streams on
    std::unique_ptr<CodedTransfer> coder;  ///< of the last start that was coded; outlives what uses its stages
    std::unique_ptr<Transfer> transfer;    ///< see need_transfer()
    std::optional<WindowPart> place;       ///< a slot's, of a plain send or receive: where in a window its surface lies
    std::shared_ptr<const Message> before; ///< Sendrecv_replace: the send that reads what this receive overwrites

    // The message under way, or the last one.
    Phase phase = Phase::moving;
    bool coded = false;              ///< its bands are streams
    CodecChoice choice;              ///< a send: of which codec, if any
    bool automatic = false;          ///< a send: the choice was the library's
    bool asked_for_report = false;   ///< a receive: its sender wants to know how fast the bands came
    bool taken = false;              ///< its envelope was out of MPI's matching
    bool untold = false;             ///< a receive: its sender waits to hear that it has matched
    std::optional<Wait> short_since; ///< a receive finds no memory to take what comes, and throw it away
    Streams streams;                 ///< a receive's, where it keeps them
    Letters letter;                  ///< a receive's envelope as it comes: one
    Watch watch;                     ///< on a receive's sender
    std::unique_ptr<Port> port;
    Pipeline pipeline;
    std::uint64_t bytes = 0;
    pixMPI_Route route = PIXMPI_ROUTE_NONE;

    Device &device() const { return *surface->device; }
    /// Makes the transfer, unless it is there.
    Status need_transfer();
    /// What copies the bands of the start under way.
    Transfer &copies() const { return !coded ? *transfer : forwarder ? static_cast<Transfer &>(*forwarder) : *coder; }
    /// Its bands are the streams that the receive of what it hands on has kept, if there are some.
    void hand_on();
    /// From now on its bands are streams.
    void code(Runtime &runtime);
    Status set_codec(const pixMPI_Codec &to) override;
    bool sends() const { return direction == Direction::pack; }
    /// A receive: its envelope is matched by the library, which takes all of them out of MPI's hands.
    bool is_posted_here() const { return traffic == Traffic::schedule || channel->slots; }
    MPI_Comm envelopes() const {
        return traffic == Traffic::program ? channel->envelopes : channel->schedule_envelopes;
    }

    Status check_start() const override;
    Status begin(Runtime &runtime) override;
    void undo(Runtime &runtime) override;
    void advance(Runtime &runtime, bool &moved) override;
    const Device *lacks() const override { return device().usable() ? nullptr : &device(); }
    Pause pause() const override { return pause_for(surfaces(), region->pixels); }
    void await() override {
        if (transfer)
            transfer->await();
    }
    Status cancel() override;
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return {&surface, 1}; }
};

/// Checks everything that can be checked before a byte moves, and makes an inactive message.
Status make_message(Direction direction, std::shared_ptr<Surface> surface, pixMPI_Region region, int rank, int tag,
                    MPI_Comm comm, std::shared_ptr<Message> &message);

/// dest and tag of a send, source and tag of a receive.
Status check_address(const Channel &channel, Direction direction, int rank, int tag);

/// Leaves the envelope that a receive still expects to MPI.
void drop_letter(Runtime &runtime, Message &message);
/// The message has failed, with this thread's last error: it settles, or drains what still comes. `elsewhere`: what has
/// failed is something else of its schedule, and its other end may be all right.
void give_up(Runtime &runtime, Message &message, Status error, bool elsewhere = false);
/// The message is over: complete now, or when its transfer has settled.
void settle(Runtime &runtime, Message &message);

// Of the two kinds.
Status start_send(Runtime &runtime, Message &message);
Status advance_send(Runtime &runtime, Message &message, bool &moved);
Status start_recv(Runtime &runtime, Message &message);
Status advance_recv(Runtime &runtime, Message &message, bool &moved);

/// What a send is asked to compress its pixels by. An error where that is wrong, or does not take them.
Status find_wish(const Message &message, CodecWish &wish);
/// Which codec the start at hand of a send takes: Message::choice.
Status find_choice(Message &message);
/// Takes flows for all receivers of a send with others, which is to be started now. False where it would gain nothing,
/// or cannot be.
bool take_flows(Runtime &runtime, Message &message);
/// That a send has given up before it was started.
Status tell_receiver(Runtime &runtime, Message &message);
/// Whose stages its slots are: the host's where a codec reads and writes them.
std::shared_ptr<Device> slots_device(const Message &message);
/// Sends a rank an envelope, `letter`'s only one; its bytes are kept until MPI has them.
Status post_envelope(Runtime &runtime, Message &message, int rank, Letters letter);
/// Of a communicator with slots: a receive takes the first letter that matches, or is one of those that are posted.
void address(const Message &message, Envelope &envelope);
void post_for_slot(Message &message);
void unpost_for_slot(Message &message);
/// A receive that nothing has matched, and that the library matches itself, is not posted any more.
void unpost(Message &message);
/// Of a communicator with slots: hands an envelope to `rank` without MPI. False where that cannot be.
bool post_nearby(Channel &channel, int rank, int tag, Letters &letter);
/// Bytes of envelopes to `rank` that find no room yet.
std::size_t held_nearby(const Channel &channel, int rank);
/// Whether its pixels travel by MPI, as far as that is known.
bool goes_by_mpi(const Message &message);
/// Takes what has come, out of MPI's hands, too, and gives it to the receives that are posted.
Status deliver(Channel &channel);
/// Takes the next envelope out of MPI's hands, of any tag, and appends it; `any`: there was one, which may still be on
/// its way.
Status take_next(Channel &channel, int source, Letters &taken, bool &any);
/// Takes the first message that a receive of `source` and `tag` would match, so that it can be looked at: its place in
/// channel.waiting, or null when it has not come, or not all of it.
Status look(Channel &channel, int source, int tag, const Letter *&found);
/// The same for one of a communicator's slots.
Status look_for(Channel &channel, int own, int source, int tag, const Letter *&found);
/// The same. An error when it never will, because the sender has ended.
Status expect(Channel &channel, int source, int tag, const Letter *&found);
/// Takes the one that look() has found.
void take_found(Channel &channel, const Letter *found, Letters &taken);
/// That a receive without a port has given up. False when that cannot be told, so that what comes has to be taken.
bool tell_sender(Message &message);

} // namespace pixmpi
