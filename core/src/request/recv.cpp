// The receiving end: from the envelope that matches to the pixels in their place.

#include "request/channel_slots.h"
#include "request/message.h"
#include "request/schedule_letters.h"
#include "route/flow_receiver.h"
#include "route/flow_sender.h"
#include "route/route_mpi.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pixmpi {
namespace {

/// Pixels that came inside the envelope: one band, at hand.
class InsidePort : public Port {
  public:
    InsidePort(std::byte *pixels, const Envelope &envelope, std::shared_ptr<Device> device)
        : pixels_(pixels), count_(envelope.pixels), bytes_(envelope.bytes()), device_(std::move(device)) {}

    Status advance(bool &) override { return PIXMPI_SUCCESS; }
    std::uint64_t band_pixels(std::uint64_t) const override { return count_; }
    Status ready(std::uint64_t, Slot &slot, bool &yes) override {
        yes = true;
        if (!stage_)
            if (const Status error = device_->make_stage(StageKind::shared, pixels_, bytes_, stage_))
                return error;
        slot = {stage_.get(), 0};
        return PIXMPI_SUCCESS;
    }
    Status pass(std::uint64_t, std::size_t) override { return PIXMPI_SUCCESS; }
    Status over(bool &yes) override {
        yes = true;
        return PIXMPI_SUCCESS;
    }
    void give_up() override {}

