// The sending end: which way a message's pixels go, and their way there.

#include "request/message.h"
#include "request/runtime.h"
#include "route/flow_sender.h"
#include "route/route_mpi.h"

#include <algorithm>

namespace pixmpi {
namespace {

constexpr std::size_t most_inside_shm = 1 << 10; // above, one copy into shared memory is cheaper than MPI's two
constexpr std::size_t most_outbox = 8 << 20;     // of envelopes that have to wait

/// Sends a rank an envelope, `packet`'s only one; its bytes are kept until MPI has them.
Status post_envelope(Runtime &runtime, Send &send, int rank, Packets packet) {
    if (send.matcher().carry(rank, send.tag, packet))
        return PIXMPI_SUCCESS;
    Packet &one = packet.front();
    if (const Status error = mpi::send(send.envelopes(), one.bytes.data(), one.bytes.size(),
                                       send.matcher().process_of(rank), send.tag, one.request))
        return error;
    bool over = false;
    if (const Status error = mpi::test(one.request, over))
        return error;
    over ? runtime.packets.put(packet) : runtime.leave_to_mpi(packet);
    return PIXMPI_SUCCESS;
}

/// Below, envelopes and slots cost more than the bytes.
constexpr std::uint64_t least_coded = 4 << 10;

bool drops_alpha(const Send &message) { return drops_alpha(message.choice, message.surface->format); }

bool fits_inside(const Runtime &runtime, const Send &message) {
    if (message.bytes == 0)
        return true;
    // Others would have to be waited for.
    if (!message.device().direct())
        return false;
    const std::size_t most = message.route == PIXMPI_ROUTE_MPI ? most_inside : most_inside_shm;
    const std::size_t held = message.matcher().held(message.rank);
    return message.bytes <= std::min(most, message.channel->options.eager_bytes) &&
           runtime.outbox_bytes + held + message.bytes <= most_outbox;
}

Status reserve_number(Runtime &runtime, Channel &channel, int process, BandNumbers::Reserved &number) {
    std::shared_ptr<BandNumbers> &numbers = channel.numbers[process];
    if (!numbers)
        numbers = std::make_shared<BandNumbers>(channel.most_tag);
    number = BandNumbers::reserve(numbers);
    if (!number) {
        poll_unread_sends(runtime, runtime.unread_sends.size());
        number = BandNumbers::reserve(numbers);
    }
    return number ? PIXMPI_SUCCESS
                  : fail(PIXMPI_ERR_MPI,
                         "dest: %u messages to rank %d are under way, expected fewer: MPI has no tags for more "
                         "(MPI_TAG_UB is %d)",
                         numbers->count(), process, channel.most_tag);
}

const std::shared_ptr<Peer> &peer_of(const Send &message, int rank) {
    return message.channel->peers[static_cast<std::size_t>(rank)];
}

/// The receiver is asked to tell when a receive has matched.
Status ask_for_match(Runtime &runtime, Send &message, Envelope &envelope) {
    Channel &channel = *message.channel;
    const int process = message.matcher().process_of(message.rank);
    BandNumbers::Reserved number;
    if (const Status error = reserve_number(runtime, channel, process, number))
        return error;
    envelope.asks_match = true;
    envelope.number = *number;
    const MpiAddress to{channel.bands, process, *number};
    auto port = std::make_unique<MatchedSender>(to, std::move(number), peer_of(message, message.rank));
    if (const Status error = port->open())
        return error;
    message.move(0, message.surface->pixel_bytes, false).port = std::move(port);
    return PIXMPI_SUCCESS;
}

/// Packs behind the header, at once: an envelope is sent whole, and the next one must not overtake it.
Status send_inside(Runtime &runtime, Send &message) {
    Packets packet = make_packet(header_bytes + message.bytes);
    std::byte *const bytes = packet.front().bytes.data();
    Envelope envelope = make_envelope(message, Carriage::inside);
    if (message.synchronous)
        if (const Status error = ask_for_match(runtime, message, envelope))
            return error;
    encode(envelope, bytes);
    if (message.bytes) {
        std::unique_ptr<Stage> stage;
        Device &device = message.device();
        if (const Status error = device.make_stage(StageKind::shared, bytes + header_bytes, message.bytes, stage))
            return error;
        Ticket ticket = done; // as for all direct devices
        if (const Status error = message.transfer->copy(0, message.region->pixels, *stage, 0, ticket))
            return error;
        if (drops_alpha(message))
            make_opaque(bytes + header_bytes, message.region->pixels);
    }
    if (const Status error = message.transfer->end())
        return error;
    if (const Status error = post_envelope(runtime, message, message.rank, std::move(packet)))
        return error;
    if (!message.synchronous)
        settle(runtime, message);
    return PIXMPI_SUCCESS;
}

/// Shows the receiver where the pixels are, so that it may unpack them from there. What overwrites them could not wait
/// for that. Few pixels are shown only by a call that waits: others may not come back soon.
bool show(const Send &message, const Device &device, ShownPixels &shown) {
    const bool few = message.bytes <= message.channel->options.eager_bytes;
    return may_use_peer(message.channel->options, device) && CudaGpu::possible() && message.others.empty() &&
           !message.coded && !message.overwritten && message.bytes > 0 && (message.blocking || !few) &&
           message.transfer->show(shown, !few);
}

std::vector<int> receivers_of(const Send &message) {
    std::vector<int> ranks{message.rank};
    ranks.insert(ranks.end(), message.others.begin(), message.others.end());
    return ranks;
}

PlanRequest plan_request(const Runtime &runtime, const Send &message) {
    std::size_t largest = StageMemory::largest(runtime.stage.map().bytes);
    for (const int rank : receivers_of(message))
        largest = std::min(largest, StageMemory::largest(peer_of(message, rank)->card.stage_bytes));
    return {message.channel->options,    largest, message.device(), *message.transfer, message.region->pixels,
            message.surface->pixel_bytes};
}

bool gains_by_codec(const Send &message) { return message.bytes >= least_coded && message.route != PIXMPI_ROUTE_SELF; }

bool may_code(const Send &message) {
    return message.choice.kind != CodecKind::none && (gains_by_codec(message) || drops_alpha(message));
}

SlotPlan plan(const Send &message, PlanRequest &request) {
    if (message.forwarder) {
        const std::uint64_t band = message.handed_on->streams.band_pixels;
        return fit_lengths(request.largest, band, Codec::bound(message.surface->format, band), request.pixels);
    }
    return message.coded ? plan_streams(request, message.surface->format, packed_rows(*message.region).width)
                         : plan_slots(request);
}

Status send_through_flow(Runtime &runtime, Send &message) {
    const std::vector<int> ranks = receivers_of(message);
    std::vector<Packets> packets;
    for (std::size_t i = 0; i < ranks.size(); ++i)
        packets.push_back(make_packet(header_bytes));
    PlanRequest request = plan_request(runtime, message);
    request.counted = message.device().counts_bands();
    const std::shared_ptr<Device> device = slots_device(message);
    std::vector<std::uint32_t> flows;
    std::vector<FlowSender::Receiver> receivers;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        flows.push_back(message.flows[i].index());
        receivers.emplace_back(std::move(message.flows[i]), peer_of(message, ranks[i]));
    }
    message.flows.clear();
    FlowSender::Outgoing outgoing{device, nullptr, may_use_peer(message.channel->options, *device),
                                  plan(message, request)};
    // What is small is there before a GPU has been asked twice. Between ranks of this process both ends have to ask.
    const bool asks_twice = !message.matcher().is_plain() && message.route == PIXMPI_ROUTE_SELF;
    if ((message.bytes > message.channel->options.eager_bytes || asks_twice) &&
        (outgoing.by_peer || PeerMemory::needs_copies(*device, message.bytes)))
        outgoing.peer_memory = PeerMemory::of(device);
    outgoing.pixels = request.pixels;
    outgoing.pixel_bytes = request.pixel_bytes;
    outgoing.row_pixels = row_pixels(*message.region);
    outgoing.each_alone = message.surface->has_depth();
    if (show(message, *device, outgoing.shown))
        outgoing.transfer = message.transfer.get();
    auto port = std::make_unique<FlowSender>(runtime, std::move(receivers), std::move(outgoing));
    if (ranks.size() == 1 && !message.coded)
        port->agree(request);
    FlowSender &sender = *port;
    message.movement->port = std::move(port);
    Envelope envelope = make_envelope(message, Carriage::flow);
    envelope.lengths_vary = message.coded;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        envelope.flow = flows[i];
        encode(envelope, packets[i].front().bytes.data());
        if (const Status error = post_envelope(runtime, message, ranks[i], std::move(packets[i])))
            return error;
    }
    sender.begin_showing(); // while the envelope is on its way
    return PIXMPI_SUCCESS;
}

