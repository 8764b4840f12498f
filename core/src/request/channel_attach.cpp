// Attaching a communicator: its private duplicates, which ranks share a host, and which can map each other's memory.
//
// Each step is collective, so that a rank that has failed takes part until all have agreed that one has. They agree
// twice: before anything is made, as most of what goes wrong does so by then, and at the end. All of it is nonblocking,
// on the program's own communicator: a rank may lack a duplicate.
#include "request/channel.h"

#include "request/request.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <iterator>
#include <mpi.h>
#include <string>

namespace pixmpi {
namespace {

/// Programs may spawn others again and again.
void forget_those_that_have_gone(Runtime &runtime) {
    std::erase_if(runtime.peers, [&](const auto &one) {
        const bool gone = one.second.expired() && one.first != runtime.card.id;
        if (gone)
            runtime.descriptors.forget(one.first);
        return gone;
    });
}

std::string rank_name(int rank, const Card &card) {
    return "rank " + std::to_string(rank) + " (" + card.host_name + ")";
}

/// The peer route also has its flows in shared memory.
bool shares(const Options &options) { return options.shm || options.peer; }

/// Maps the stage memory of those that share our host. offers[r]: whether we can map what rank r has in its own.
void map_peers(Runtime &runtime, Channel &channel, std::vector<char> &offers) {
    for (int r = 0; r < channel.size; ++r) {
        Peer &peer = *channel.peers[static_cast<std::size_t>(r)];
        const bool self = peer.card.id == runtime.card.id;
        bool mapped = peer.stage().base != nullptr;
        if (!mapped && (self || (shares(channel.options) && same_host(peer.card, runtime.card)))) {
            mapped = peer.map(self ? &runtime.stage.map() : nullptr);
            if (!mapped)
                log_line(PIXMPI_LOG_INFO, "the shared memory of %s cannot be reached", rank_name(r, peer.card).c_str());
        }
        offers[static_cast<std::size_t>(r)] = mapped && (self || shares(channel.options));
    }
}

void find_hosts(const Runtime &runtime, Channel &channel) {
    const auto card = [&](int rank) -> const Card & { return channel.peers[static_cast<std::size_t>(rank)]->card; };
    for (int rank = 0; rank < channel.size; ++rank) {
        const auto known = std::find_if(channel.leaders.begin(), channel.leaders.end(),
                                        [&](int leader) { return same_host(card(leader), card(rank)); });
        channel.leader_of.push_back(known == channel.leaders.end() ? rank : *known);
        if (known == channel.leaders.end())
            channel.leaders.push_back(rank);
        if (same_host(card(rank), runtime.card))
            channel.neighbours.push_back(rank);
    }
}

/// How many ranks share this host, and how many cores they have together.
void count_local(const Runtime &runtime, const std::vector<Card> &cards) {
    int ranks = 0, cores = 0;
    Card together{};
    for (const Card &card : cards) {
        if (!same_host(card, runtime.card))
            continue;
        ++ranks;
        for (std::size_t i = 0; i < std::size(together.cores); ++i)
            together.cores[i] |= card.cores[i];
    }
    for (const std::uint64_t bits : together.cores)
        cores += std::popcount(bits);
    static int most = 0; // of all communicators
    if (ranks > most)
        set_local_ranks(most = ranks, cores);
}

void log_routes(const Runtime &runtime, const Channel &channel) {
    for (int r = 0; logs(PIXMPI_LOG_INFO) && r < channel.size; ++r) {
        const Card &card = channel.peers[static_cast<std::size_t>(r)]->card;
        const pixMPI_Route route = channel.routes[static_cast<std::size_t>(r)];
        const char *why = route != PIXMPI_ROUTE_MPI        ? ""
                          : !same_host(card, runtime.card) ? ", another host"
                          : !shares(channel.options)       ? ", shm is not among this rank's routes"
                                                           : ", one of the two cannot use shared memory";
        log_line(PIXMPI_LOG_INFO, "to %s: %s%s", rank_name(r, card).c_str(), pixMPI_Route_name(route), why);
    }
}

} // namespace

std::shared_ptr<Peer> find_peer(Runtime &runtime, const Card &card) {
    if (!runtime.knows(card.id))
        forget_those_that_have_gone(runtime);
    std::weak_ptr<Peer> &known = runtime.peers[card.id];
    std::shared_ptr<Peer> peer = known.lock();
    if (!peer) {
        known = peer = std::make_shared<Peer>(card);
        if (same_host(card, runtime.card))
            runtime.descriptors.welcome(card.id, card.pid, card.uid);
    }
    return peer;
}

namespace {

class Attachment {
  public:
    Attachment(Runtime &runtime, Lock &lock, MPI_Comm comm) : runtime_(runtime), lock_(lock), comm_(comm) {
        MPI_Comm_test_inter(comm, &inter_);
    }
    ~Attachment() { std::erase(runtime_.attaching, comm_); }
    Attachment(const Attachment &) = delete;
    Attachment &operator=(const Attachment &) = delete;