  private:
    std::byte *pixels_;
    std::uint64_t count_;
    std::size_t bytes_;
    std::shared_ptr<Device> device_;
    std::unique_ptr<Stage> stage_;
};

bool matches(const mpi::Arrival &arrival, int source, int tag) {
    return (source == MPI_ANY_SOURCE || source == arrival.source) && (tag == MPI_ANY_TAG || tag == arrival.tag);
}

Letters::iterator first_waiting(Channel &channel, int source, int tag) {
    return std::find_if(channel.waiting.begin(), channel.waiting.end(),
                        [&](const Letter &letter) { return matches(letter.arrival, source, tag); });
}

Status make_port(Runtime &runtime, Message &message, const Envelope &envelope) {
    const auto &peer = message.channel->peers[static_cast<std::size_t>(message.arrival.source)];
    const int pixel_bytes = static_cast<int>(envelope.pixel_bytes);
    switch (envelope.carriage) {
    case Carriage::inside:
        message.port = std::make_unique<InsidePort>(message.letter.front().bytes.data() + header_bytes, envelope,
                                                    message.surface->device);
        return PIXMPI_SUCCESS;
    case Carriage::flow: {
        if (!peer->stage().base || envelope.flow >= peer->stage().flows())
            return fail(PIXMPI_ERR_PEER, "the envelope names stage memory that does not exist");
        const std::shared_ptr<Device> device = slots_device(message);
        Wish wish;
        if (device->usable() && !message.coded)
            wish = make_wish(peer->stage().flow(envelope.flow), *message.transfer, *message.region, envelope.pixels,
                             message.before != nullptr);
        FlowReceiver::Incoming incoming{peer, envelope.flow, device};
        incoming.by_peer = may_use_peer(message.channel->options, *device);
        if (incoming.by_peer || PeerMemory::hops(*device, envelope.bytes()))
            incoming.peer_memory = PeerMemory::of(device);
        incoming.pixels = envelope.pixels;
        incoming.pixel_bytes = pixel_bytes;
        incoming.lengths_vary = envelope.lengths_vary;
        incoming.wish = std::move(wish);
        message.port = std::make_unique<FlowReceiver>(runtime, std::move(incoming));
        return PIXMPI_SUCCESS;
    }
    case Carriage::shown:
        return message.channel->slots && message.channel->slots->shown
                   ? message.channel->slots->shown->take(message, envelope, message.port)
                   : fail(PIXMPI_ERR_PEER, "the envelope names a window of a process that has none");
    case Carriage::bands:
    case Carriage::given_up: // never gets here
        break;
    }
    const std::size_t largest = StageMemory::largest(runtime.stage.map().bytes);
    const LanePlan plan = envelope.lengths_vary
                              ? fit_lengths(largest, envelope.band_pixels, envelope.band_bytes, envelope.pixels)
                              : fit_lane(largest, envelope.band_pixels, envelope.pixels, pixel_bytes);
    if (plan.slots == 0)
        return fail(PIXMPI_ERR_PEER, "the envelope announces bands that are too large");
    const std::shared_ptr<Device> device = slots_device(message);
    message.port = std::make_unique<MpiReceiver>(
        MpiAddress{message.channel->bands, message.channel->process_of(message.arrival.source), envelope.number},
        runtime.stage, gpu_memory_for_mpi(runtime, device, envelope.bytes(), message.channel->options.eager_bytes),
        device, plan, envelope.pixels, pixel_bytes, envelope.waits);
    return PIXMPI_SUCCESS;
}

Status check_fit(const Message &message, const Envelope &envelope) {
    if (envelope.pixels && static_cast<int>(envelope.pixel_bytes) != message.surface->pixel_bytes)
        return fail(PIXMPI_ERR_FORMAT,
                    "surface: its pixels have %d bytes, those of the message from rank %d, tag %d, %u; "
                    "expected as many",
                    message.surface->pixel_bytes, message.arrival.source, message.arrival.tag, envelope.pixel_bytes);
    const int depth_bytes = format_info(message.surface->depth_format).bytes;
    if (envelope.pixels && static_cast<int>(envelope.depth_bytes) != depth_bytes)
        return fail(
            PIXMPI_ERR_FORMAT,
            "surface: %d of its %d bytes of a pixel are depth, of those of the message from rank %d, tag %d, %u; "
            "expected as many",
            depth_bytes, message.surface->pixel_bytes, message.arrival.source, message.arrival.tag,
            envelope.depth_bytes);
    // Ranks that cut pictures of different sizes may have parts of one size.
    const bool alike = envelope.pixels == message.region->pixels && envelope.whole == message.whole;
    if (message.traffic == Traffic::schedule && !alike)
        return fail(
            PIXMPI_ERR_TRUNCATE, "region: rank %d gives %llu pixels for the %llu here; expected as many on all ranks",
            message.arrival.source, static_cast<unsigned long long>(message.whole ? envelope.whole : envelope.pixels),
            static_cast<unsigned long long>(message.whole ? message.whole : message.region->pixels));
    if (envelope.pixels > message.region->pixels)
        return fail(PIXMPI_ERR_TRUNCATE,
                    "region: has %llu pixels, the message from rank %d, tag %d, has %llu; expected at least as many",
                    static_cast<unsigned long long>(message.region->pixels), message.arrival.source,
                    message.arrival.tag, static_cast<unsigned long long>(envelope.pixels));
    return PIXMPI_SUCCESS;
}

bool read(const Message &message, Envelope &envelope) {
    const Letter &letter = message.letter.front();
    return decode({letter.bytes.data(), letter.arrival.bytes}, envelope);
}

/// To the sender, by the message's number.
Status send_back(Runtime &runtime, const Message &message, std::uint32_t number, std::span<const std::byte> bytes) {
    Letters letter(1);
    Letter &one = letter.front();
    one.bytes.assign(bytes.begin(), bytes.end());
    const MpiAddress to{message.channel->bands, message.channel->process_of(message.arrival.source), number};
    if (const Status error = mpi::send(to.comm, one.bytes.data(), one.bytes.size(), to.rank, to.go_tag(), one.request))
        return error;
    runtime.outbox_bytes += one.bytes.size();
    runtime.outbox.splice(runtime.outbox.end(), letter);
    return PIXMPI_SUCCESS;
}

Status send_report(Runtime &runtime, const Message &message) {
    Envelope envelope;
    if (!read(message, envelope))
        return PIXMPI_SUCCESS;
    const Arrivals arrivals = message.port->arrivals();
    const LinkReport report{arrivals.bytes, arrivals.seconds};
    return send_back(runtime, message, envelope.number, std::as_bytes(std::span(&report, 1)));
}

/// Once, to a sender that waits for it.
Status tell_match(Message &message, const Envelope &envelope) {
    const bool tells = std::exchange(message.untold, false) && envelope.asks_match;
    return tells ? send_back(runtime(), message, envelope.number, {}) : PIXMPI_SUCCESS;
}

/// The envelope is there. Tried again for a message that has failed but has to take what comes.
Status open_letter(Runtime &runtime, Message &message) {
    Envelope envelope;
    if (!read(message, envelope))
        return fail(PIXMPI_ERR_PEER, "what came from rank %d is no envelope", message.arrival.source);
    if (envelope.carriage == Carriage::given_up)
        return fail(PIXMPI_ERR_PEER, "rank %d has failed: its own error says why", message.arrival.source);
    if (const Status error = tell_match(message, envelope))
        return error;
    message.arrival.bytes = message.bytes = envelope.bytes();
    message.asked_for_report = envelope.asks_report;
    const std::uint64_t in_bands = envelope.carriage == Carriage::shown ? 0 : envelope.pixels;
    message.pipeline.start(in_bands, static_cast<int>(envelope.pixel_bytes), envelope.lengths_vary);
    if (envelope.lengths_vary && !message.coded)
        message.code(runtime);
    if (message.error.code)
        message.pipeline.drain();
    if (const Status error = make_port(runtime, message, envelope); error || message.error.code)
        return error;
    if (const Status error = check_fit(message, envelope))
        return error;
    return message.copies().begin(in_bands);
}

/// Whether `test` says that what is expected of `source` has come. An error when it never will, because that process
/// has ended.
template <class Test>
Status test_unless_ended(const Channel &channel, Watch &watch, int source, bool &over, Test test) {
    if (const Status error = test(); error || over || source < 0)
        return error;
    const Peer &peer = *channel.peers[static_cast<std::size_t>(source)];
    if (!watch.ended(peer))
        return PIXMPI_SUCCESS;
    for (int i = 0; i < 100; ++i) // it may have sent it just before
        if (const Status error = test(); error || over)
            return error;
    return fail(PIXMPI_ERR_PEER, "source: rank %d, process %d, has ended", source, peer.card.pid);
}

/// The first of those that are posted takes what comes, for all of them.
Status test_posted(Runtime &runtime, Message &message, bool &over) {
    const Channel &channel = *message.channel;
    const bool of_schedule = message.traffic == Traffic::schedule;
    if (message.letter.empty() && channel.closed && !of_schedule)
        return fail(PIXMPI_ERR_COMM, "comm: its endpoint has been freed");
    const std::list<Message *> &posted = of_schedule ? channel.inbox.posted : channel.slots->posted;
    bool takes = !posted.empty() && posted.front() == &message;
    return test_unless_ended(channel, message.watch, message.rank, over, [&]() -> Status {
        if (message.letter.empty() && takes)
            if (const Status error =
                    of_schedule ? deliver_to_schedules(runtime, message.channel) : deliver(*message.channel))
                return error;
        takes = true; // it is asked again when the other end may be gone
        over = !message.letter.empty();
        return PIXMPI_SUCCESS;
    });
}

Status test_letter(Runtime &runtime, Message &message, bool &over) {
    if (message.is_posted_here())
        return test_posted(runtime, message, over);
    Letter &letter = message.letter.front();
    over = letter.request == MPI_REQUEST_NULL;
    if (over)
        return PIXMPI_SUCCESS;
    return test_unless_ended(*message.channel, message.watch, message.rank, over,
                             [&] { return mpi::test(letter.request, over, &letter.arrival); });
}

/// Takes what has come from `source` out of MPI's hands up to the message that is looked for, with any tag, so that all
/// of it keeps the order in which it was sent.
Status take_up_to(Channel &channel, int source, int tag, Letters::iterator &found) {
    while (found == channel.waiting.end()) {
        bool any = false;
        if (const Status error = take_next(channel, source, channel.waiting, any); error || !any)
            return error;
        if (matches(channel.waiting.back().arrival, source, tag))
            found = std::prev(channel.waiting.end());
    }
    return PIXMPI_SUCCESS;
}

} // namespace

