#include "request/channel_slots.h"

#include "request/message.h"

#include <algorithm>
#include <mpi.h>

namespace pixmpi {
namespace {

/// What a letter says of itself. False when it is no envelope.
bool read(const Channel &channel, Letter &letter, int &to) {
    Envelope envelope;
    if (!decode({letter.bytes.data(), letter.arrival.bytes}, envelope))
        return false;
    letter.arrival.source = envelope.from;
    to = envelope.to;
    return envelope.from >= 0 && envelope.from < channel.size;
}

bool matches(const Letter &letter, int to, int own, int source, int tag) {
    return to == own && (source == MPI_ANY_SOURCE || source == letter.arrival.source) &&
           (tag == MPI_ANY_TAG || tag == letter.arrival.tag);
}

/// The first letter that nobody has asked for and that such a receive would match.
Letters::iterator find_waiting(Channel &channel, int own, int source, int tag) {
    return std::find_if(channel.waiting.begin(), channel.waiting.end(), [&](Letter &letter) {
        int to = 0;
        return read(channel, letter, to) && matches(letter, to, own, source, tag);
    });
}

void give(Message &message, Letters &from, Letters::iterator letter) {
    message.taken = true;
    message.letter.clear();
    message.letter.splice(message.letter.end(), from, letter);
}

/// The first one, to the first receive that it matches, or to those that wait.
void hand_out(Channel &channel, Letters &letters) {
    SlotSpace &space = *channel.slots;
    const auto letter = letters.begin();
    int to = 0;
    if (!read(channel, *letter, to)) {
        log_line(PIXMPI_LOG_ERROR, "what came for a slot from process %d is no envelope", letter->arrival.source);
        letters.erase(letter);
        return;
    }
    const auto found = std::find_if(space.posted.begin(), space.posted.end(), [&](const Message *one) {
        return matches(*letter, to, one->own, one->rank, one->tag);
    });
    if (found == space.posted.end()) {
        channel.waiting.splice(channel.waiting.end(), letters, letter);
        return;
    }
    Message &message = **found;
    space.posted.erase(found);
    give(message, letters, letter);
}

Status empty_ring(Channel &channel, int process) {
    LetterReader &ring = channel.slots->neighbours[static_cast<std::size_t>(process)].in;
    for (bool any = true; ring && any;) {
        Letters letters;
        if (const Status error = ring.take(process, letters, any))
            return error;
        if (any)
            hand_out(channel, letters);
    }
    return PIXMPI_SUCCESS;
}

/// Takes what MPI has, in its order.
Status take_from_mpi(Channel &channel) {
    SlotSpace &space = *channel.slots;
    for (bool any = true; any;)
        if (const Status error = take_next(channel, MPI_ANY_SOURCE, space.arriving, any))
            return error;
    while (!space.arriving.empty()) {
        bool here = false;
        if (const Status error = mpi::test(space.arriving.front().request, here); error || !here)
            return error;
        hand_out(channel, space.arriving);
    }
    return PIXMPI_SUCCESS;
}

/// What a process tells before its own words: the number of its slots, where its rings begin, and bytes of each.
enum Told : std::size_t { told_slots, told_rings, told_ring_bytes, told_first };

int slots_of(const Words &told) { return static_cast<int>(static_cast<std::int64_t>(told[told_slots])); }

Status await(Runtime &runtime, Lock &lock, int started, const char *what, MPI_Request &request) {
    if (const Status error = mpi::check(started, what))
        return error;
    return go_on_until(runtime, lock, Pause(), [&](bool &yes) { return mpi::test(request, yes); });
}

Status duplicate(Runtime &runtime, Lock &lock, MPI_Comm comm, MPI_Comm &copy) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (const Status error = await(runtime, lock, MPI_Comm_idup(comm, &copy, &request), "MPI_Comm_idup", request))
        return error;
    return attach(runtime, lock, copy, nullptr);
}

/// A process' rings have as many receivers as there are others on its host, in the order of ranks.
std::size_t receiver_of(const Channel &channel, int sender, int receiver) {
    const std::vector<int> &host = channel.neighbours;
    return static_cast<std::size_t>(std::count_if(host.begin(), host.end(),
                                                  [&](int rank) { return rank < receiver && rank != sender; }));
}

/// Both ends come to the same: the route is the same for both, and the sender has told where its rings are.
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
            one.in = read_ring(*channel.peers[at], all[at][told_rings], all[at][told_ring_bytes],
                               receiver_of(channel, process, channel.rank));
            one.mapping = channel.peers[at];
        }
        space.all_by_rings = space.all_by_rings && one.in;
    }
}