/// One at a time; who never receives sends none.
bool expect_report(const Send &message, const BandNumbers::Reserved &number) {
    Channel &channel = *message.channel;
    const int rank = message.rank;
    Link &link = channel.links[rank];
    if (!receive_report(link))
        return false;
    link.of_streams = message.coded;
    link.number = number;
    const MpiAddress from{channel.bands, message.matcher().process_of(rank), *number};
    return mpi::recv(from.comm, &link.report, sizeof link.report, from.rank, from.go_tag(), link.expected) ==
           PIXMPI_SUCCESS;
}

/// No codec is as fast as memory that both ends see.
CodecChoice choose(const Send &message, const CodecWish &wish) {
    const std::uint64_t bytes = message.region->pixels * static_cast<std::uint64_t>(message.surface->pixel_bytes);
    if (message.rank < 0 || bytes < least_coded ||
        message.channel->routes[static_cast<std::size_t>(message.rank)] != PIXMPI_ROUTE_MPI)
        return {};
    Link &link = message.channel->links[message.rank];
    receive_report(link);
    return link.ledger.choose(
        wish, {bytes, stream_band_bytes(message.channel->options, bytes), message.surface->format, wish.may_lose});
}

Status send_by_bands(Runtime &runtime, Send &message) {
    Packets packet = make_packet(header_bytes);
    Channel &channel = *message.channel;
    const int process = message.matcher().process_of(message.rank);
    BandNumbers::Reserved number;
    if (const Status error = reserve_number(runtime, channel, process, number))
        return error;
    PlanRequest request = plan_request(runtime, message);
    request.most_band = most_band;
    request.most_slots = MpiSlots::most_slots;
    const SlotPlan slot_plan = plan(message, request);
    Envelope envelope = make_envelope(message, Carriage::bands);
    envelope.number = *number;
    envelope.band_pixels = slot_plan.band_pixels;
    if (message.coded) {
        envelope.lengths_vary = true;
        envelope.band_bytes = slot_plan.slot_bytes;
    }
    const std::shared_ptr<Device> device = slots_device(message);
    const std::size_t eager = channel.options.eager_bytes;
    auto port = std::make_unique<MpiSender>(MpiAddress{channel.bands, process, *number}, runtime.stage,
                                            gpu_memory_for_mpi(runtime, device, message.bytes, eager), device,
                                            slot_plan, slot_plan.bands(message.region->pixels).count(),
                                            message.bytes <= eager && !message.synchronous);
    port->keep(number);
    if (const Status error = port->open(envelope.waits))
        return error;
    envelope.asks_report = message.automatic && expect_report(message, number); // the go comes before it
    message.movement->port = std::move(port);
    return post_header(runtime, message, envelope, std::move(packet));
}

} // namespace

