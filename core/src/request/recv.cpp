// The receiving end: from the envelope that matches to the pixels in their place.

#include "device/combining_transfer.h"
#include "request/message.h"
#include "request/runtime.h"
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

/// Whether the pixels may be unpacked where the sender has them, which waits for that. So not if it has to wait for
/// something of this rank itself, and not few pixels, unless this call waits for them.
bool may_see(const Receive &message, const Envelope &envelope, const Flow &flow) {
    return flow.offer.load(std::memory_order_acquire) == Flow::offered && !message.coded && !message.error.code &&
           !message.before && !message.held && message.device().usable() &&
           (message.blocking || envelope.bytes() > message.channel->options.eager_bytes);
}

Status make_port(Runtime &runtime, Receive &message, const Envelope &envelope) {
    const auto &peer = message.channel->peers[static_cast<std::size_t>(message.arrival.source)];
    const int pixel_bytes = static_cast<int>(envelope.pixel_bytes);
    switch (envelope.carriage) {
    case Carriage::inside:
        message.movement->port = std::make_unique<InsidePort>(message.packet.front().bytes.data() + header_bytes,
                                                              envelope, message.surface->device);
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
        if (incoming.by_peer || PeerMemory::needs_copies(*device, envelope.bytes()))
            incoming.peer_memory = PeerMemory::of(device);
        incoming.pixels = envelope.pixels;
        incoming.pixel_bytes = pixel_bytes;
        incoming.lengths_vary = envelope.lengths_vary;
        incoming.wish = std::move(wish);
        const Flow &flow = peer->stage().flow(envelope.flow);
        if (incoming.by_peer && may_see(message, envelope, flow))
            if (const Status error = message.transfer->see(peer, flow.shown, envelope.bytes(), incoming.seen))
                return error;
        message.movement->port = std::make_unique<FlowReceiver>(runtime, std::move(incoming));
        return PIXMPI_SUCCESS;
    }
    case Carriage::attached:
        return message.matcher().accept(message, envelope, message.movement->port);
    case Carriage::bands:
    case Carriage::given_up: // never gets here
        break;
    }
    const std::size_t largest = StageMemory::largest(runtime.stage.map().bytes);
    const SlotPlan plan = envelope.lengths_vary
                              ? fit_lengths(largest, envelope.band_pixels, envelope.band_bytes, envelope.pixels)
                              : fit_slots(largest, envelope.band_pixels, envelope.pixels, pixel_bytes);
    if (plan.slots == 0)
        return fail(PIXMPI_ERR_PEER, "the envelope announces bands that are too large");
    const std::shared_ptr<Device> device = slots_device(message);
    message.movement->port = std::make_unique<MpiReceiver>(
        MpiAddress{message.channel->bands, message.matcher().process_of(message.arrival.source), envelope.number},
        runtime.stage, gpu_memory_for_mpi(runtime, device, envelope.bytes(), message.channel->options.eager_bytes),
        device, plan, envelope.pixels, pixel_bytes, envelope.waits);
    return PIXMPI_SUCCESS;
}

Status check_fit(const Receive &message, const Envelope &envelope) {
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
    const bool alike = envelope.pixels == message.region->pixels && envelope.whole == message.part.whole;
    if (message.traffic == Traffic::schedule && !alike) {
        const bool wholes = envelope.whole && message.part.whole && envelope.whole != message.part.whole;
        return fail(PIXMPI_ERR_TRUNCATE,
                    "region: rank %d gives %llu pixels for the %llu here; expected as many on all ranks",
                    message.arrival.source, static_cast<unsigned long long>(wholes ? envelope.whole : envelope.pixels),
                    static_cast<unsigned long long>(wholes ? message.part.whole : message.region->pixels));
    }
    if (envelope.pixels > message.region->pixels)
        return fail(PIXMPI_ERR_TRUNCATE,
                    "region: has %llu pixels, the message from rank %d, tag %d, has %llu; expected at least as many",
                    static_cast<unsigned long long>(message.region->pixels), message.arrival.source,
                    message.arrival.tag, static_cast<unsigned long long>(envelope.pixels));
    return PIXMPI_SUCCESS;
}

