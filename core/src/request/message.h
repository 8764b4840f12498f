// One message, at one end: a send or a receive, from its start to its completion; a persistent one from start to start.
//
//     matching --> moving --> settling --> complete
//         |           |           ^
//         +---------> draining ---+
//
// A receive waits for its envelope (matching), then its bands move. One that fails gives up: it ends its transfer, and
// notifies the other end. If nothing else can receive the bands that still arrive, it receives them first and drops
// them (draining). What the device has under way comes to its end (settling) before the request is complete. The port
// of a send that is complete may be kept until the receiver has all of it (Runtime::unread_sends).
#pragma once

#include "coding/coded_transfer.h"
#include "request/channel.h"
#include "request/envelope.h"
#include "request/pipeline.h"
#include "request/request.h"

namespace pixmpi {

enum class Phase { matching, moving, draining, settling };

/// Whose envelopes: they travel on different communicators, so that a receive with MPI_ANY_TAG matches none of the
/// library's own.
enum class Traffic { program, schedule };

/// What a message is part of: of a schedule, or of a partitioned message.
struct Part {
    std::uint64_t number = 0; ///< of the schedule; the message's tag is its label there
    std::uint64_t whole = 0;  ///< pixels of the picture that all ranks cut alike, or 0
    std::uint64_t first = 0;  ///< of a partitioned message: where in the whole it begins
};

/// What an attachment of the channel keeps with a message (Matcher).
class Attached {
  public:
    virtual ~Attached() = default;
};

/// Bands on their way: from the time when it is known how they travel, until the message is complete.
struct Movement {
    std::unique_ptr<Port> port;
    Pipeline pipeline;
};

/// What sends and receives have in common.
struct Message : Request {
    // What the user asked for.
    Traffic traffic = Traffic::program;
    std::shared_ptr<Channel> channel;
    ChannelUse use; ///< while it is active
    int rank = 0, tag = 0; ///< of the other end; a receive's may be wildcards
    int own = 0;           ///< of a channel with several ranks in a process: the message's rank
    Part part;
    std::shared_ptr<Surface> surface;
    std::shared_ptr<const Region> region;
    std::unique_ptr<Attached> attached;
    std::unique_ptr<CodedTransfer> coder; ///< of the last start that was coded; outlives what uses its stages
    std::unique_ptr<Transfer> transfer;   ///< see need_transfer()

    // The start under way, or the last one.
    Phase phase = Phase::moving;
    bool coded = false; ///< its bands are streams
    pixMPI_Route route = PIXMPI_ROUTE_NONE;
    std::uint64_t bytes = 0;
    std::optional<Movement> movement;

    bool sends() const { return direction() == Direction::pack; }
    virtual Direction direction() const = 0;
    Device &device() const { return *surface->device; }
    Matcher &matcher() const;
    MPI_Comm envelopes() const {
        return traffic == Traffic::program ? channel->envelopes : channel->schedule_envelopes;
    }
    /// What copies the bands of the start under way.
    virtual Transfer &copies() const { return coded ? static_cast<Transfer &>(*coder) : *transfer; }
    /// Makes the transfer, unless it is there.
    virtual Status need_transfer();
    /// How far the bands are; of a message without any, that none has begun.
    const Pipeline &pipeline() const;
    Port *port() const { return movement ? movement->port.get() : nullptr; }
    /// Bands, or none, begin to move.
    Movement &move(std::uint64_t pixels, int pixel_bytes, bool lengths_vary);

    Status check_start() const override;
    Status begin(Runtime &runtime) override;
    void undo(Runtime &runtime) override;
    void advance(Runtime &runtime, bool &moved) override;
    void abandon(Runtime &runtime) override;
    const Device *lacks() const override { return device().usable() ? nullptr : &device(); }
    Pause pause() const override { return pause_for(surfaces(), region->pixels); }
    void await() override {
        if (transfer)
            transfer->await();
    }
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return {&surface, 1}; }

    /// Moves the end along, from matching to settling.
    virtual Status go_on(Runtime &runtime, bool &moved) = 0;
    /// Whether its pixels travel by MPI, as far as that is known.
    virtual bool goes_by_mpi() const = 0;
    /// After a failure, the bands that arrive have to be received here, since nothing else can receive them. Called
    /// before the phase changes.
    virtual bool must_receive(Status /*error*/) { return false; }
    /// It gives up: nothing matches it any more.
    virtual void withdraw() {}
    virtual void count(pixMPI_Stats &stats) const = 0;
    /// It is complete.
    virtual void let_go() {}

  protected:
    /// A transfer for streams; that of the last start serves again.
    void code(Runtime &runtime, const CodecChoice &choice, bool wants_jpeg, Streams *kept);
    /// The start at hand, once the transfer knows of it.
    virtual Status prepare() { return PIXMPI_SUCCESS; }
    virtual Status launch(Runtime &runtime) = 0;
};