Status take_next(Channel &channel, int source, Letters &taken, bool &any) {
    mpi::Arrival arrival;
    if (const Status error = mpi::look(channel.envelopes, source, MPI_ANY_TAG, any, arrival); error || !any)
        return error;
    Letters letter(1);
    Letter &one = letter.front();
    one.arrival = arrival;
    one.bytes.resize(arrival.bytes);
    if (const Status error = mpi::take(channel.envelopes, arrival, one.bytes.data(), one.request))
        return error;
    taken.splice(taken.end(), letter);
    return PIXMPI_SUCCESS;
}

Status look(Channel &channel, int source, int tag, const Letter *&found) {
    found = nullptr;
    if (channel.slots)
        return look_for(channel, channel.slots->own, source, tag, found);
    auto first = first_waiting(channel, source, tag);
    if (const Status error = take_up_to(channel, source, tag, first); error || first == channel.waiting.end())
        return error;
    bool here = false;
    if (const Status error = mpi::test(first->request, here))
        return error;
    found = here ? &*first : nullptr;
    return PIXMPI_SUCCESS;
}

Status expect(Channel &channel, int source, int tag, const Letter *&found) {
    bool over = false;
    return test_unless_ended(channel, channel.probed, source, over, [&] {
        const Status error = look(channel, source, tag, found);
        over = found != nullptr;
        return error;
    });
}