bool read(const Receive &message, Envelope &envelope) {
    const Packet &packet = message.packet.front();
    return decode({packet.bytes.data(), packet.arrival.bytes}, envelope);
}

/// To the sender, by the message's number.
Status send_back(Runtime &runtime, const Receive &message, std::uint32_t number, std::span<const std::byte> bytes) {
    Packets packet = runtime.packets.get(bytes.size());
    Packet &one = packet.front();
    std::copy(bytes.begin(), bytes.end(), one.bytes.begin());
    const MpiAddress to{message.channel->bands, message.matcher().process_of(message.arrival.source), number};
    if (const Status error = mpi::send(to.comm, one.bytes.data(), one.bytes.size(), to.rank, to.go_tag(), one.request))
        return error;
    runtime.leave_to_mpi(packet);
    return PIXMPI_SUCCESS;
}

Status send_report(Runtime &runtime, const Receive &message) {
    Envelope envelope;
    if (!read(message, envelope))
        return PIXMPI_SUCCESS;
    const Arrivals arrivals = message.port()->arrivals();
    const LinkReport report{arrivals.bytes, arrivals.seconds};
    return send_back(runtime, message, envelope.number, std::as_bytes(std::span(&report, 1)));
}

/// Once, to a sender that waits for it.
Status send_match(Receive &message, const Envelope &envelope) {
    const bool tells = std::exchange(message.match_unreported, false) && envelope.asks_match;
    return tells ? send_back(runtime(), message, envelope.number, {}) : PIXMPI_SUCCESS;
}

} // namespace

/// The envelope is there. Tried again for a message that has failed but has to receive what comes.
Status Receive::open_packet(Runtime &runtime) {
    Envelope envelope;
    if (!read(*this, envelope))
        return fail(PIXMPI_ERR_PEER, "what came from rank %d is no envelope", arrival.source);
    if (envelope.carriage == Carriage::given_up)
        return fail(PIXMPI_ERR_PEER, "rank %d has failed: its own error says why", arrival.source);
    if (const Status failed = send_match(*this, envelope))
        return failed;
    arrival.bytes = bytes = envelope.bytes();
    asked_for_report = envelope.asks_report;
    const std::uint64_t in_bands = envelope.carriage == Carriage::attached ? 0 : envelope.pixels;
    move(in_bands, static_cast<int>(envelope.pixel_bytes), envelope.lengths_vary);
    if (envelope.lengths_vary && !coded)
        code(runtime, {}, true, keeps_streams ? &streams : nullptr);
    if (error.code)
        movement->pipeline.drain();
    if (const Status failed = make_port(runtime, *this, envelope); failed || error.code)
        return failed;
    if (const Status failed = check_fit(*this, envelope))
        return failed;
    return copies().begin(in_bands);
}

Status Receive::prepare() {
    streams = {};
    short_since = {};
    phase = Phase::matching;
    return PIXMPI_SUCCESS;
}

Status Receive::need_transfer() {
    return transfer ? PIXMPI_SUCCESS : make_transfer(direction(), combination, surface, region, transfer);
}

Status Receive::post(Runtime &runtime) {
    match_unreported = true;
    route = PIXMPI_ROUTE_NONE;
    return probed ? PIXMPI_SUCCESS : matcher().post(runtime, *this);
}

Status Receive::cancel() {
    if (state != State::active || phase != Phase::matching || !packet.empty())
        return PIXMPI_SUCCESS; // it completes as if it had not been cancelled
    if (traffic == Traffic::schedule && !error.code)
        return PIXMPI_SUCCESS; // steps that come after it would take its pixels for received
    arrival.cancelled = true;
    withdraw();
    return PIXMPI_SUCCESS;
}

