// The receiving end: from the envelope that matches to the pixels in their place.

#include "operation.h"
#include "route_mpi.h"
#include "route_peer.h"

#include <algorithm>

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

std::deque<Channel::Waiting>::iterator first_waiting(Channel &channel, int source, int tag) {
    return std::find_if(channel.waiting.begin(), channel.waiting.end(),
                        [&](const Channel::Waiting &w) { return matches(w.arrival, source, tag); });
}

Status make_port(Library &library, Message &message, const Envelope &envelope) {
    const auto &peer = message.channel->peers[static_cast<std::size_t>(message.arrival.source)];
    const int pixel_bytes = static_cast<int>(envelope.pixel_bytes);
    switch (envelope.carriage) {
    case Carriage::inside:
        message.port =
            std::make_unique<InsidePort>(message.letter.data() + header_bytes, envelope, message.surface->device);
        return PIXMPI_SUCCESS;
    case Carriage::flow: {
        if (!peer->stage().base || envelope.flow >= peer->stage().flows())
            return fail(PIXMPI_ERR_PEER, "the envelope names stage memory that does not exist");
        const std::shared_ptr<Device> &device = message.surface->device;
        Wish wish;
        if (device->usable())
            wish = make_wish(peer->stage().flow(envelope.flow), *message.transfer, *message.region, envelope.pixels,
                             message.before != nullptr);
        const bool by_peer = may_use_peer(message.channel->options, *device);
        message.port = std::make_unique<ShmReceiver>(
            library, peer, envelope.flow, device,
            by_peer || PeerMemory::hops(*device, envelope.bytes()) ? PeerMemory::of(device) : nullptr, by_peer,
            envelope.pixels, pixel_bytes, std::move(wish));
        return PIXMPI_SUCCESS;
    }
    case Carriage::bands:
        break;
    }
    const LanePlan plan =
        fit_lane(StageMemory::largest(library.stage.map().bytes), envelope.band_pixels, envelope.pixels, pixel_bytes);
    if (plan.slots == 0)
        return fail(PIXMPI_ERR_PEER, "the envelope announces bands that are too large");
    const std::shared_ptr<Device> &device = message.surface->device;
    message.port = std::make_unique<MpiReceiver>(
        MpiAddress{message.channel->bands, message.arrival.source, envelope.number}, library.stage,
        gpu_memory_for_mpi(library, device, envelope.bytes(), message.channel->options.eager_bytes), device, plan,
        envelope.pixels, pixel_bytes, envelope.waits);
    return PIXMPI_SUCCESS;
}

Status check_fit(const Message &message, const Envelope &envelope) {
    if (envelope.pixels && static_cast<int>(envelope.pixel_bytes) != message.surface->pixel_bytes)
        return fail(PIXMPI_ERR_FORMAT,
                    "surface: its pixels have %d bytes, those of the message from rank %d, tag %d, %u; "
                    "expected as many",
                    message.surface->pixel_bytes, message.arrival.source, message.arrival.tag, envelope.pixel_bytes);
    if (envelope.pixels > message.region->pixels)
        return fail(PIXMPI_ERR_TRUNCATE,
                    "region: has %llu pixels, the message from rank %d, tag %d, has %llu; expected at least as many",
                    static_cast<unsigned long long>(message.region->pixels), message.arrival.source,
                    message.arrival.tag, static_cast<unsigned long long>(envelope.pixels));
    return PIXMPI_SUCCESS;
}

/// The envelope is there, in message.letter.
Status open_letter(Library &library, Message &message) {
    message.matched = true;
    Envelope envelope;
    if (!decode({message.letter.data(), message.arrival.bytes}, envelope))
        return fail(PIXMPI_ERR_PEER, "what came from rank %d is no envelope", message.arrival.source);
    message.arrival.bytes = message.bytes = envelope.bytes();
    message.pipeline.start(envelope.pixels, static_cast<int>(envelope.pixel_bytes));
    if (const Status error = make_port(library, message, envelope))
        return error;
    if (const Status error = check_fit(message, envelope))
        return error;
    return message.transfer->begin(envelope.pixels);
}

