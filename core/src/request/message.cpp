#include "request/message.h"

#include "device/combining_transfer.h"
#include "host/host_device.h"
#include "request/schedule_matcher.h"

namespace pixmpi {
namespace {

void log_message(const Message &message, const char *what) {
    if (!logs(PIXMPI_LOG_DEBUG))
        return;
    log_line(PIXMPI_LOG_DEBUG, "%s %s %d, tag %d: %s%s%s", message.sends() ? "send" : "receive",
             message.sends() ? "to" : "from", message.arrival.source >= 0 ? message.arrival.source : message.rank,
             message.arrival.tag >= 0 ? message.arrival.tag : message.tag, what, message.error.code ? ", " : "",
             message.error.text());
}

Status check_rank(const Channel &channel, Direction direction, int rank) {
    const bool any = direction == Direction::unpack && rank == MPI_ANY_SOURCE;
    if ((rank >= 0 && rank < channel.size) || rank == MPI_PROC_NULL || any)
        return PIXMPI_SUCCESS;
    const bool sends = direction == Direction::pack;
    return fail(PIXMPI_ERR_RANK, "%s: %d, expected a rank from 0 to %d, or MPI_PROC_NULL%s", sends ? "dest" : "source",
                rank, channel.size - 1, sends ? "" : ", or MPI_ANY_SOURCE");
}

Status check_tag(const Channel &channel, Direction direction, int tag) {
    const bool any = direction == Direction::unpack && tag == MPI_ANY_TAG;
    if ((tag >= 0 && tag <= channel.most_tag) || any)
        return PIXMPI_SUCCESS;
    return fail(PIXMPI_ERR_TAG, "tag: %d, expected 0 to %d (MPI_TAG_UB)%s", tag, channel.most_tag,
                direction == Direction::pack ? "" : ", or MPI_ANY_TAG");
}

/// The message is over, and its transfer has settled.
void complete(Runtime &runtime, Message &message) {
    message.state = State::complete;
    if (std::unique_ptr<Port> port = message.movement ? std::move(message.movement->port) : nullptr) {
        if (port->by_peer() && message.route == PIXMPI_ROUTE_SHM)
            message.route = PIXMPI_ROUTE_PEER;
        bool over = false;
        if ((message.sends() || port->in_mpi()) && port->over(over) == PIXMPI_SUCCESS && !over) {
            port->release_device();
            runtime.unread_sends.push(std::move(port)); // its receiver, or MPI, has not done with it yet
        }
    }
    message.movement.reset();
    message.let_go();
    log_message(message, message.arrival.cancelled ? "is cancelled"
                         : message.error.code      ? "has failed"
                                                   : "is complete");
    if (!message.error.code && !message.arrival.cancelled && message.rank != MPI_PROC_NULL)
        message.count(runtime.stats);
    message.use.end();
}

} // namespace

bool memory_may_come(std::chrono::steady_clock::time_point &since) {
    constexpr std::chrono::seconds patience{10};
    const auto now = std::chrono::steady_clock::now();
    if (since == std::chrono::steady_clock::time_point())
        since = now;
    return now - since < patience;
}

Status check_address(const Channel &channel, Direction direction, int rank, int tag) {
    if (const Status error = check_rank(channel, direction, rank))
        return error;
    return check_tag(channel, direction, tag);
}

Status make_message(std::shared_ptr<Surface> surface, pixMPI_Region region, int rank, int tag, MPI_Comm comm,
                    Message &message) {
    if (const Status error = find_channel(comm, message.channel))
        return error;
    if (const Status error = check_address(*message.channel, message.direction(), rank, tag))
        return error;
    if (const Status error = find_region(region, surface->extent, message.region))
        return error;
    message.own = message.matcher().own();
    message.rank = rank;
    message.tag = tag;
    message.surface = std::move(surface);
    return PIXMPI_SUCCESS;
}

Matcher &Message::matcher() const {
    return traffic == Traffic::program ? *channel->program : static_cast<Matcher &>(*channel->schedules);
}

Status Message::check_start() const {
    if (!device().usable())
        return fail_for_lack_of(device());
    return traffic == Traffic::schedule ? PIXMPI_SUCCESS : check_open(*channel); // a schedule goes on to its end
}

Status Message::need_transfer() {
    return transfer ? PIXMPI_SUCCESS : make_transfer(direction(), {}, surface, region, transfer);
}

const Pipeline &Message::pipeline() const {
    static const auto *const none = new Pipeline;
    return movement ? movement->pipeline : *none;
}

Movement &Message::move(std::uint64_t pixels, int pixel_bytes, bool lengths_vary) {
    if (!movement)
        movement.emplace();
    movement->pipeline.start(pixels, pixel_bytes, lengths_vary);
    return *movement;
}

void Message::code(Runtime &runtime, const CodecChoice &choice, bool wants_jpeg, Streams *kept) {
    if (!runtime.coding_thread)
        runtime.coding_thread = std::make_unique<CodingThread>(static_cast<unsigned>(cores_for_each_rank()));
    const Options::Computes jpeg = channel->options.jpeg;
    const bool shaders = wants_jpeg && jpeg_supports(surface->format) && jpeg != Options::Computes::cpu &&
                         (jpeg == Options::Computes::device || device().gains_by_passes());
    if (!coder || !coder->has(choice))
        coder = std::make_unique<CodedTransfer>(direction(), *transfer, *surface, packed_rows(*region), choice, shaders,
                                                *runtime.coding_thread);
    coder->start();
    coder->keep(kept);
    coded = true;
}

/// Inactive until its transfer has been notified of the start, which has to be notified of the end.
Status Message::begin(Runtime &runtime) {
    if (const Status failed = need_transfer())
        return failed;
    coded = false;
    bytes = 0;
    if (const Status failed = prepare())
        return failed;
    log_message(*this, "begins");
    transfer->start();
    state = State::active;
    use.begin(channel);
    if (blocking)
        transfer->await();
    if (rank == MPI_PROC_NULL) {
        arrival = mpi::nobody();
        const Status failed = transfer->end();
        if (!failed) // else undo() tries again
            settle(runtime, *this);
        return failed;
    }
    return launch(runtime);
}

void Message::undo(Runtime &) {
    withdraw();
    copies().give_up();
    copies().settled(); // what it had promised is done now, not at its next start
    movement.reset();
    use.end();
}

void Message::advance(Runtime &runtime, bool &moved) {
    if (phase == Phase::settling) {
        settle(runtime, *this);
        return;
    }
    if (const Status failed = without_throwing([&] { return go_on(runtime, moved); })) {
        moved = true;
        give_up(runtime, *this, failed);
    }
}

void Message::abandon(Runtime &runtime) {
    if (state == State::active && phase != Phase::settling)
        give_up(runtime, *this,
                fail(PIXMPI_ERR_PEER, sends() ? "MPI has ended, and no receive has taken it"
                                              : "MPI has ended, and the sender has not gone on"));
}

std::shared_ptr<Device> slots_device(const Message &message) {
    return message.coded ? host_device() : message.surface->device;
}

void settle(Runtime &runtime, Message &message) {
    message.phase = Phase::settling;
    if (message.copies().settled())
        complete(runtime, message);
}

void give_up(Runtime &runtime, Message &message, Status error, bool elsewhere) {
    const bool first = message.error.code == PIXMPI_SUCCESS;
    if (first) {
        message.error = last_error(error);
        message.copies().give_up();
    }
    Port *const port = message.port();
    const bool may_come = elsewhere || (error != PIXMPI_ERR_PEER && error != PIXMPI_ERR_MPI);
    if (port ? port->must_drain() && may_come && (first || message.must_receive(error)) : message.must_receive(error)) {
        message.phase = Phase::draining;
        if (message.movement)
            message.movement->pipeline.drain();
        return;
    }
    message.withdraw();
    if (port)
        port->give_up();
    settle(runtime, message);
}

} // namespace pixmpi