void Receive::count(pixMPI_Stats &stats) const {
    ++stats.messages_received;
    stats.bytes_received += bytes;
}

void Receive::let_go() { runtime().packets.put(packet); }

bool Receive::goes_by_mpi() const {
    Envelope envelope;
    return !packet.empty() && read(*this, envelope) && (envelope.carriage == Carriage::bands || envelope.asks_match);
}

/// That there is no memory for what comes may pass.
bool Receive::must_receive(Status failed) {
    const bool memory = failed == PIXMPI_ERR_MEMORY && memory_may_come(short_since);
    return memory && (port() || (phase != Phase::matching && !notify_sender()));
}

bool Receive::notify_sender() {
    Envelope envelope;
    if (!read(*this, envelope) || envelope.carriage == Carriage::given_up)
        return true;
    if (envelope.carriage == Carriage::inside) {
        (void)without_throwing([&] { return send_match(*this, envelope); });
        return true;
    }
    if (envelope.carriage == Carriage::bands)
        return false;
    const StageMap &stage = channel->peers[static_cast<std::size_t>(arrival.source)]->stage();
    if (stage.base && envelope.flow < stage.flows())
        stage.flow(envelope.flow).receiver_gave_up.store(1, std::memory_order_release);
    return true;
}

/// Whether its envelope is all there. An error when it never will be, because its sender has ended.
Status Receive::test_packet(bool &over) {
    Packet &one = packet.front();
    const bool ended = watch.ended(*channel->peers[static_cast<std::size_t>(one.arrival.source)]);
    for (int tries = ended ? 100 : 1; tries > 0; --tries) // it may have sent it just before
        if (const Status failed = mpi::test(one.request, over); failed || over)
            return failed;
    return ended ? fail_for_end(*channel, one.arrival.source) : PIXMPI_SUCCESS;
}

void Receive::withdraw() {
    matcher().unpost(*this);
    bool over = packet.empty() || packet.front().request == MPI_REQUEST_NULL;
    if (over || mpi::test(packet.front().request, over) || over)
        return;
    runtime().leave_to_mpi(packet);
}

Status Receive::go_on(Runtime &runtime, bool &moved) {
    if (phase == Phase::matching) {
        if (arrival.cancelled) {
            moved = true;
            transfer->give_up();
            settle(runtime, *this);
            return PIXMPI_SUCCESS;
        }
        if (packet.empty())
            return PIXMPI_SUCCESS; // its matcher has it
        bool over = packet.front().request == MPI_REQUEST_NULL;
        if (!over)
            if (const Status failed = test_packet(over); failed || !over)
                return failed;
        moved = true;
        arrival = packet.front().arrival;
        phase = Phase::moving;
    }
    if (runtime.mpi_barred && goes_by_mpi()) // an envelope out of a ring may also say so
        return PIXMPI_SUCCESS;
    if (!port() && error.code && notify_sender()) {
        settle(runtime, *this);
        return PIXMPI_SUCCESS;
    }
    if (!port())
        if (const Status failed = open_packet(runtime))
            return failed;
    Pipeline &pipeline = movement->pipeline;
    const bool ready = device().usable() && !held;
    if (!pipeline.over()) {
        const Pipeline *const other = before && before->state != State::complete ? &before->pipeline() : nullptr;
        if (const Status failed = pipeline.advance(*port(), copies(), ready, other, moved))
            return failed;
    }
    if (!pipeline.over() || (!ready && !error.code))
        return PIXMPI_SUCCESS;
    bool over = false;
    if (const Status failed = port()->over(over); failed || !over)
        return failed;
    if (!error.code)
        if (const Status failed = copies().end())
            return failed;
    if (std::exchange(asked_for_report, false))
        if (const Status failed = send_report(runtime, *this))
            return failed;
    settle(runtime, *this);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