/// Whether the envelope has come. An error when it never will, because the sender has ended.
Status test_envelope(Message &message, bool &over) {
    if (const Status error = mpi::test(message.envelope, over, &message.arrival); error || over || message.rank < 0)
        return error;
    const Peer &peer = *message.channel->peers[static_cast<std::size_t>(message.rank)];
    if (!message.watch.ended(peer))
        return PIXMPI_SUCCESS;
    for (int i = 0; i < 100; ++i) // it may have sent it just before
        if (const Status error = mpi::test(message.envelope, over, &message.arrival); error || over)
            return error;
    return fail(PIXMPI_ERR_PEER, "source: rank %d, process %d, has ended", message.rank, peer.card.pid);
}

} // namespace

Status look(Channel &channel, int source, int tag, const Channel::Waiting *&found) {
    found = nullptr;
    if (const auto i = first_waiting(channel, source, tag); i != channel.waiting.end()) {
        found = &*i;
        return PIXMPI_SUCCESS;
    }
    // With any tag, so that what is taken out of MPI's hands keeps the order in which it was sent.
    for (;;) {
        bool any = false;
        MPI_Message taken;
        mpi::Arrival arrival;
        if (const Status error = mpi::take(channel.envelopes, source, MPI_ANY_TAG, any, taken, arrival); error || !any)
            return error;
        Channel::Waiting waiting{arrival, std::vector<std::byte>(arrival.bytes)};
        MPI_Request request;
        if (const Status error = mpi::recv_taken(taken, waiting.bytes.data(), waiting.bytes.size(), request))
            return error;
        for (bool over = false; !over;) // an envelope at most, and it is here
            if (const Status error = mpi::test(request, over))
                return error;
        channel.waiting.push_back(std::move(waiting));
        if (matches(arrival, source, tag)) {
            found = &channel.waiting.back();
            return PIXMPI_SUCCESS;
        }
    }
}

Status start_recv(Library &library, Message &message) {
    message.matched = false;
    message.route = PIXMPI_ROUTE_NONE;
    Channel &channel = *message.channel;
    if (const auto i = first_waiting(channel, message.rank, message.tag); i != channel.waiting.end()) {
        message.arrival = i->arrival;
        message.letter = std::move(i->bytes);
        channel.waiting.erase(i);
        const Status error = open_letter(library, message);
        if (error)
            fail_message(library, message, error);
        return PIXMPI_SUCCESS;
    }
    message.letter.resize(most_envelope);
    return mpi::recv(channel.envelopes, message.letter.data(), message.letter.size(), message.rank, message.tag,
                     message.envelope);
}

Status advance_recv(Library &library, Message &message, bool &moved) {
    if (!message.matched) {
        bool over = false;
        if (const Status error = test_envelope(message, over); error || !over)
            return error;
        moved = true;
        if (message.arrival.cancelled) {
            message.arrival = mpi::nothing();
            message.arrival.cancelled = true;
            message.transfer->abandon();
            complete(library, message);
            return PIXMPI_SUCCESS;
        }
        if (const Status error = open_letter(library, message))
            return error;
    }
    const bool ready = message.device().usable();
    if (!message.pipeline.finished()) {
        const Pipeline *before =
            message.before && message.before->state != State::complete ? &message.before->pipeline : nullptr;
        if (const Status error = message.pipeline.advance(*message.port, *message.transfer, ready, before, moved))
            return error;
    }
    if (!message.pipeline.finished() || (!ready && !message.error.code))
        return PIXMPI_SUCCESS;
    bool over = false;
    if (const Status error = message.port->over(over); error || !over)
        return error;
    if (!message.error.code)
        if (const Status error = message.transfer->end())
            return error;
    complete(library, message);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