Status find_wish(const Send &message, CodecWish &wish) {
    pixMPI_Codec codec = message.codec.value_or(message.surface->codec);
    const Channel &channel = *message.channel;
    if (codec.kind == PIXMPI_CODEC_DEFAULT)
        codec = channel.codec.kind == PIXMPI_CODEC_DEFAULT ? channel.options.codec : channel.codec;
    if (const Status error = read_wish(codec, wish))
        return error;
    wish.may_lose = wish.may_lose && !message.exact;
    const bool jpeg = wish.choice.kind == CodecKind::jpeg;
    if (message.surface->has_depth()) {
        if (jpeg && !wish.automatic && !message.exact)
            return fail(PIXMPI_ERR_FORMAT, "surface: with depth, which JPEG does not take");
        wish.automatic = false;
        wish.choice = {};
    } else if (jpeg && message.exact && !wish.automatic) {
        wish.choice = {};
    }
    return wish.automatic ? PIXMPI_SUCCESS : check(wish.choice, message.surface->format);
}

Envelope make_envelope(const Send &message, Carriage carriage) {
    Envelope envelope;
    envelope.carriage = carriage;
    envelope.pixel_bytes = static_cast<std::uint32_t>(message.surface->pixel_bytes);
    envelope.depth_bytes = static_cast<std::uint32_t>(format_info(message.surface->depth_format).bytes);
    envelope.pixels = carriage == Carriage::given_up ? 0 : message.region->pixels;
    envelope.whole = message.part.whole;
    envelope.schedule = message.part.number;
    if (carriage == Carriage::given_up)
        envelope.band_pixels = message.region->pixels;
    if (message.part.first)
        envelope.begin_at(message.part.first);
    message.matcher().address(message, envelope);
    return envelope;
}

