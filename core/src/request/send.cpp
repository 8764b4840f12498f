// The sending end: which way a message's pixels go, and their way there.

#include "request/channel_slots.h"
#include "request/message.h"
#include "route/flow_sender.h"
#include "route/route_mpi.h"
#include "route/shown_port.h"

#include <algorithm>

namespace pixmpi {
namespace {

constexpr std::size_t most_inside_shm = 1 << 10; // above, one copy into shared memory is cheaper than MPI's two
constexpr std::size_t most_outbox = 8 << 20;     // of envelopes that have to wait

Envelope make_envelope(const Message &message, Carriage carriage) {
    Envelope envelope;
    envelope.carriage = carriage;
    envelope.pixel_bytes = static_cast<std::uint32_t>(message.surface->pixel_bytes);
    envelope.depth_bytes = static_cast<std::uint32_t>(format_info(message.surface->depth_format).bytes);
    envelope.pixels = carriage == Carriage::given_up ? 0 : message.region->pixels;
    envelope.whole = message.whole;
    envelope.schedule = message.schedule;
    if (carriage == Carriage::given_up)
        envelope.band_pixels = message.region->pixels;
    if (message.first)
        envelope.begin_at(message.first);
    address(message, envelope);
    return envelope;
}

/// Made before anything is under way, as it may find no memory.
Letters make_letter(std::size_t bytes) {
    Letters letter(1);
    letter.front().bytes.resize(bytes);
    return letter;
}

Status post_header(Runtime &runtime, Message &message, const Envelope &envelope, Letters letter) {
    encode(envelope, letter.front().bytes.data());
    return post_envelope(runtime, message, message.rank, std::move(letter));
}

/// Below, envelopes and slots cost more than the bytes.
constexpr std::uint64_t least_coded = 4 << 10;

bool drops_alpha(const Message &message) { return drops_alpha(message.choice, message.surface->format); }

bool slots_take_letters(const Message &message) {
    return message.channel->slots && message.traffic == Traffic::program;
}

bool fits_inside(const Runtime &runtime, const Message &message) {
    if (message.bytes == 0)
        return true;
    // Others would have to be waited for.
    if (!message.device().direct())
        return false;
    const std::size_t most = message.route == PIXMPI_ROUTE_MPI ? most_inside : most_inside_shm;
    const std::size_t held = slots_take_letters(message) ? held_nearby(*message.channel, message.rank) : 0;
    return message.bytes <= std::min(most, message.channel->options.eager_bytes) &&
           runtime.outbox_bytes + held + message.bytes <= most_outbox;
}

Status take_number(Runtime &runtime, Channel &channel, int process, BandNumbers::Taken &number) {
    std::shared_ptr<BandNumbers> &numbers = channel.numbers[process];
    if (!numbers)
        numbers = std::make_shared<BandNumbers>(channel.most_tag);
    number = BandNumbers::take(numbers);
    if (!number) {
        poll_lingering(runtime, runtime.lingering.size());
        number = BandNumbers::take(numbers);
    }
    return number ? PIXMPI_SUCCESS
                  : fail(PIXMPI_ERR_MPI,
                         "dest: %u messages to rank %d are under way, expected fewer: MPI has no tags for more "
                         "(MPI_TAG_UB is %d)",
                         numbers->count(), process, channel.most_tag);
}

const std::shared_ptr<Peer> &peer_of(const Message &message, int rank) {
    return message.channel->peers[static_cast<std::size_t>(rank)];
}

/// The receiver is asked to tell when a receive has matched.
Status ask_for_match(Runtime &runtime, Message &message, Envelope &envelope) {
    Channel &channel = *message.channel;
    const int process = channel.process_of(message.rank);
    BandNumbers::Taken number;
    if (const Status error = take_number(runtime, channel, process, number))
        return error;
    envelope.asks_match = true;
    envelope.number = *number;
    const MpiAddress to{channel.bands, process, *number};
    auto port = std::make_unique<MatchedSender>(to, std::move(number), peer_of(message, message.rank));
    if (const Status error = port->open())
        return error;
    message.port = std::move(port);
    message.pipeline.start(0, message.surface->pixel_bytes);
    return PIXMPI_SUCCESS;
}

/// Packs behind the header, at once: an envelope is sent whole, and the next one must not overtake it.
Status send_inside(Runtime &runtime, Message &message) {
    Letters letter = make_letter(header_bytes + message.bytes);
    std::byte *const bytes = letter.front().bytes.data();
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
    if (const Status error = post_envelope(runtime, message, message.rank, std::move(letter)))
        return error;
    if (!message.synchronous)
        settle(runtime, message);
    return PIXMPI_SUCCESS;
}

std::vector<int> receivers_of(const Message &message) {
    std::vector<int> ranks{message.rank};
    ranks.insert(ranks.end(), message.others.begin(), message.others.end());
    return ranks;
}

LaneRequest lane_request(const Runtime &runtime, const Message &message) {
    std::size_t largest = StageMemory::largest(runtime.stage.map().bytes);
    for (const int rank : receivers_of(message))
        largest = std::min(largest, StageMemory::largest(peer_of(message, rank)->card.stage_bytes));
    return {message.channel->options,    largest, message.device(), *message.transfer, message.region->pixels,
            message.surface->pixel_bytes};
}

bool gains_by_codec(const Message &message) {
    return message.bytes >= least_coded && message.route != PIXMPI_ROUTE_SELF;
}

bool may_code(const Message &message) {
    return message.choice.kind != CodecKind::none && (gains_by_codec(message) || drops_alpha(message));
}

LanePlan plan(const Message &message, LaneRequest &request) {
    if (message.forwarder) {
        const std::uint64_t band = message.handed_on->streams.band_pixels;
        return fit_lengths(request.largest, band, Codec::bound(message.surface->format, band), request.pixels);
    }
    return message.coded ? plan_streams(request, message.surface->format, packed_rows(*message.region).width)
                         : plan_lane(request);
}

Status send_through_flow(Runtime &runtime, Message &message) {
    const std::vector<int> ranks = receivers_of(message);
    std::vector<Letters> letters;
    for (std::size_t i = 0; i < ranks.size(); ++i)
        letters.push_back(make_letter(header_bytes));
    LaneRequest request = lane_request(runtime, message);
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
    // What is small is there before a GPU has been asked twice. Between slots of this process both ends have to ask.
    const bool asks_twice = message.channel->slots && message.route == PIXMPI_ROUTE_SELF;
    if ((message.bytes > message.channel->options.eager_bytes || asks_twice) &&
        (outgoing.by_peer || PeerMemory::hops(*device, message.bytes)))
        outgoing.peer_memory = PeerMemory::of(device);
    outgoing.pixels = request.pixels;
    outgoing.pixel_bytes = request.pixel_bytes;
    outgoing.row_pixels = row_pixels(*message.region);
    outgoing.each_alone = message.surface->has_depth();
    auto port = std::make_unique<FlowSender>(runtime, std::move(receivers), std::move(outgoing));
    if (ranks.size() == 1 && !message.coded)
        port->agree(request);
    message.port = std::move(port);
    Envelope envelope = make_envelope(message, Carriage::flow);
    envelope.lengths_vary = message.coded;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        envelope.flow = flows[i];
        encode(envelope, letters[i].front().bytes.data());
        if (const Status error = post_envelope(runtime, message, ranks[i], std::move(letters[i])))
            return error;
    }
    return PIXMPI_SUCCESS;
}

/// To a slot of another process, out of a window that its card reaches. Such a send waits for its receive, so that no
/// smaller one is.
bool is_shown(const Message &message) {
    const Channel &channel = *message.channel;
    return message.place && !drops_alpha(message) && message.bytes > channel.options.eager_bytes &&
           channel.slots->shown && message.rank < channel.slots->slots() &&
           channel.slots->shown->shows(message.place->window, channel.process_of(message.rank));
}

Status send_shown(Runtime &runtime, Message &message, TakenFlow taken) {
    Letters letter = make_letter(header_bytes);
    Envelope envelope = make_envelope(message, Carriage::shown);
    envelope.flow = taken.index();
    envelope.number = message.place->window;
    envelope.band_pixels = message.place->offset;
    Flow &flow = runtime.stage.map().flow(taken.index());
    message.pipeline.start(0, message.surface->pixel_bytes);
    message.port = std::make_unique<ShownSender>(std::move(taken), flow, peer_of(message, message.rank));
    return post_header(runtime, message, envelope, std::move(letter));
}

/// Whether it was there, or nobody waits for one.
bool take_report(Link &link) {
    bool over = false;
    if (link.expected == MPI_REQUEST_NULL)
        return true;
    if (mpi::test(link.expected, over) || !over)
        return false;
    link.number.reset();
    constexpr std::uint64_t least_telling = 1 << 20; // fewer come in one go, out of the system's buffers
    if (!link.of_streams || link.report.bytes >= least_telling)
        link.ledger.link_carried(link.report.bytes, link.report.seconds);
    return true;
}

/// One at a time; a receiver that has failed sends none.
bool expect_report(const Message &message, const BandNumbers::Taken &number) {
    Channel &channel = *message.channel;
    const int rank = message.rank;
    Link &link = channel.links[rank];
    if (!take_report(link))
        return false;
    link.of_streams = message.coded;
    link.number = number;
    const MpiAddress from{channel.bands, channel.process_of(rank), *number};
    return mpi::recv(from.comm, &link.report, sizeof link.report, from.rank, from.go_tag(), link.expected) ==
           PIXMPI_SUCCESS;
}

/// No codec is as fast as memory that both ends see.
CodecChoice choose(const Message &message, const CodecWish &wish) {
    const std::uint64_t bytes = message.region->pixels * static_cast<std::uint64_t>(message.surface->pixel_bytes);
    if (message.rank < 0 || bytes < least_coded ||
        message.channel->routes[static_cast<std::size_t>(message.rank)] != PIXMPI_ROUTE_MPI)
        return {};
    Link &link = message.channel->links[message.rank];
    take_report(link);
    return link.ledger.choose(
        wish, {bytes, stream_band_bytes(message.channel->options, bytes), message.surface->format, wish.may_lose});
}

Status send_by_bands(Runtime &runtime, Message &message) {
    Letters letter = make_letter(header_bytes);
    Channel &channel = *message.channel;
    const int process = channel.process_of(message.rank);
    BandNumbers::Taken number;
    if (const Status error = take_number(runtime, channel, process, number))
        return error;
    LaneRequest request = lane_request(runtime, message);
    request.most_band = most_band;
    request.most_slots = MpiSlots::most_slots;
    const LanePlan lane = plan(message, request);
    Envelope envelope = make_envelope(message, Carriage::bands);
    envelope.number = *number;
    envelope.band_pixels = lane.band_pixels;
    if (message.coded) {
        envelope.lengths_vary = true;
        envelope.band_bytes = lane.slot_bytes;
    }
    const std::shared_ptr<Device> device = slots_device(message);
    const std::size_t eager = channel.options.eager_bytes;
    auto port = std::make_unique<MpiSender>(MpiAddress{channel.bands, process, *number}, runtime.stage,
                                            gpu_memory_for_mpi(runtime, device, message.bytes, eager), device, lane,
                                            lane.bands(message.region->pixels).count(),
                                            message.bytes <= eager && !message.synchronous);
    port->keep(number);
    if (const Status error = port->open(envelope.waits))
        return error;
    envelope.asks_report = message.automatic && expect_report(message, number); // the go comes before it
    message.port = std::move(port);
    return post_header(runtime, message, envelope, std::move(letter));
}

} // namespace