struct Send final : Message {
    std::vector<int> others;                  ///< a schedule's: ranks of this host that unpack from the same slots
    std::vector<FlowAllocation> flows;        ///< with others: a flow for each receiver, allocated before its start
    std::shared_ptr<const Receive> handed_on; ///< a schedule's: the receive that its pixels came by, or null
    std::unique_ptr<ForwardingTransfer> forwarder; ///< of the start under way, if that hands streams on
    std::optional<pixMPI_Codec> codec;             ///< instead of what its surface or communicator says
    bool synchronous = false;                      ///< complete no sooner than a receive has matched
    bool exact = false;                            ///< pixels must not change on their way
    bool overwritten = false;                      ///< Sendrecv_replace: a receive waits for it to have read them
    CodecChoice choice;                            ///< of the start under way: the codec, if any
    bool automatic = false;                        ///< the choice was the library's
    bool answers = false, is_new = false;          ///< of this start: see answer_others()

    Direction direction() const override { return Direction::pack; }
    Transfer &copies() const override { return coded && forwarder ? *forwarder : Message::copies(); }
    /// Its bands are the streams that the receive of what it hands on has kept, if there are some.
    void hand_on();
    /// From now on its bands are streams.
    void compress(Runtime &runtime);

    Status set_codec(const pixMPI_Codec &to) override;
    Status check_start() const override;
    Status go_on(Runtime &runtime, bool &moved) override;
    bool goes_by_mpi() const override { return route == PIXMPI_ROUTE_MPI || synchronous; }
    void count(pixMPI_Stats &stats) const override;
    Status cancel() override { return fail(PIXMPI_ERR_REQUEST, "request: a send cannot be cancelled"); }

  protected:
    Status prepare() override;
    Status launch(Runtime &runtime) override;

  private:
    /// Once it has matched, before it packs: whether others come first.
    bool answer_others(Runtime &runtime);
};

struct Receive final : Message, Posted {
    Combination combination;            ///< what it does with the pixels that are there
    std::shared_ptr<const Send> before; ///< Sendrecv_replace: the send that reads what this receive overwrites
    bool probed = false;                ///< of a message that a probe has matched: its packet is there
    bool keeps_streams = false;         ///< another message hands them on
    bool held = false;                  ///< it matches, and nothing is unpacked yet: the surface is not ready

    Packets packet;                                      ///< its envelope, once it has matched: one
    bool match_unreported = false;                       ///< its sender may wait to hear that it has matched
    bool asked_for_report = false;                       ///< its sender wants to know how fast the bands came
    Watch watch;                                         ///< on a sender whose envelope is on its way
    std::chrono::steady_clock::time_point short_since{}; ///< it finds no memory for what comes, to throw it away
    Streams streams;                                     ///< where it keeps them

    /// Sendrecv_replace, before both are started: it overwrites what `out` sends.
    void overwrite(const std::shared_ptr<Send> &out) {
        before = out;
        out->overwritten = true;
    }
    Direction direction() const override { return Direction::unpack; }
    Status need_transfer() override;
    Status go_on(Runtime &runtime, bool &moved) override;
    bool goes_by_mpi() const override;
    bool must_receive(Status error) override;
    void withdraw() override;
    void count(pixMPI_Stats &stats) const override;
    void let_go() override;
    Status cancel() override;
    /// Tells the sender of one that has no port that it has given up. False when that cannot be told, so that what
    /// comes has to be received.
    bool notify_sender();
    /// Expects a message, from now on.
    Status post(Runtime &runtime);

  protected:
    Status prepare() override;
    Status launch(Runtime &runtime) override { return post(runtime); }

  private:
    Status test_packet(bool &over);
    Status open_packet(Runtime &runtime);
};

/// Makes an inactive one; checks everything that can be checked before a byte moves.
Status make_message(std::shared_ptr<Surface> surface, pixMPI_Region region, int rank, int tag, MPI_Comm comm,
                    Message &message);
template <class End>
Status make_end(std::shared_ptr<Surface> surface, pixMPI_Region region, int rank, int tag, MPI_Comm comm,
                std::shared_ptr<End> &end) {
    auto made = std::make_shared<End>();
    if (const Status error = make_message(std::move(surface), region, rank, tag, comm, *made))
        return error;
    end = std::move(made);
    return PIXMPI_SUCCESS;
}

/// dest and tag of a send, source and tag of a receive.
Status check_address(const Channel &channel, Direction direction, int rank, int tag);

/// The message has failed, with this thread's last error: it settles, or drains what still comes. `elsewhere`: what has
/// failed is something else of its schedule, and its other end may be all right.
void give_up(Runtime &runtime, Message &message, Status error, bool elsewhere = false);
/// The message is over: complete now, or when its transfer has settled.
void settle(Runtime &runtime, Message &message);
/// Whose stages its slots are: the host's where a codec reads and writes them.
std::shared_ptr<Device> slots_device(const Message &message);
/// Whether memory may still come for one that has found none since `since`.
bool memory_may_come(std::chrono::steady_clock::time_point &since);

/// What a send is asked to compress its pixels by. An error where that is wrong, or does not take them.
Status find_wish(const Send &send, CodecWish &wish);
/// Allocates flows for all receivers of a send with several, which is to be started now. False where it is useless or
/// impossible.
bool allocate_flows(Runtime &runtime, Send &send);
/// That a send has given up before it was started.
Status notify_receiver(Runtime &runtime, Send &send);
/// Sends an envelope of a carriage that has neither bands nor pixels inside.
Status post_header(Runtime &runtime, Send &send, const Envelope &envelope, Packets packet);
Envelope make_envelope(const Send &send, Carriage carriage);
/// Of so many bytes. Made before anything is under way, as it may find no memory.
Packets make_packet(std::size_t bytes);

} // namespace pixmpi