Packets make_packet(std::size_t bytes) { return runtime().packets.get(bytes); }

Status post_header(Runtime &runtime, Send &send, const Envelope &envelope, Packets packet) {
    encode(envelope, packet.front().bytes.data());
    return post_envelope(runtime, send, send.rank, std::move(packet));
}

Status Send::set_codec(const pixMPI_Codec &to) {
    codec = to;
    return PIXMPI_SUCCESS;
}

Status Send::check_start() const {
    CodecWish wish;
    const Status failed = Message::check_start();
    return failed ? failed : find_wish(*this, wish);
}

void Send::hand_on() {
    if (!handed_on || handed_on->streams.bands.empty())
        return;
    forwarder = std::make_unique<ForwardingTransfer>(*transfer, handed_on->streams);
    coded = true;
}

void Send::compress(Runtime &runtime) {
    const bool has_alpha = format_info(surface->format).channels == 4 && choice.alpha == Alpha::beside;
    code(runtime, choice, choice.kind == CodecKind::jpeg && !has_alpha, nullptr);
}

void Send::count(pixMPI_Stats &stats) const {
    const std::uint64_t receivers = 1 + others.size();
    stats.messages_sent += receivers;
    stats.bytes_sent += bytes * receivers;
    stats.bytes_by_route[route] += bytes * receivers;
    if (!coded)
        return;
    stats.bytes_encoded += bytes * receivers;
    stats.bytes_of_streams += copies().stream_bytes() * receivers;
    if (automatic && !forwarder)
        channel->links[rank].ledger.encoded(choice, surface->format, bytes, coder->stream_bytes(), coder->seconds());
}

namespace {

Status find_choice(Send &message) {
    CodecWish wish;
    if (const Status error = find_wish(message, wish))
        return error;
    message.automatic = wish.automatic;
    message.choice = wish.automatic ? choose(message, wish) : wish.choice;
    return PIXMPI_SUCCESS;
}

} // namespace

Status Send::prepare() {
    forwarder.reset();
    phase = Phase::moving;
    answers = is_new = !device().near_host();
    return find_choice(*this);
}

