#include "request/message.h"

#include "device/combining_transfer.h"
#include "host/host_device.h"
#include "request/channel_slots.h"
#include "request/schedule_letters.h"

namespace pixmpi {
namespace {

void log_message(const Message &message, const char *what) {
    if (!logs(PIXMPI_LOG_DEBUG))
        return;
    const bool sends = message.direction == Direction::pack;
    log_line(PIXMPI_LOG_DEBUG, "%s %s %d, tag %d: %s%s%s", sends ? "send" : "receive", sends ? "to" : "from",
             message.arrival.source >= 0 ? message.arrival.source : message.rank,
             message.arrival.tag >= 0 ? message.arrival.tag : message.tag, what, message.error.code ? ", " : "",
             message.error.text.data());
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
    if (message.port && message.port->by_peer() && message.route == PIXMPI_ROUTE_SHM)
        message.route = PIXMPI_ROUTE_PEER;
    if (message.port && (message.sends() || message.port->in_mpi())) {
        bool over = false;
        if (message.port->over(over) == PIXMPI_SUCCESS && !over) {
            message.port->linger();
            runtime.lingering.push(std::move(message.port)); // its receiver, or MPI, has not done with it yet
        }
    }
    message.port.reset();
    log_message(message, message.arrival.cancelled ? "is cancelled"
                         : message.error.code      ? "has failed"
                                                   : "is complete");
    if (message.error.code || message.arrival.cancelled || message.rank == MPI_PROC_NULL)
        return;
    pixMPI_Stats &stats = runtime.stats;
    if (message.direction == Direction::pack) {
        const std::uint64_t receivers = 1 + message.others.size();
        stats.messages_sent += receivers;
        stats.bytes_sent += message.bytes * receivers;
        stats.bytes_by_route[message.route] += message.bytes * receivers;
        if (message.coded) {
            stats.bytes_encoded += message.bytes * receivers;
            stats.bytes_of_streams += message.copies().stream_bytes() * receivers;
            if (message.automatic && !message.forwarder)
                message.channel->links[message.rank].ledger.encoded(message.choice, message.surface->format,
                                                                    message.bytes, message.coder->stream_bytes(),
                                                                    message.coder->seconds());
        }
    } else {
        ++stats.messages_received;
        stats.bytes_received += message.bytes;
    }
}

bool memory_may_come(Message &message) {
    constexpr std::chrono::seconds patience{10};
    if (!message.short_since)
        message.short_since.emplace();
    return message.short_since->waited() < patience;
}

} // namespace

Status check_address(const Channel &channel, Direction direction, int rank, int tag) {
    if (const Status error = check_rank(channel, direction, rank))
        return error;
    return check_tag(channel, direction, tag);
}

Status make_message(Direction direction, std::shared_ptr<Surface> surface, pixMPI_Region region, int rank, int tag,
                    MPI_Comm comm, std::shared_ptr<Message> &message) {
    auto made = std::make_shared<Message>();
    if (const Status error = find_channel(comm, made->channel))
        return error;
    if (const Status error = check_address(*made->channel, direction, rank, tag))
        return error;
    if (const Status error = find_region(region, surface->extent, made->region))
        return error;
    made->direction = direction;
    made->own = made->channel->slots ? made->channel->slots->own : 0;
    made->rank = rank;
    made->tag = tag;
    made->surface = std::move(surface);
    message = std::move(made);
    return PIXMPI_SUCCESS;
}

Status Message::check_start() const {
    if (!device().usable())
        return fail_for_lack_of(device());
    if (traffic != Traffic::schedule) // a schedule goes on to its end
        if (const Status failed = check_open(*channel))
            return failed;
    CodecWish wish;
    return sends() ? find_wish(*this, wish) : PIXMPI_SUCCESS;
}

Status Message::need_transfer() {
    return transfer ? PIXMPI_SUCCESS : make_transfer(direction, combination, surface, region, transfer);
}

void Message::code(Runtime &runtime) {
    if (!runtime.coding_thread)
        runtime.coding_thread = std::make_unique<CodingThread>(static_cast<unsigned>(cores_for_each_rank()));
    const Options::Computes jpeg = channel->options.jpeg;
    const bool wanted = choice.kind == CodecKind::jpeg || !sends();
    const bool has_alpha = format_info(surface->format).channels == 4 && choice.alpha == Alpha::beside && sends();
    const bool shaders = wanted && !has_alpha && jpeg_takes(surface->format) && jpeg != Options::Computes::cpu &&
                         (jpeg == Options::Computes::device || device().gains_by_passes());
    if (!coder || !coder->has(choice))
        coder = std::make_unique<CodedTransfer>(direction, *transfer, *surface, packed_rows(*region), choice, shaders,
                                                *runtime.coding_thread);
    coder->start();
    coder->keep(keeps_streams ? &streams : nullptr);
    coded = true;
}

void Message::hand_on() {
    if (!handed_on || handed_on->streams.bands.empty())
        return;
    forwarder = std::make_unique<ForwardingTransfer>(*transfer, handed_on->streams);
    coded = true;
}

Status Message::set_codec(const pixMPI_Codec &to) {
    if (!sends())
        return Request::set_codec(to);
    codec = to;
    return PIXMPI_SUCCESS;
}

/// Inactive until its transfer has been told of the start, which has to be told of the end.
Status Message::begin(Runtime &runtime) {
    if (const Status failed = need_transfer())
        return failed;
    if (sends())
        if (const Status failed = find_choice(*this))
            return failed;
    coded = false;
    forwarder.reset();
    streams = {};
    short_since.reset();
    bytes = 0;
    phase = sends() ? Phase::moving : Phase::matching;
    log_message(*this, "begins");
    transfer->start();
    state = State::active;
    if (blocking)
        transfer->await();
    if (rank == MPI_PROC_NULL) {
        arrival = mpi::nobody();
        const Status failed = transfer->end();
        if (!failed) // else undo() tries again
            settle(runtime, *this);
        return failed;
    }
    return sends() ? start_send(runtime, *this) : start_recv(runtime, *this);
}

void Message::undo(Runtime &) {
    copies().give_up();
    copies().settled(); // what it had promised is done now, not at its next start
    port.reset();
}

void Message::advance(Runtime &runtime, bool &moved) {
    if (phase == Phase::settling) {
        settle(runtime, *this);
        return;
    }
    const Status failed = without_throwing(
        [&] { return sends() ? advance_send(runtime, *this, moved) : advance_recv(runtime, *this, moved); });
    if (failed) {
        moved = true;
        give_up(runtime, *this, failed);
    }
}

Status Message::cancel() {
    if (sends())
        return fail(PIXMPI_ERR_REQUEST, "request: a send cannot be cancelled");
    if (state != State::active || phase != Phase::matching || taken)
        return PIXMPI_SUCCESS; // it completes as if it had not been cancelled
    if (traffic == Traffic::schedule && !error.code)
        return PIXMPI_SUCCESS; // steps that come after it would take its pixels for received
    if (is_posted_here()) {
        unpost(*this);
        letter.emplace_back().arrival.cancelled = true;
        return PIXMPI_SUCCESS;
    }
    return mpi::cancel(letter.front().request);
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
    // Nobody else can take what comes; that there is no memory for it may pass.
    const bool memory = error == PIXMPI_ERR_MEMORY && memory_may_come(message);
    const bool may_come = elsewhere || (error != PIXMPI_ERR_PEER && error != PIXMPI_ERR_MPI);
    const bool drains = message.port ? message.port->must_drain() && may_come && (first || memory)
                                     : message.phase != Phase::matching && memory && !tell_sender(message);
    if (drains) {
        message.phase = Phase::draining;
        message.pipeline.drain();
        return;
    }
    drop_letter(runtime, message);
    if (message.port)
        message.port->give_up();
    settle(runtime, message);
}

void unpost(Message &message) {
    if (message.traffic == Traffic::schedule)
        unpost_for_schedule(message);
    else if (message.channel->slots)
        unpost_for_slot(message);
}

void drop_letter(Runtime &runtime, Message &message) {
    unpost(message);
    if (message.letter.empty() || message.letter.front().request == MPI_REQUEST_NULL)
        return;
    Letter &letter = message.letter.front();
    bool over = false;
    if (!message.taken)
        (void)mpi::cancel(letter.request);
    if (mpi::test(letter.request, over) || over)
        return;
    runtime.outbox_bytes += letter.bytes.size();
    runtime.outbox.splice(runtime.outbox.end(), message.letter);
}

} // namespace pixmpi