    Status run(const pixMPI_Options *options) {
        note(without_throwing([&] { return prepare(options); }));
        if (const Status error = agree())
            return error;
        duplicate(channel_->envelopes);
        duplicate(channel_->schedule_envelopes);
        duplicate(channel_->bands);
        meet();
        note(without_throwing([&] { return recognise(); }));
        send_offers();
        note(without_throwing([&] { return choose_routes(); }));
        if (const Status error = agree()) {
            free_duplicates(*channel_);
            return error;
        }
        return carry(comm_, std::move(attribute_));
    }

  private:
    Status prepare(const pixMPI_Options *options);
    void duplicate(MPI_Comm &copy);
    void meet();
    Status recognise();
    void send_offers();
    Status choose_routes();
    Status agree();
    int least(int value);
    bool await(int started, const char *what, MPI_Request &request);
    /// This rank's first error.
    void note(Status error) {
        if (error && !own_.code)
            own_ = last_error(error);
    }

    Runtime &runtime_;
    Lock &lock_;
    const MPI_Comm comm_;
    int inter_ = 0;
    Error own_;
    std::shared_ptr<Channel> channel_;
    std::unique_ptr<ChannelAttribute> attribute_;
    std::vector<Card> cards_; ///< all that others say of themselves, by rank
    std::vector<char> offers_, answers_;
};

/// What a rank can do alone, and all memory that it needs for the rest.
Status Attachment::prepare(const pixMPI_Options *options) {
    runtime_.attaching.push_back(comm_);
    channel_ = std::make_shared<Channel>();
    attribute_ = std::make_unique<ChannelAttribute>(channel_);
    if (const Status error = read_options(options, channel_->options))
        return error;
    channel_->errors.comm = comm_;
    channel_->errors.by_option = handler_of(channel_->options.on_error);
    pixMPI_Internal_concerns(channel_->errors);
    if (const Status error = open_library(runtime_, channel_->options))
        return error;
    int found = 0;
    void *most_tag = nullptr;
    channel_->inter = inter_;
    MPI_Comm_rank(comm_, &channel_->rank);
    (inter_ ? MPI_Comm_remote_size : MPI_Comm_size)(comm_, &channel_->size);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most_tag, &found);
    channel_->most_tag = found ? *static_cast<int *>(most_tag) : 32767;
    const auto n = static_cast<std::size_t>(channel_->size);
    cards_.resize(n);
    offers_.resize(n);
    answers_.resize(n);
    return PIXMPI_SUCCESS;
}

bool Attachment::await(int started, const char *what, MPI_Request &request) {
    Status error = mpi::check(started, what);
    if (!error)
        error = go_on_until(runtime_, lock_, Pause(), [&](bool &yes) { return mpi::test(request, yes); });
    note(error);
    return !error;
}

void Attachment::duplicate(MPI_Comm &copy) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (await(MPI_Comm_idup(comm_, &copy, &request), "MPI_Comm_idup", request))
        MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    else
        copy = MPI_COMM_NULL;
}

