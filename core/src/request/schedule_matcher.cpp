#include "request/schedule_matcher.h"

#include "host/host_device.h"
#include "request/notice.h"
#include "request/runtime.h"

#include <algorithm>

namespace pixmpi {

bool ScheduleMatcher::read(Packet &packet) {
    if (packet.arrival.tag == notice_tag) {
        hear(channel_, packet);
        return false;
    }
    Envelope envelope;
    if (!decode({packet.bytes.data(), packet.arrival.bytes}, envelope)) {
        log_line(PIXMPI_LOG_ERROR, "what came from rank %d for a collective is no envelope", packet.arrival.source);
        return false;
    }
    packet.number = envelope.schedule;
    return true;
}

void ScheduleMatcher::keep(Packet &packet) { unwanted_ = unwanted_ || !is_wanted(channel_, packet.number); }

Status ScheduleMatcher::check() const {
    return channel_.schedule_envelopes == MPI_COMM_NULL ? check_open(channel_) : PIXMPI_SUCCESS;
}

Status ScheduleMatcher::collect_from_mpi() {
    for (bool any = true; any;)
        if (const Status error = receive_next(channel_.schedule_envelopes, MPI_ANY_SOURCE, arriving_, any))
            return error;
    return PIXMPI_SUCCESS;
}

/// In the order of each rank's sends. A rank that dies in the middle of one does not hold up those of other ranks.
Status ScheduleMatcher::hand_out_arrived() {
    for (auto one = arriving_.begin(); one != arriving_.end();) {
        const auto packet = one++;
        const bool behind = std::any_of(arriving_.begin(), packet, [&](const Packet &before) {
            return before.arrival.source == packet->arrival.source;
        });
        bool here = false;
        if (const Status error = behind ? PIXMPI_SUCCESS : mpi::test(packet->request, here))
            return error;
        if (here)
            hand_out(arriving_, packet);
    }
    return PIXMPI_SUCCESS;
}

/// Those that find no memory for that are tried again.
Status ScheduleMatcher::refuse_unwanted(Runtime &runtime) {
    for (auto one = waiting_.begin(); one != waiting_.end();) {
        const auto packet = one++;
        if (is_wanted(channel_, packet->number))
            continue;
        std::shared_ptr<Receive> stand_in;
        if (const Status error = make_stand_in(channel_.shared_from_this(), packet->arrival.source, packet->arrival.tag,
                                               packet->number, stand_in))
            return error;
        activate(*stand_in, {PIXMPI_ERR_PEER});
        give(*stand_in, waiting_, packet);
        runtime.active.push(stand_in);
    }
    unwanted_ = false;
    return PIXMPI_SUCCESS;
}

Status ScheduleMatcher::collect(Runtime &runtime) {
    if (channel_.schedule_envelopes == MPI_COMM_NULL)
        return check_open(channel_);
    bool any = true;
    do {
        if (const Status error = receive_next(channel_.schedule_envelopes, MPI_ANY_SOURCE, arriving_, any))
            return error;
        if (const Status error = hand_out_arrived())
            return error;
    } while (any && any_posted()); // MPI may yield where it finds nothing: it is not asked for more than is wanted
    if (unwanted_)
        (void)without_throwing([&] { return refuse_unwanted(runtime); });
    return PIXMPI_SUCCESS;
}

Status ScheduleMatcher::look(Runtime &, int, int, int, const Packet *&found) {
    found = nullptr; // no probe is about them
    return PIXMPI_SUCCESS;
}

void ScheduleMatcher::close(Runtime &runtime) {
    if (channel_.schedule_envelopes == MPI_COMM_NULL)
        return;
    (void)without_throwing([&] { return collect_from_mpi(); });
    (void)hand_out_arrived();
    runtime.leave_to_mpi(arriving_);
}

Status make_stand_in(const std::shared_ptr<Channel> &channel, int source, int label, std::uint64_t number,
                     std::shared_ptr<Receive> &stand_in) {
    auto made = std::make_shared<Receive>();
    const pixMPI_Surface nothing = pixMPI_Memory(nullptr, PIXMPI_R8, 0, 0);
    if (const Status error = make_host_surface(nothing, made->surface))
        return error;
    if (const Status error = find_region(PIXMPI_WHOLE, made->surface->extent, made->region))
        return error;
    if (const Status error = made->need_transfer())
        return error;
    made->traffic = Traffic::schedule;
    made->channel = channel;
    made->rank = source;
    made->tag = label;
    made->part.number = number;
    stand_in = std::move(made);
    return PIXMPI_SUCCESS;
}

void activate(Receive &stand_in, const Error &error) {
    stand_in.error = error;
    stand_in.transfer->start();
    stand_in.transfer->give_up();
    stand_in.phase = Phase::matching;
    stand_in.state = State::active;
    stand_in.use.begin(stand_in.channel);
}

} // namespace pixmpi