/// Peers and routes of processes become those of their slots.
void extend(Channel &channel, const std::vector<Words> &all, std::list<LetterRings> rings) {
    auto space = std::make_shared<SlotSpace>();
    runtime().spaces.push_back(space.get());
    space->rings = std::move(rings);
    open_rings(channel, all, *space);
    space->processes = channel.size;
    for (int process = 0; process < channel.size; ++process) {
        const int count = slots_of(all[static_cast<std::size_t>(process)]);
        if (process == channel.rank) {
            space->first = static_cast<int>(space->process.size());
            space->count = count;
        }
        space->process.insert(space->process.end(), static_cast<std::size_t>(count), process);
    }
    space->own = static_cast<int>(space->process.size()) + channel.rank;
    for (int process = 0; process < channel.size; ++process)
        space->process.push_back(process);
    std::vector<std::shared_ptr<Peer>> peers;
    std::vector<pixMPI_Route> routes;
    for (const int process : space->process) {
        peers.push_back(channel.peers[static_cast<std::size_t>(process)]);
        routes.push_back(channel.routes[static_cast<std::size_t>(process)]);
    }
    channel.peers = std::move(peers);
    channel.routes = std::move(routes);
    channel.size = static_cast<int>(space->process.size());
    channel.rank = space->own;
    channel.slots = std::move(space);
}

} // namespace

int Channel::process_of_slot(int rank_of_channel) const {
    return slots->process[static_cast<std::size_t>(rank_of_channel)];
}

void address(const Message &message, Envelope &envelope) {
    if (!message.channel->slots)
        return;
    const bool service = message.own == service_rank;
    envelope.from = service ? message.channel->slots->own : message.own;
    envelope.to = service ? service_rank : message.rank;
}

void post_for_slot(Message &message) {
    Channel &channel = *message.channel;
    message.letter.clear();
    const auto found = find_waiting(channel, message.own, message.rank, message.tag);
    if (found != channel.waiting.end())
        give(message, channel.waiting, found);
    else
        channel.slots->posted.push_back(&message);
}

void unpost_for_slot(Message &message) { message.channel->slots->posted.remove(&message); }

bool post_nearby(Channel &channel, int rank, int tag, Letters &letter) {
    SlotSpace &space = *channel.slots;
    Letter &one = letter.front();
    const int process = channel.process_of(rank);
    one.arrival.tag = tag;
    if (process == channel.process_of(space.own)) {
        one.arrival.source = process;
        one.arrival.bytes = one.bytes.size();
        space.here.splice(space.here.end(), letter);
        return true;
    }
    LetterWriter *const ring = space.neighbours[static_cast<std::size_t>(process)].out;
    if (ring)
        ring->send(std::move(letter));
    return ring != nullptr;
}

std::size_t held_nearby(const Channel &channel, int rank) {
    const LetterWriter *const ring = channel.slots->neighbours[static_cast<std::size_t>(channel.process_of(rank))].out;
    return ring ? ring->held_bytes() : 0;
}

Status deliver(Channel &channel) {
    SlotSpace &space = *channel.slots;
    while (!space.here.empty())
        hand_out(channel, space.here);
    if (!space.all_by_rings && !runtime().mpi_barred)
        if (const Status error = take_from_mpi(channel))
            return error;
    for (int process = 0; process < space.processes; ++process)
        if (const Status error = empty_ring(channel, process))
            return error;
    return PIXMPI_SUCCESS;
}

