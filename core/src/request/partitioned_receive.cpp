// The receiving end of partitioned messages: parts come as the sender has cut them.
#include "request/partitioned.h"

#include "region/slice.h"
#include "request/schedule_matcher.h"

#include <algorithm>

namespace pixmpi {
namespace {

std::shared_ptr<const Region> join(const std::vector<std::shared_ptr<const Region>> &parts) {
    if (parts.size() == 1)
        return parts.front();
    auto all = std::make_shared<Region>();
    for (const auto &part : parts)
        for (const pixMPI_Rect &rect : part->rects)
            all->add(rect);
    all->commit();
    return all;
}

} // namespace

PartitionedReceive::PartitionedReceive(PartitionedEnd end, std::uint64_t number)
    : Partitioned(std::move(end), number), whole_(join(end_.parts)), arrived_(end_.parts.size(), 0) {}

bool PartitionedReceive::has_arrived(int partition) const {
    const auto i = static_cast<std::size_t>(partition);
    return state == State::inactive || is_of_nobody() || arrived_[i] == end_.parts[i]->pixels;
}

void PartitionedReceive::begin_parts() {
    arrived_.assign(arrived_.size(), 0);
    expected_ = announced_ = 0;
    any_ = false;
}

/// Which partitions its pixels are of.
void PartitionedReceive::count(const Message &part) {
    const std::uint64_t first = part.part.first, last = first + part.region->pixels;
    std::uint64_t begins = 0;
    for (std::size_t i = 0; i < arrived_.size(); ++i) {
        const std::uint64_t ends = begins + end_.parts[i]->pixels;
        if (first < ends && last > begins)
            arrived_[i] += std::min(last, ends) - std::max(first, begins);
        begins = ends;
    }
}

/// The part that an envelope announces is a receive, which gets the envelope. A part that does not fit is received all
/// the same, and fails. Where there is no memory for that, the packet stays.
Status PartitionedReceive::accept(Runtime &runtime, Packets &packet) {
    Envelope envelope;
    const Packet &one = packet.front();
    if (!decode({one.bytes.data(), one.arrival.bytes}, envelope)) {
        packet.clear();
        return fail(PIXMPI_ERR_PEER, "what came from rank %d is no envelope", end_.rank);
    }
    const bool given_up = envelope.carriage == Carriage::given_up;
    const std::uint64_t first = envelope.first(), pixels = given_up ? envelope.band_pixels : envelope.pixels;
    const bool fits = envelope.whole == pixels_ && first <= pixels_ && pixels <= pixels_ - first;
    std::shared_ptr<Receive> part, stand_in;
    if (!given_up) {
        std::shared_ptr<Receive> &known = known_[{first, pixels}];
        part = known;
        if (!part || part->state == State::active) // two at once, where the sender is wrong
            part = make_part<Receive>(fits ? slice(whole_, first, pixels) : region_of({}), first);
        part->probed = true;
        if (fits)
            known = part;
        if (const Status failed = make_stand_in(end_.channel, end_.rank, 0, number_, stand_in))
            return failed;
        moving_.reserve(moving_.size() + 1);
    }
    any_ = true;
    expected_ = envelope.whole;
    announced_ += pixels;
    if (given_up) {
        packet.clear();
        return fail(PIXMPI_ERR_PEER, "rank %d has failed: its own error says why", end_.rank);
    }
    part->packet.clear();
    part->packet.splice(part->packet.end(), packet);
    part->state = State::inactive;
    if (const Status failed = start(runtime, part)) {
        const Error error_of_part = last_error(failed); // the stand-in receives what comes, and throws it away
        activate(*stand_in, error_of_part);
        stand_in->packet.splice(stand_in->packet.end(), part->packet);
        runtime.active.push(stand_in);
        return repeat(error_of_part);
    }
    moving_.push_back(part);
    return PIXMPI_SUCCESS;
}

Status PartitionedReceive::receive_packets(Runtime &runtime, bool &moved) {
    if (const Status failed = end_.channel->schedules->collect(runtime))
        return failed;
    Packets &waiting = end_.channel->schedules->waiting();
    for (auto one = waiting.begin(); one != waiting.end() && !all_announced();) {
        const auto packet = one++;
        if (packet->number != number_ || packet->arrival.source != end_.rank)
            continue;
        Packets candidate;
        candidate.splice(candidate.end(), waiting, packet);
        keep_error(without_throwing([&] { return accept(runtime, candidate); }));
        if (!candidate.empty()) { // tried again when others have given memory back
            waiting.splice(one, candidate);
            return PIXMPI_SUCCESS;
        }
        moved = true;
    }
    return PIXMPI_SUCCESS;
}

Status PartitionedReceive::move_parts(Runtime &runtime, bool &moved, bool &over) {
    std::erase_if(moving_, [&](const auto &part) {
        if (part->state == State::active)
            return false;
        keep_error(*part);
        if (!part->error.code)
            count(*part);
        moved = true;
        return true;
    });
    bool ended = false;
    if (!all_announced() && device().usable()) { // a part begins in a thread that can use the surface
        const Peer &peer = *end_.channel->peers[static_cast<std::size_t>(end_.rank)];
        const bool watched = watch_.ended(peer);
        for (int i = 0; i < (watched ? 100 : 1) && !all_announced(); ++i) // it may have sent it just before
            if (const Status failed = receive_packets(runtime, moved)) {
                over = moving_.empty();
                return failed;
            }
        ended = watched && !all_announced();
        if (ended)
            keep_error(fail(PIXMPI_ERR_PEER, "source: rank %d, process %d, has ended", end_.rank, peer.card.pid));
    }
    over = moving_.empty() && (all_announced() || ended);
    if (over) {
        arrival = is_of_nobody() ? mpi::nobody() : mpi::Arrival{end_.rank, end_.tag, 0, false};
        arrival.bytes = is_of_nobody() ? 0 : expected_ * static_cast<std::uint64_t>(end_.surface->pixel_bytes);
    }
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
