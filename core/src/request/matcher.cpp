#include "request/matcher.h"

#include "host/host_device.h"
#include "request/message.h"
#include "request/runtime.h"

#include <algorithm>

namespace pixmpi {

Status fail_for_end(const Channel &channel, int source) {
    return fail(PIXMPI_ERR_PEER, "source: rank %d, process %d, has ended", source,
                channel.peers[static_cast<std::size_t>(source)]->card.pid);
}

Matcher::~Matcher() {
    if (is_listed_)
        std::erase(runtime().matchers, this);
}

Status Matcher::post(Runtime &runtime, Receive &receive) {
    const Address wanted{receive.own, receive.rank, receive.tag, receive.part.number};
    runtime.packets.put(receive.packet);
    if (const auto found = find_waiting(wanted); found != waiting_.end()) {
        give(receive, waiting_, found);
        return PIXMPI_SUCCESS;
    }
    if (from_.empty())
        from_.resize(static_cast<std::size_t>(channel_.size));
    if (!is_listed_)
        runtime.matchers.push_back(this);
    is_listed_ = true;
    posted_.add(receive, wanted);
    receive.rests = true;
    if (wanted.source >= 0)
        ++from_[static_cast<std::size_t>(wanted.source)];
    return listen(runtime);
}

void Matcher::unpost(Receive &receive) {
    if (!receive.is_posted())
        return;
    posted_.remove(receive);
    if (receive.address().source >= 0)
        --from_[static_cast<std::size_t>(receive.address().source)];
    receive.rests = false;
    runtime().active.push(receive);
}

void Matcher::repost(Receive &receive, Receive &stand_in) {
    stand_in.packet.splice(stand_in.packet.end(), receive.packet);
    if (!receive.is_posted())
        return;
    posted_.replace(receive, stand_in);
    stand_in.rests = true;
    receive.rests = false;
    runtime().active.push(receive);
}

void Matcher::give(Receive &receive, Packets &from, Packets::iterator packet) {
    unpost(receive);
    receive.packet.splice(receive.packet.end(), from, packet);
}

void Matcher::hand_out(Packets &from, Packets::iterator packet) {
    if (!read(*packet)) {
        from.erase(packet);
        return;
    }
    if (Posted *const found = posted_.find(packet->address())) {
        auto &receive = static_cast<Receive &>(*found);
        hand(*packet, receive);
        give(receive, from, packet);
        return;
    }
    keep(*packet);
    waiting_.splice(waiting_.end(), from, packet);
}

Packets::iterator Matcher::find_waiting(const Address &wanted) {
    return std::find_if(waiting_.begin(), waiting_.end(),
                        [&](const Packet &packet) { return wanted.matches(packet.address()); });
}

Status Matcher::receive_next(MPI_Comm comm, int source, Packets &into, bool &any) {
    mpi::Arrival arrival;
    if (const Status error = mpi::look(comm, source, MPI_ANY_TAG, any, arrival); error || !any)
        return error;
    Packets packet = runtime().packets.get(arrival.bytes);
    Packet &one = packet.front();
    one.arrival = arrival;
    if (const Status error = mpi::receive(comm, arrival, one.bytes.data(), one.request))
        return error;
    into.splice(into.end(), packet);
    return PIXMPI_SUCCESS;
}

void Matcher::extract(const Packet *found, Packets &into) {
    const auto at = std::find_if(waiting_.begin(), waiting_.end(), [&](const Packet &one) { return &one == found; });
    into.splice(into.end(), waiting_, at);
}

Status Matcher::accept(const Receive &receive, const Envelope &, std::unique_ptr<Port> &) {
    return fail(PIXMPI_ERR_PEER, "the envelope of rank %d names a way that this rank does not have",
                receive.arrival.source);
}

Status Matcher::expect(Runtime &runtime, int source, int tag, const Packet *&found) {
    if (const Status error = look(runtime, own(), source, tag, found); error || found || source < 0)
        return error;
    if (!probed_.ended(*channel_.peers[static_cast<std::size_t>(source)]))
        return PIXMPI_SUCCESS;
    for (int i = 0; i < 100; ++i) // it may have sent it just before
        if (const Status error = look(runtime, own(), source, tag, found); error || found)
            return error;
    return fail_for_end(channel_, source);
}

/// The first of those that name this source, or of all.
bool Matcher::fail_first(Runtime &runtime, int source, Status error) {
    Posted *const found =
        posted_.first([&](const Posted &one) { return source < 0 || one.address().source == source; });
    if (!found)
        return false;
    give_up(runtime, static_cast<Receive &>(*found), error);
    return true;
}

/// Asking the system takes a microsecond for each process, so it is done now and then only.
void Matcher::look_for_ended(Runtime &runtime) {
    constexpr std::uint32_t seldom = 1024;
    if (++asked_ % seldom)
        return;
    for (std::size_t rank = 0; rank < from_.size(); ++rank) {
        if (!from_[rank] || !channel_.peers[rank]->ended())
            continue;
        for (int i = 0; i < 100 && from_[rank]; ++i) // it may have sent it just before
            (void)without_throwing([&] { return collect(runtime); });
        while (from_[rank] &&
               fail_first(runtime, static_cast<int>(rank), fail_for_end(channel_, static_cast<int>(rank)))) {
        }
    }
}

bool Matcher::collect_early(Runtime &runtime) {
    if (!early_ && any_posted())
        early_ = without_throwing([&] { return collect(runtime); });
    return !early_ && any_posted();
}

bool Matcher::advance(Runtime &runtime, bool &moved) {
    const std::size_t before = posted_.size();
    if (const Status lost = check())
        while (fail_first(runtime, MPI_ANY_SOURCE, lost)) {
        }
    else if (const Status early = std::exchange(early_, PIXMPI_SUCCESS))
        fail_first(runtime, MPI_ANY_SOURCE, early);
    else if (const Status error = before ? without_throwing([&] { return collect(runtime); }) : PIXMPI_SUCCESS)
        fail_first(runtime, MPI_ANY_SOURCE, error);
    else
        look_for_ended(runtime);
    moved = moved || posted_.size() != before;
    return is_listed_ = !posted_.empty() || in_mpi();
}

/// The next envelope, whosever it is, goes into this.
Status ProgramMatcher::listen(Runtime &runtime) {
    if (!expected_.empty())
        return PIXMPI_SUCCESS;
    Packets next = runtime.packets.get(most_envelope);
    Packet &one = next.front();
    if (const Status error =
            mpi::recv(channel_.envelopes, one.bytes.data(), one.bytes.size(), MPI_ANY_SOURCE, MPI_ANY_TAG, one.request))
        return error;
    expected_.splice(expected_.end(), next);
    return PIXMPI_SUCCESS;
}

/// A short one gets memory as long as itself, and the long memory serves again.
void ProgramMatcher::trim(Packet &packet) {
    const std::size_t bytes = packet.arrival.bytes;
    if (packet.bytes.size() != most_envelope || bytes > PacketPool::shorter)
        return;
    (void)without_throwing([&] { // else the long one serves as well
        PacketPool &store = runtime().packets;
        Packets copy = store.get(bytes);
        std::copy_n(packet.bytes.begin(), bytes, copy.front().bytes.begin());
        packet.bytes.swap(copy.front().bytes);
        store.put(copy);
        return PIXMPI_SUCCESS;
    });
}

/// Where MPI has a further envelope, the one that is expected has begun to come. If a process has ended meanwhile, that
/// was its own, and does not keep back the others'. `over`: all of it is here now, it may have come with the further
/// one.
Status ProgramMatcher::leave_lost(Runtime &runtime, bool &over) {
    bool more = false;
    mpi::Arrival next;
    Packet &one = expected_.front();
    if (const Status error = mpi::look(channel_.envelopes, MPI_ANY_SOURCE, MPI_ANY_TAG, more, next); error || !more)
        return error;
    if (std::none_of(channel_.peers.begin(), channel_.peers.end(), [](const auto &peer) { return peer->ended(); }))
        return PIXMPI_SUCCESS;
    const Status error = mpi::test(one.request, over, &one.arrival);
    if (error)
        expected_.clear();
    else if (!over)
        runtime.leave_to_mpi(expected_);
    return error;
}

/// Pixels for host memory are unpacked in this pass, so a few such receives may have the long memory as it is.
void ProgramMatcher::hand(Packet &packet, const Receive &receive) {
    static const Device *const host = host_device().get(); // as long as the process
    if (packet.arrival.bytes > header_bytes && &receive.device() == host && lent_ < PacketPool::most_long)
        ++lent_;
    else
        trim(packet);
}

Status ProgramMatcher::collect(Runtime &runtime) {
    constexpr int at_a_time = 64;
    constexpr std::uint32_t seldom = 1024;
    lent_ = 0;
    for (int i = 0; i < at_a_time; ++i) {
        if (expected_.empty() && !any_posted())
            return PIXMPI_SUCCESS;
        if (const Status error = listen(runtime))
            return error == PIXMPI_ERR_MEMORY && memory_may_come(short_since_) ? PIXMPI_SUCCESS : error;
        short_since_ = {};
        bool over = false;
        Packet &one = expected_.front();
        if (const Status error = mpi::test(one.request, over, &one.arrival)) {
            expected_.clear();
            return error;
        }
        if (!over && ++fruitless_ % seldom == 0)
            if (const Status error = leave_lost(runtime, over))
                return error;
        if (!over)
            return PIXMPI_SUCCESS;
        fruitless_ = 0;
        Packets arrived;
        arrived.swap(expected_);
        hand_out(arrived, arrived.begin());
    }
    return PIXMPI_SUCCESS;
}

/// Up to the message that is looked for, with any tag, so that all messages stay in the order of their sends. As long
/// as MPI has a posted receive, there is nothing behind it.
Status ProgramMatcher::look(Runtime &runtime, int own, int source, int tag, const Packet *&found) {
    found = nullptr;
    if (const Status error = collect(runtime))
        return error;
    const Address wanted{own, source, tag};
    auto first = find_waiting(wanted);
    while (first == waiting_.end()) {
        bool any = false;
        if (!expected_.empty())
            return PIXMPI_SUCCESS;
        if (const Status error = receive_next(channel_.envelopes, source, waiting_, any); error || !any)
            return error;
        if (wanted.matches(waiting_.back().address()))
            first = std::prev(waiting_.end());
    }
    bool here = false;
    if (const Status error = mpi::test(first->request, here))
        return error;
    found = here ? &*first : nullptr;
    return PIXMPI_SUCCESS;
}

void ProgramMatcher::close(Runtime &runtime) {
    if (expected_.empty())
        return;
    Packet &one = expected_.front();
    bool over = false;
    (void)mpi::cancel(one.request);
    if (mpi::test(one.request, over, &one.arrival) || over) {
        if (!one.arrival.cancelled && over)
            hand_out(expected_, expected_.begin());
    } else {
        runtime.leave_to_mpi(expected_);
    }
    expected_.clear();
}

} // namespace pixmpi