bool allocate_flows(Runtime &runtime, Send &message) {
    message.flows.clear();
    message.route = message.channel->routes[static_cast<std::size_t>(message.rank)];
    message.bytes = message.region->pixels * static_cast<std::uint64_t>(message.surface->pixel_bytes);
    if (find_choice(message))
        return false; // their own sends say so
    const bool streams = may_code(message) || (message.handed_on && !message.handed_on->streams.bands.empty());
    if (!(message.device().near_host() || streams) || fits_inside(runtime, message))
        return false;
    for (const int rank : receivers_of(message)) {
        FlowAllocation flow;
        if (message.channel->routes[static_cast<std::size_t>(rank)] == PIXMPI_ROUTE_MPI ||
            !flow.allocate(runtime.stage)) {
            message.flows.clear();
            return false;
        }
        message.flows.push_back(std::move(flow));
    }
    return true;
}

Status notify_receiver(Runtime &runtime, Send &message) {
    return post_header(runtime, message, make_envelope(message, Carriage::given_up), make_packet(header_bytes));
}

Status Send::launch(Runtime &runtime) {
    route = channel->routes[static_cast<std::size_t>(rank)];
    bytes = region->pixels * static_cast<std::uint64_t>(surface->pixel_bytes);
    const bool inside = others.empty() && fits_inside(runtime, *this);
    bool accepted = false;
    if (const Status failed = matcher().send(runtime, *this, accepted); failed || accepted)
        return failed;
    if (!inside && route != PIXMPI_ROUTE_SELF)
        hand_on();
    if (!inside && !coded && may_code(*this)) {
        if (!gains_by_codec(*this))
            choice.kind = CodecKind::lz4; // alpha alone goes
        compress(runtime);
    }
    if (const Status failed = copies().begin(region->pixels))
        return failed;
    if (inside)
        return send_inside(runtime, *this);
    move(region->pixels, surface->pixel_bytes, coded);
    FlowAllocation flow;
    if (others.empty() && route != PIXMPI_ROUTE_MPI && flow.allocate(runtime.stage))
        flows.push_back(std::move(flow));
    if (!flows.empty())
        return send_through_flow(runtime, *this);
    route = PIXMPI_ROUTE_MPI;
    return send_by_bands(runtime, *this);
}

// Who answers this send has sent before, if it sends as well, and waits for an answer, too. To record commands and
// submit them takes this thread several times as long as to answer. A receive that starts with this send may not have
// started yet.
bool Send::answer_others(Runtime &runtime) {
    const bool starts = std::exchange(is_new, false);
    if (!answers || !port()->matched())
        return false;
    if (starts)
        return true;
    answers = false;
    if (matcher().collect_early(runtime)) // MPI may look first, and receive then
        matcher().collect_early(runtime);
    const auto *const last = dynamic_cast<const Receive *>(runtime.active.last());
    return last && last->phase == Phase::matching && !last->packet.empty();
}

Status Send::go_on(Runtime &runtime, bool &moved) {
    Port &to = *port();
    if (to.other_gave_up()) {
        if (traffic == Traffic::schedule)
            return fail(PIXMPI_ERR_PEER, "rank %d has failed: its own error says why", rank);
        copies().give_up(); // the receive failed; that is the receiver's error, not ours
        settle(runtime, *this);
        return PIXMPI_SUCCESS;
    }
    Pipeline &pipeline = movement->pipeline;
    if (pipeline.begun() == 0 && answer_others(runtime)) {
        moved = true;
        return PIXMPI_SUCCESS;
    }
    if (!pipeline.over()) {
        if (const Status failed = pipeline.advance(to, copies(), device().usable(), nullptr, moved))
            return failed;
        if (!pipeline.over())
            return PIXMPI_SUCCESS;
        if (const Status failed = copies().end())
            return failed;
    }
    bool over = false;
    if (const Status failed = to.over(over))
        return failed;
    if (synchronous && !to.matched())
        return over ? fail(PIXMPI_ERR_PEER, "dest: rank %d has ended without a receive", rank) : PIXMPI_SUCCESS;
    if (over || to.may_outlive_device())
        settle(runtime, *this);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