void Attachment::meet() {
    MPI_Request request = MPI_REQUEST_NULL;
    constexpr int bytes = sizeof(Card);
    await(MPI_Iallgather(&runtime_.card, bytes, MPI_BYTE, cards_.data(), bytes, MPI_BYTE, comm_, &request),
          "MPI_Iallgather", request);
}

Status Attachment::recognise() {
    if (own_.code)
        return PIXMPI_SUCCESS; // the Cards may not be there
    for (std::size_t r = 0; r < cards_.size(); ++r)
        if (cards_[r].version != card_version)
            return fail(PIXMPI_ERR_COMM, "%s has another version of libpixmpi",
                        rank_name(static_cast<int>(r), cards_[r]).c_str());
    for (const Card &card : cards_)
        channel_->peers.push_back(find_peer(runtime_, card));
    find_hosts(runtime_, *channel_);
    count_local(runtime_, cards_);
    map_peers(runtime_, *channel_, offers_);
    return PIXMPI_SUCCESS;
}

void Attachment::send_offers() {
    MPI_Request request = MPI_REQUEST_NULL;
    await(MPI_Ialltoall(offers_.data(), 1, MPI_CHAR, answers_.data(), 1, MPI_CHAR, comm_, &request), "MPI_Ialltoall",
          request);
}

Status Attachment::choose_routes() {
    if (own_.code)
        return PIXMPI_SUCCESS;
    for (std::size_t r = 0; r < cards_.size(); ++r)
        channel_->routes.push_back(!offers_[r] || !answers_[r]     ? PIXMPI_ROUTE_MPI
                                   : channel_->peers[r]->is_self() ? PIXMPI_ROUTE_SELF
                                                                   : PIXMPI_ROUTE_SHM);
    log_routes(runtime_, *channel_);
    return PIXMPI_SUCCESS;
}

/// Of all ranks; of the other group's in an intercommunicator.
int Attachment::least(int value) {
    int result = INT_MAX;
    MPI_Request request = MPI_REQUEST_NULL;
    await(MPI_Iallreduce(&value, &result, 1, MPI_INT, MPI_MIN, comm_, &request), "MPI_Iallreduce", request);
    return result;
}

/// An error on all ranks when one has one. In an intercommunicator each group first gets the other's errors, and then
/// its own, by way of the other group.
Status Attachment::agree() {
    constexpr int nobody = INT_MAX;
    int me = 0;
    MPI_Comm_rank(comm_, &me);
    const int other = least(own_.code ? me : nobody), same = least(other);
    if (own_.code)
        return repeat(own_);
    if (other == nobody && same == nobody)
        return PIXMPI_SUCCESS;
    return fail(PIXMPI_ERR_COMM, "comm: rank %d%s could not attach; its own error says why",
                other == nobody ? same : other, inter_ && other != nobody ? " of the other group" : "");
}

/// Another thread may be at it: the communicator's ranks do it once.
Status await_other_thread(Runtime &runtime, Lock &lock, MPI_Comm comm) {
    return go_on_until(runtime, lock, Pause(), [&](bool &yes) {
        yes = std::find(runtime.attaching.begin(), runtime.attaching.end(), comm) == runtime.attaching.end();
        return PIXMPI_SUCCESS;
    });
}

} // namespace

Status attach(Runtime &runtime, Lock &lock, MPI_Comm comm, const pixMPI_Options *options) {
    if (const Status error = check_comm(comm))
        return error;
    if (const Status error = await_other_thread(runtime, lock, comm))
        return error;
    return is_attached(comm) ? PIXMPI_SUCCESS : Attachment(runtime, lock, comm).run(options);
}

} // namespace pixmpi
