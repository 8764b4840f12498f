#include "endpoint/slot_matcher.h"

#include "endpoint/shown_port.h"

#include <algorithm>

namespace pixmpi {
namespace {

/// Rings of endpoints that are gone, until their readers are also gone.
class LeftRings final : public Carrier {
  public:
    /// The one of this process, made at the first use.
    static LeftRings &here() {
        static auto *const one = new LeftRings;
        return *one;
    }
    void add(std::list<PacketRings> &rings) { rings_.splice(rings_.end(), rings); }
    void drop_idle() {
        std::erase_if(rings_, [](const PacketRings &one) { return one.idle(); });
    }
    bool flush() override {
        bool any = false;
        for (PacketRings &one : rings_)
            any = one.flush() || any;
        return any;
    }
    bool holds() const override {
        return std::any_of(rings_.begin(), rings_.end(), [](const PacketRings &one) { return one.holds(); });
    }
    bool has_packets() const override { return false; }
    bool needs_mpi() const override { return false; }

  private:
    LeftRings() { runtime().carriers.push_back(this); }
    std::list<PacketRings> rings_;
};

/// What a process tells before its own words: the number of its slots, where its rings begin, and bytes of each.
enum Announced : std::size_t { announced_slots, announced_rings, announced_ring_bytes, announced_first };

int announced_slots_of(const Words &announced) {
    return static_cast<int>(static_cast<std::int64_t>(announced[announced_slots]));
}

/// A process' rings have a receiver for each other process of its host, in the order of ranks.
std::size_t receiver_of(const Channel &channel, int sender, int receiver) {
    const std::vector<int> &host = channel.neighbours;
    return static_cast<std::size_t>(
        std::count_if(host.begin(), host.end(), [&](int rank) { return rank < receiver && rank != sender; }));
}

/// Both ends come to the same: the route is the same for both, and the sender has announced where its rings are.
void open_rings(const Channel &channel, const std::vector<Words> &all, SlotSpace &space) {
    space.neighbours.resize(static_cast<std::size_t>(channel.size));
    space.all_by_rings = true;
    for (int process = 0; process < channel.size; ++process) {
        const auto at = static_cast<std::size_t>(process);
        if (process == channel.rank)
            continue;
        Neighbour &one = space.neighbours[at];
        if (channel.routes[at] == PIXMPI_ROUTE_SHM) {
            one.out = space.rings.front().open(receiver_of(channel, channel.rank, process), channel.peers[at]);
            one.in = read_ring(*channel.peers[at], all[at][announced_rings], all[at][announced_ring_bytes],
                               receiver_of(channel, process, channel.rank));
            one.mapping = channel.peers[at];
        }
        space.all_by_rings = space.all_by_rings && one.in;
    }
}

/// Peers and routes of processes become those of their slots.
void extend(Channel &channel, const std::vector<Words> &all, std::list<PacketRings> rings) {
    SlotSpace space;
    space.rings = std::move(rings);
    open_rings(channel, all, space);
    space.processes = channel.size;
    for (int process = 0; process < channel.size; ++process) {
        const int count = announced_slots_of(all[static_cast<std::size_t>(process)]);
        if (process == channel.rank) {
            space.first = static_cast<int>(space.process.size());
            space.count = count;
        }
        space.process.insert(space.process.end(), static_cast<std::size_t>(count), process);
    }
    space.own = static_cast<int>(space.process.size()) + channel.rank;
    for (int process = 0; process < channel.size; ++process)
        space.process.push_back(process);
    std::vector<std::shared_ptr<Peer>> peers;
    std::vector<pixMPI_Route> routes;
    for (const int process : space.process) {
        peers.push_back(channel.peers[static_cast<std::size_t>(process)]);
        routes.push_back(channel.routes[static_cast<std::size_t>(process)]);
    }
    channel.peers = std::move(peers);
    channel.routes = std::move(routes);
    channel.size = static_cast<int>(space.process.size());
    channel.rank = space.own;
    channel.program = std::make_unique<SlotMatcher>(channel, std::move(space));
}

} // namespace

SlotMatcher::SlotMatcher(Channel &channel, SlotSpace of) : Matcher(channel), space(std::move(of)) {
    runtime().carriers.push_back(this);
}

SlotMatcher::~SlotMatcher() {
    for (Neighbour &one : space.neighbours)
        if (one.in)
            one.in.leave();
    LeftRings::here().add(space.rings);
    std::erase(runtime().carriers, this);
}

void SlotMatcher::address(const Message &message, Envelope &envelope) const {
    const bool service = message.own == service_rank;
    envelope.from = service ? space.own : message.own;
    envelope.to = service ? service_rank : message.rank;
}

bool SlotMatcher::read(Packet &packet) {
    Envelope envelope;
    if (decode({packet.bytes.data(), packet.arrival.bytes}, envelope) && envelope.from >= 0 &&
        envelope.from < channel_.size) {
        packet.arrival.source = envelope.from;
        packet.to = envelope.to;
        return true;
    }
    log_line(PIXMPI_LOG_ERROR, "what came for a slot from process %d is no envelope", packet.arrival.source);
    return false;
}

Status SlotMatcher::check() const {
    return channel_.closed ? fail(PIXMPI_ERR_COMM, "comm: its endpoint has been freed") : PIXMPI_SUCCESS;
}

bool SlotMatcher::carry(int rank, int tag, Packets &packet) {
    Packet &one = packet.front();
    const int process = process_of(rank);
    one.arrival.tag = tag;
    if (process == process_of(space.own)) {
        one.arrival.source = process;
        one.arrival.bytes = one.bytes.size();
        here_.splice(here_.end(), packet);
        return true;
    }
    PacketWriter *const ring = neighbour(rank).out;
    if (ring)
        ring->send(std::move(packet));
    return ring != nullptr;
}

std::size_t SlotMatcher::held(int rank) const {
    const PacketWriter *const ring = space.neighbours[static_cast<std::size_t>(process_of(rank))].out;
    return ring ? ring->held_bytes() : 0;
}

Status SlotMatcher::empty_ring(int process) {
    PacketReader &ring = space.neighbours[static_cast<std::size_t>(process)].in;
    for (bool any = true; ring && any;) {
        Packets packets;
        if (const Status error = ring.receive(process, packets, any))
            return error;
        if (any)
            hand_out(packets, packets.begin());
    }
    return PIXMPI_SUCCESS;
}

/// Receives what MPI has, in its order.
Status SlotMatcher::collect_from_mpi() {
    for (bool any = true; any;)
        if (const Status error = receive_next(channel_.envelopes, MPI_ANY_SOURCE, arriving_, any))
            return error;
    while (!arriving_.empty()) {
        bool here = false;
        if (const Status error = mpi::test(arriving_.front().request, here); error || !here)
            return error;
        hand_out(arriving_, arriving_.begin());
    }
    return PIXMPI_SUCCESS;
}

Status SlotMatcher::collect(Runtime &runtime) {
    while (!here_.empty())
        hand_out(here_, here_.begin());
    if (!space.all_by_rings && !runtime.mpi_barred)
        if (const Status error = collect_from_mpi())
            return error;
    for (int process = 0; process < space.processes; ++process)
        if (const Status error = empty_ring(process))
            return error;
    return PIXMPI_SUCCESS;
}

Status SlotMatcher::look(Runtime &runtime, int own, int source, int tag, const Packet *&found) {
    found = nullptr;
    if (const Status error = collect(runtime))
        return error;
    if (const auto first = find_waiting({own, source, tag}); first != waiting_.end())
        found = &*first;
    return PIXMPI_SUCCESS;
}

/// To a slot of another process, out of a window that its GPU reaches. Such a send waits for its receive, so that no
/// smaller one is.
bool SlotMatcher::is_shown(const Send &message) const {
    const WindowPart *const place = part_of(message);
    return place && pulls && !drops_alpha(message.choice, message.surface->format) &&
           message.bytes > channel_.options.eager_bytes && message.rank < space.slots() &&
           pulls->shows(place->window, process_of(message.rank));
}

Status SlotMatcher::send(Runtime &runtime, Send &message, bool &accepted) {
    FlowAllocation flow;
    accepted = is_shown(message) && flow.allocate(runtime.stage);
    if (!accepted)
        return PIXMPI_SUCCESS;
    if (const Status error = message.copies().begin(0))
        return error;
    Packets packet = make_packet(header_bytes);
    Envelope envelope = make_envelope(message, Carriage::attached);
    envelope.flow = flow.index();
    envelope.number = part_of(message)->window;
    envelope.band_pixels = part_of(message)->offset;
    Flow &shared = runtime.stage.map().flow(flow.index());
    message.move(0, message.surface->pixel_bytes, false).port =
        std::make_unique<ShownSender>(std::move(flow), shared, channel_.peers[static_cast<std::size_t>(message.rank)]);
    return post_header(runtime, message, envelope, std::move(packet));
}

Status SlotMatcher::accept(const Receive &receive, const Envelope &envelope, std::unique_ptr<Port> &port) {
    return pulls ? pulls->accept(receive, envelope, port) : Matcher::accept(receive, envelope, port);
}

bool SlotMatcher::flush() {
    bool any = false;
    for (PacketRings &rings : space.rings)
        any = rings.flush() || any;
    return any;
}

bool SlotMatcher::holds() const {
    return std::any_of(space.rings.begin(), space.rings.end(), [](const PacketRings &rings) { return rings.holds(); });
}

bool SlotMatcher::has_packets() const {
    return std::any_of(space.neighbours.begin(), space.neighbours.end(),
                       [](const Neighbour &one) { return one.in && one.in.any(); });
}

Status open_slots(Runtime &runtime, Lock &lock, MPI_Comm comm, int slots, const Words &announced, MPI_Comm &space,
                  MPI_Comm &plain, std::vector<Words> &all) {
    std::shared_ptr<Channel> channel;
    if (const Status error = find_channel(comm, channel))
        return error;
    if (channel->inter || !channel->program->is_plain())
        return fail(PIXMPI_ERR_COMM, "comm: %s, expected an attached intracommunicator",
                    channel->inter ? "an intercommunicator" : "an endpoint's");
    LeftRings::here().drop_idle();
    std::list<PacketRings> rings;
    rings.emplace_back(runtime.stage, channel->neighbours.size() - 1);
    Words mine{static_cast<std::uint64_t>(static_cast<std::int64_t>(slots)), rings.front().offset(),
               rings.front().ring_bytes()};
    mine.insert(mine.end(), announced.begin(), announced.end());
    if (const Status error = gather_words(runtime, lock, *channel, comm, mine, all))
        return error;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (announced_slots_of(all[i]) < 0)
            return slots < 0 ? PIXMPI_ERR_ARGUMENT
                             : fail(PIXMPI_ERR_PEER, "rank %zu has failed: its own error says why", i);
    if (const Status error = duplicate(runtime, lock, comm, space))
        return error;
    if (const Status error = duplicate(runtime, lock, comm, plain))
        return error;
    if (const Status error = find_channel(space, channel))
        return error;
    extend(*channel, all, std::move(rings));
    for (Words &words : all)
        words.erase(words.begin(), words.begin() + announced_first);
    return PIXMPI_SUCCESS;
}

void serve_beside_program(Runtime &runtime, const Channel &channel) {
    const SlotSpace &space = space_of(channel);
    const bool near = std::any_of(space.neighbours.begin(), space.neighbours.end(),
                                  [](const Neighbour &one) { return static_cast<bool>(one.in); });
    const bool calls_mpi = supports_threads();
    if (space.processes == 1 || !(near || calls_mpi))
        return;
    if (runtime.progress_thread) {
        runtime.stage.map().presence().wake(); // it may have to look at MPI from now on
        return;
    }
    const Status failed = without_throwing([&] {
        runtime.progress_thread = std::make_unique<ProgressThread>(runtime, ProgressThread::Does::services, calls_mpi);
        return PIXMPI_SUCCESS;
    });
    if (failed)
        log_line(PIXMPI_LOG_INFO, "no thread serves shaders of other ranks while this one calls nothing: the system "
                                  "refused one");
}

} // namespace pixmpi