void take_found(Channel &channel, const Letter *found, Letters &taken) {
    const auto at = std::find_if(channel.waiting.begin(), channel.waiting.end(),
                                 [&](const Letter &letter) { return &letter == found; });
    taken.splice(taken.end(), channel.waiting, at);
}

bool goes_by_mpi(const Message &message) {
    if (message.sends())
        return message.route == PIXMPI_ROUTE_MPI || message.synchronous;
    Envelope envelope;
    return !message.letter.empty() && read(message, envelope) &&
           (envelope.carriage == Carriage::bands || envelope.asks_match);
}

bool tell_sender(Message &message) {
    Envelope envelope;
    if (!read(message, envelope) || envelope.carriage == Carriage::given_up)
        return true;
    if (envelope.carriage == Carriage::inside) {
        (void)without_throwing([&] { return tell_match(message, envelope); });
        return true;
    }
    if (envelope.carriage == Carriage::bands)
        return false;
    const StageMap &stage = message.channel->peers[static_cast<std::size_t>(message.arrival.source)]->stage();
    if (stage.base && envelope.flow < stage.flows())
        stage.flow(envelope.flow).receiver_gave_up.store(1, std::memory_order_release);
    return true;
}

Status start_recv(Runtime &, Message &message) {
    message.taken = false;
    message.untold = true;
    message.route = PIXMPI_ROUTE_NONE;
    Channel &channel = *message.channel;
    if (message.probed) {
        message.taken = true;
        return PIXMPI_SUCCESS;
    }
    if (message.is_posted_here()) {
        message.traffic == Traffic::schedule ? post_for_schedule(message) : post_for_slot(message);
        return PIXMPI_SUCCESS;
    }
    if (const auto i = first_waiting(channel, message.rank, message.tag); i != channel.waiting.end()) {
        message.taken = true;
        message.letter.clear();
        message.letter.splice(message.letter.end(), channel.waiting, i);
        return PIXMPI_SUCCESS;
    }
    if (message.letter.empty())
        message.letter.emplace_back();
    Letter &letter = message.letter.front();
    letter.bytes.resize(most_envelope);
    return mpi::recv(message.envelopes(), letter.bytes.data(), letter.bytes.size(), message.rank, message.tag,
                     letter.request);
}

Status advance_recv(Runtime &runtime, Message &message, bool &moved) {
    if (message.phase == Phase::matching) {
        bool over = false;
        if (const Status error = test_letter(runtime, message, over); error || !over)
            return error;
        moved = true;
        message.arrival = message.letter.front().arrival;
        if (message.arrival.cancelled) {
            message.arrival = mpi::nothing();
            message.arrival.cancelled = true;
            message.transfer->give_up();
            settle(runtime, message);
            return PIXMPI_SUCCESS;
        }
        message.phase = Phase::moving;
    }
    if (runtime.mpi_barred && goes_by_mpi(message)) // a letter from a ring, too, may say so
        return PIXMPI_SUCCESS;
    if (!message.port && message.error.code && tell_sender(message)) {
        settle(runtime, message);
        return PIXMPI_SUCCESS;
    }
    if (!message.port)
        if (const Status error = open_letter(runtime, message))
            return error;
    const bool ready = message.device().usable();
    if (!message.pipeline.over()) {
        const Pipeline *before =
            message.before && message.before->state != State::complete ? &message.before->pipeline : nullptr;
        if (const Status error = message.pipeline.advance(*message.port, message.copies(), ready, before, moved))
            return error;
    }
    if (!message.pipeline.over() || (!ready && !message.error.code))
        return PIXMPI_SUCCESS;
    bool over = false;
    if (const Status error = message.port->over(over); error || !over)
        return error;
    if (!message.error.code)
        if (const Status error = message.copies().end())
            return error;
    if (std::exchange(message.asked_for_report, false))
        if (const Status error = send_report(runtime, message))
            return error;
    settle(runtime, message);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
