#include "channel.h"

#include "operation.h"
#include "route_mpi_gpu.h"
#include "wait.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <mpi.h>
#include <string>

namespace pixmpi {
namespace {

using ChannelAttribute = std::shared_ptr<Channel>;

int drop_channel(MPI_Comm, int, void *value, void *) {
    auto *channel = static_cast<ChannelAttribute *>(value);
    (*channel)->closed = true;
    // Freeing is collective, and so was what led here.
    MPI_Comm_free(&(*channel)->envelopes);
    MPI_Comm_free(&(*channel)->bands);
    delete channel;
    return MPI_SUCCESS;
}

/// The key of our attribute; made once.
int channel_key() {
    static const int key = [] {
        int made = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_channel, &made, nullptr);
        return made;
    }();
    return key;
}

void wait_for(MPI_Request &request) {
    int over = 0;
    for (Wait wait;; wait.pause()) {
        MPI_Test(&request, &over, MPI_STATUS_IGNORE);
        if (over)
            return;
    }
}

MPI_Comm duplicate(MPI_Comm comm, bool inter) {
    MPI_Comm copy = MPI_COMM_NULL;
    if (inter) { // Open MPI has no nonblocking one for these
        MPI_Comm_dup(comm, &copy);
    } else {
        MPI_Request request;
        MPI_Comm_idup(comm, &copy, &request);
        wait_for(request);
    }
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    return copy;
}

std::shared_ptr<Peer> find_peer(Library &library, const Card &card) {
    std::weak_ptr<Peer> &known = library.peers[card.id];
    std::shared_ptr<Peer> peer = known.lock();
    if (!peer)
        known = peer = std::make_shared<Peer>(card);
    return peer;
}

std::string rank_name(int rank, const Card &card) {
    return "rank " + std::to_string(rank) + " (" + card.host_name + ")";
}

/// The peer route tells its ends apart in shared memory, too.
bool shares(const Options &options) { return options.shm || options.peer; }

/// Maps the stage memory of those that share our host. offers[r]: whether we can take what rank r has in its own.
void map_peers(Library &library, Channel &channel, std::vector<char> &offers) {
    for (int r = 0; r < channel.size; ++r) {
        Peer &peer = *channel.peers[static_cast<std::size_t>(r)];
        const bool self = peer.card.id == library.card.id;
        bool mapped = peer.stage().base != nullptr;
        if (!mapped && (self || (shares(channel.options) && same_host(peer.card, library.card)))) {
            mapped = peer.map(self ? &library.stage.map() : nullptr);
            if (!mapped)
                log_line(PIXMPI_LOG_INFO, "the shared memory of %s cannot be reached", rank_name(r, peer.card).c_str());
        }
        offers[static_cast<std::size_t>(r)] = mapped && (self || shares(channel.options));
    }
}

/// How many ranks share this host, and how many cores they have together.
void count_local(const Library &library, const std::vector<Card> &cards) {
    int ranks = 0, cores = 0;
    Card together{};
    for (const Card &card : cards) {
        if (!same_host(card, library.card))
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

void log_routes(const Library &library, const Channel &channel) {
    for (int r = 0; logs(PIXMPI_LOG_INFO) && r < channel.size; ++r) {
        const Card &card = channel.peers[static_cast<std::size_t>(r)]->card;
        const pixMPI_Route route = channel.routes[static_cast<std::size_t>(r)];
        const char *why = route != PIXMPI_ROUTE_MPI        ? ""
                          : !same_host(card, library.card) ? ", another host"
                          : !shares(channel.options)       ? ", shm is not among this rank's routes"
                                                           : ", one of the two cannot use shared memory";
        log_line(PIXMPI_LOG_INFO, "to %s: %s%s", rank_name(r, card).c_str(), pixMPI_Route_name(route), why);
    }
}

/// Cards of all, then who can map whom. Returns an error on all ranks when one has one.
Status meet(Library &library, Channel &channel, bool ready) {
    Card mine = library.card;
    mine.version = ready ? card_version : 0;
    const auto n = static_cast<std::size_t>(channel.size);
    std::vector<Card> cards(n);
    MPI_Request request;
    MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, cards.data(), sizeof mine, MPI_BYTE, channel.envelopes, &request);
    wait_for(request);
    for (std::size_t r = 0; r < n; ++r)
        if (cards[r].version != card_version)
            return fail(PIXMPI_ERR_COMM, "%s could not attach, or has another version of libpixmpi",
                        rank_name(static_cast<int>(r), cards[r]).c_str());

    for (const Card &card : cards)
        channel.peers.push_back(find_peer(library, card));
    count_local(library, cards);

    std::vector<char> offers(n), answers(n);
    map_peers(library, channel, offers);
    MPI_Ialltoall(offers.data(), 1, MPI_CHAR, answers.data(), 1, MPI_CHAR, channel.envelopes, &request);
    wait_for(request);
    for (std::size_t r = 0; r < n; ++r)
        channel.routes.push_back(!offers[r] || !answers[r]     ? PIXMPI_ROUTE_MPI
                                 : channel.peers[r]->is_self() ? PIXMPI_ROUTE_SELF
                                                               : PIXMPI_ROUTE_SHM);
    log_routes(library, channel);
    return PIXMPI_SUCCESS;
}

int end_library(MPI_Comm, int, void *value, void *) {
    auto *library = static_cast<Library *>(value);
    const Lock lock(library->lock);
    finish_all(*library);
    return MPI_SUCCESS;
}

/// MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else.
void call_at_finalize(Library &library) {
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_library, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &library);
}

/// What the process needs before its first message.
Status open_library(Library &library, const Options &options) {
    if (library.open)
        return PIXMPI_SUCCESS;
    library.card = make_card();
    if (const Status error = library.stage.open(options.stage_bytes, library.card.id))
        return error;
    library.descriptors.open(library.card.id);
    library.card.stage_descriptor = library.stage.descriptor();
    library.card.stage_bytes = library.stage.map().bytes;
    library.options = options;
    library.open = true;
    call_at_finalize(library);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    set_rank_in_texts(rank);
    const mpi::GpuAware answer = mpi::ask_gpu_aware(options.gpu_aware);
    library.gpu_aware = answer.yes;
    log_line(PIXMPI_LOG_INFO, "MPI %s pointers to a GPU's memory (%s)", answer.yes ? "takes" : "takes no", answer.why);
    return PIXMPI_SUCCESS;
}

Status check_comm(MPI_Comm comm) {
    if (!mpi::running())
        return fail(PIXMPI_ERR_MPI, "MPI is not running: MPI_Init comes first, and nothing after MPI_Finalize");
    if (comm == MPI_COMM_NULL)
        return fail(PIXMPI_ERR_COMM, "comm: MPI_COMM_NULL, expected a communicator");
    return PIXMPI_SUCCESS;
}

ChannelAttribute *attribute(MPI_Comm comm) {
    void *value = nullptr;
    int found = 0;
    MPI_Comm_get_attr(comm, channel_key(), &value, &found);
    return found ? static_cast<ChannelAttribute *>(value) : nullptr;
}

} // namespace