SlotSpace::~SlotSpace() {
    for (Neighbour &one : neighbours)
        if (one.in)
            one.in.leave();
    std::list<LetterRings> &left = runtime().left_rings;
    left.splice(left.end(), rings);
    std::erase(runtime().spaces, this);
}

bool SlotSpace::has_letters() const {
    return std::any_of(neighbours.begin(), neighbours.end(),
                       [](const Neighbour &one) { return one.in && one.in.any(); });
}

Status look_for(Channel &channel, int own, int source, int tag, const Letter *&found) {
    found = nullptr;
    if (const Status error = deliver(channel))
        return error;
    const auto first = find_waiting(channel, own, source, tag);
    if (first != channel.waiting.end())
        found = &*first;
    return PIXMPI_SUCCESS;
}

Status open_slots(Runtime &runtime, Lock &lock, MPI_Comm comm, int slots, const Words &told, MPI_Comm &space,
                  MPI_Comm &plain, std::vector<Words> &all) {
    std::shared_ptr<Channel> channel;
    if (const Status error = find_channel(comm, channel))
        return error;
    if (channel->inter || channel->slots)
        return fail(PIXMPI_ERR_COMM, "comm: %s, expected an attached intracommunicator",
                    channel->inter ? "an intercommunicator" : "an endpoint's");
    std::erase_if(runtime.left_rings, [](const LetterRings &one) { return one.idle(); });
    std::list<LetterRings> rings;
    rings.emplace_back(runtime.stage, channel->neighbours.size() - 1);
    Words mine{static_cast<std::uint64_t>(static_cast<std::int64_t>(slots)), rings.front().offset(),
               rings.front().ring_bytes()};
    mine.insert(mine.end(), told.begin(), told.end());
    const auto n = static_cast<std::size_t>(channel->size);
    Words gathered(n * mine.size());
    const int count = static_cast<int>(mine.size());
    MPI_Request request = MPI_REQUEST_NULL;
    if (const Status error = await(
            runtime, lock,
            MPI_Iallgather(mine.data(), count, MPI_UINT64_T, gathered.data(), count, MPI_UINT64_T, comm, &request),
            "MPI_Iallgather", request))
        return error;
    all.clear();
    for (std::size_t i = 0; i < n; ++i)
        all.emplace_back(gathered.begin() + static_cast<std::ptrdiff_t>(i * mine.size()),
                         gathered.begin() + static_cast<std::ptrdiff_t>((i + 1) * mine.size()));
    for (std::size_t i = 0; i < n; ++i)
        if (slots_of(all[i]) < 0)
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
        words.erase(words.begin(), words.begin() + told_first);
    return PIXMPI_SUCCESS;
}

Status exchange_bytes(Runtime &runtime, Lock &lock, MPI_Comm plain, const std::vector<char> &to,
                      std::vector<char> &from) {
    from.resize(to.size());
    MPI_Request request = MPI_REQUEST_NULL;
    return await(runtime, lock, MPI_Ialltoall(to.data(), 1, MPI_CHAR, from.data(), 1, MPI_CHAR, plain, &request),
                 "MPI_Ialltoall", request);
}

void serve_beside_program(Runtime &runtime, const Channel &channel) {
    const SlotSpace &space = *channel.slots;
    const bool near = std::any_of(space.neighbours.begin(), space.neighbours.end(),
                                  [](const Neighbour &one) { return static_cast<bool>(one.in); });
    int threads = MPI_THREAD_SINGLE;
    MPI_Query_thread(&threads);
    const bool calls_mpi = threads == MPI_THREAD_MULTIPLE;
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

void close_slots(MPI_Comm &space, MPI_Comm &plain) {
    for (MPI_Comm *const comm : {&space, &plain})
        if (*comm != MPI_COMM_NULL)
            MPI_Comm_free(comm);
}

} // namespace pixmpi