Status find_wish(const Message &message, CodecWish &wish) {
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

Status find_choice(Message &message) {
    CodecWish wish;
    if (const Status error = find_wish(message, wish))
        return error;
    message.automatic = wish.automatic;
    message.choice = wish.automatic ? choose(message, wish) : wish.choice;
    return PIXMPI_SUCCESS;
}

bool take_flows(Runtime &runtime, Message &message) {
    message.flows.clear();
    message.route = message.channel->routes[static_cast<std::size_t>(message.rank)];
    message.bytes = message.region->pixels * static_cast<std::uint64_t>(message.surface->pixel_bytes);
    if (find_choice(message))
        return false; // the sends of their own say so
    const bool streams = may_code(message) || (message.handed_on && !message.handed_on->streams.bands.empty());
    if (!(message.device().near_host() || streams) || fits_inside(runtime, message))
        return false;
    for (const int rank : receivers_of(message)) {
        TakenFlow flow;
        if (message.channel->routes[static_cast<std::size_t>(rank)] == PIXMPI_ROUTE_MPI || !flow.take(runtime.stage)) {
            message.flows.clear();
            return false;
        }
        message.flows.push_back(std::move(flow));
    }
    return true;
}

Status post_envelope(Runtime &runtime, Message &message, int rank, Letters letter) {
    if (slots_take_letters(message) && post_nearby(*message.channel, rank, message.tag, letter))
        return PIXMPI_SUCCESS;
    Letter &one = letter.front();
    if (const Status error = mpi::send(message.envelopes(), one.bytes.data(), one.bytes.size(),
                                       message.channel->process_of(rank), message.tag, one.request))
        return error;
    bool over = false;
    if (const Status error = mpi::test(one.request, over))
        return error;
    if (!over) {
        runtime.outbox_bytes += one.bytes.size();
        runtime.outbox.splice(runtime.outbox.end(), letter);
    }
    return PIXMPI_SUCCESS;
}

Status tell_receiver(Runtime &runtime, Message &message) {
    return post_header(runtime, message, make_envelope(message, Carriage::given_up), make_letter(header_bytes));
}

Status start_send(Runtime &runtime, Message &message) {
    message.route = message.channel->routes[static_cast<std::size_t>(message.rank)];
    message.bytes = message.region->pixels * static_cast<std::uint64_t>(message.surface->pixel_bytes);
    const bool inside = message.others.empty() && fits_inside(runtime, message);
    if (TakenFlow taken; is_shown(message) && taken.take(runtime.stage)) {
        if (const Status error = message.copies().begin(0))
            return error;
        return send_shown(runtime, message, std::move(taken));
    }
    if (!inside && message.route != PIXMPI_ROUTE_SELF)
        message.hand_on();
    if (!inside && !message.coded && may_code(message)) {
        if (!gains_by_codec(message))
            message.choice.kind = CodecKind::lz4; // alpha alone goes
        message.code(runtime);
    }
    if (const Status error = message.copies().begin(message.region->pixels))
        return error;
    if (inside)
        return send_inside(runtime, message);
    message.pipeline.start(message.region->pixels, message.surface->pixel_bytes, message.coded);
    TakenFlow flow;
    if (message.others.empty() && message.route != PIXMPI_ROUTE_MPI && flow.take(runtime.stage))
        message.flows.push_back(std::move(flow));
    if (!message.flows.empty())
        return send_through_flow(runtime, message);
    message.route = PIXMPI_ROUTE_MPI;
    return send_by_bands(runtime, message);
}

Status advance_send(Runtime &runtime, Message &message, bool &moved) {
    Port &port = *message.port;
    if (port.other_gave_up()) {
        if (message.traffic == Traffic::schedule)
            return fail(PIXMPI_ERR_PEER, "rank %d has failed: its own error says why", message.rank);
        message.copies().give_up(); // the receive failed; that is the receiver's error, not ours
        settle(runtime, message);
        return PIXMPI_SUCCESS;
    }
    if (!message.pipeline.over()) {
        if (const Status error =
                message.pipeline.advance(port, message.copies(), message.device().usable(), nullptr, moved))
            return error;
        if (!message.pipeline.over())
            return PIXMPI_SUCCESS;
        if (const Status error = message.copies().end())
            return error;
    }
    bool over = false;
    if (const Status error = port.over(over))
        return error;
    if (message.synchronous && !port.matched())
        return over ? fail(PIXMPI_ERR_PEER, "dest: rank %d has ended without a receive", message.rank) : PIXMPI_SUCCESS;
    if (!over && !port.may_linger())
        return PIXMPI_SUCCESS;
    settle(runtime, message);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