Status find_channel(MPI_Comm comm, std::shared_ptr<Channel> &channel) {
    if (const Status error = check_comm(comm))
        return error;
    ChannelAttribute *found = attribute(comm);
    if (!found)
        return fail(PIXMPI_ERR_COMM, "comm: not attached; all its ranks have to call pixMPI_Comm_attach once");
    channel = *found;
    return PIXMPI_SUCCESS;
}

Status attach(MPI_Comm comm, const pixMPI_Options *given) {
    if (const Status error = check_comm(comm))
        return error;
    if (attribute(comm))
        return PIXMPI_SUCCESS;
    Library &library = pixmpi::library();
    auto channel = std::make_shared<Channel>();
    // A rank that cannot still has to meet the others, or they would wait for it.
    Status error = read_options(given, channel->options);
    if (!error)
        error = open_library(library, channel->options);
    const Error own = last_error(error);

    int inter = 0;
    MPI_Comm_test_inter(comm, &inter);
    channel->envelopes = duplicate(comm, inter != 0);
    channel->bands = duplicate(comm, inter != 0);
    (inter ? MPI_Comm_remote_size : MPI_Comm_size)(comm, &channel->size);
    void *most_tag = nullptr;
    int found = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most_tag, &found);
    channel->most_tag = found ? *static_cast<int *>(most_tag) : 32767;

    const Status others = meet(library, *channel, !error);
    if (error || others) {
        MPI_Comm_free(&channel->envelopes);
        MPI_Comm_free(&channel->bands);
        return error ? repeat(own) : others;
    }
    MPI_Comm_set_attr(comm, channel_key(), new ChannelAttribute(channel));
    return PIXMPI_SUCCESS;
}

Status detach(MPI_Comm comm) {
    if (const Status error = check_comm(comm))
        return error;
    if (!attribute(comm))
        return fail(PIXMPI_ERR_COMM, "comm: not attached");
    MPI_Comm_delete_attr(comm, channel_key());
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
