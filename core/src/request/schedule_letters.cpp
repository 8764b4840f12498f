#include "request/schedule_letters.h"

#include "host/host_device.h"
#include "request/notice.h"
#include "request/runtime.h"

#include <algorithm>

namespace pixmpi {

bool ScheduleMatcher::read(Letter &letter) {
    if (letter.arrival.tag == notice_tag) {
        hear(channel_, letter);
        return false;
    }
    Envelope envelope;
    if (!decode({letter.bytes.data(), letter.arrival.bytes}, envelope)) {
        log_line(PIXMPI_LOG_ERROR, "what came from rank %d for a collective is no envelope", letter.arrival.source);
        return false;
    }
    letter.number = envelope.schedule;
    return true;
}

void ScheduleMatcher::keep(Letter &letter) { unwanted_ = unwanted_ || !is_wanted(channel_, letter.number); }

Status ScheduleMatcher::check() const {
    return channel_.schedule_envelopes == MPI_COMM_NULL ? check_open(channel_) : PIXMPI_SUCCESS;
}

Status ScheduleMatcher::take_from_mpi() {
    for (bool any = true; any;)
        if (const Status error = take_next(channel_.schedule_envelopes, MPI_ANY_SOURCE, arriving_, any))
            return error;
    return PIXMPI_SUCCESS;
}

/// In the order of each rank's sends. A rank that dies in the middle of one does not hold up those of other ranks.
Status ScheduleMatcher::hand_out_arrived() {
    for (auto one = arriving_.begin(); one != arriving_.end();) {
        const auto letter = one++;
        const bool behind = std::any_of(arriving_.begin(), letter, [&](const Letter &before) {
            return before.arrival.source == letter->arrival.source;
        });
        bool here = false;
        if (const Status error = behind ? PIXMPI_SUCCESS : mpi::test(letter->request, here))
            return error;
        if (here)
            hand_out(arriving_, letter);
    }
    return PIXMPI_SUCCESS;
}

/// Those that find no memory for that are tried again.
Status ScheduleMatcher::refuse_unwanted(Runtime &runtime) {
    for (auto one = waiting_.begin(); one != waiting_.end();) {
        const auto letter = one++;
        if (is_wanted(channel_, letter->number))
            continue;
        std::shared_ptr<Receive> stand_in;
        if (const Status error = make_stand_in(channel_.shared_from_this(), letter->arrival.source, letter->arrival.tag,
                                               letter->number, stand_in))
            return error;
        activate(*stand_in, {PIXMPI_ERR_PEER});
        give(*stand_in, waiting_, letter);
        runtime.active.push(stand_in);
    }
    unwanted_ = false;
    return PIXMPI_SUCCESS;
}

Status ScheduleMatcher::take(Runtime &runtime) {
    if (channel_.schedule_envelopes == MPI_COMM_NULL)
        return check_open(channel_);
    bool any = true;
    do {
        if (const Status error = take_next(channel_.schedule_envelopes, MPI_ANY_SOURCE, arriving_, any))
            return error;
        if (const Status error = hand_out_arrived())
            return error;
    } while (any && any_posted()); // MPI may yield where it finds nothing: it is not asked for more than is wanted
    if (unwanted_)
        (void)without_throwing([&] { return refuse_unwanted(runtime); });
    return PIXMPI_SUCCESS;
}

Status ScheduleMatcher::look(Runtime &, int, int, int, const Letter *&found) {
    found = nullptr; // no probe is about them
    return PIXMPI_SUCCESS;
}

void ScheduleMatcher::close(Runtime &runtime) {
    if (channel_.schedule_envelopes == MPI_COMM_NULL)
        return;
    (void)without_throwing([&] { return take_from_mpi(); });
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
}

} // namespace pixmpi
