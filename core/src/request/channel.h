// Attached communicators: their private duplicates, and which route joins this rank to each other one.
#pragma once

#include "base/options.h"
#include "codec/ledger.h"
#include "process/peer.h"
#include "request/matcher.h"
#include "route/route_mpi_slots.h"

#include <atomic>
#include <map>
#include <memory>
#include <vector>

namespace pixmpi {

struct Runtime;
class Lock;
class ScheduleMatcher;

/// A start of a schedule that has failed on a rank.
struct Notice {
    std::uint64_t number = 0, start = 0;
    int rank = -1;
};

/// A schedule's number, from the time when it is made until it is freed.
struct NumberInUse {
    std::uint64_t number = 0;
    bool refuses = false; ///< others may send what this rank has no steps for
};

/// What the receiver of a message tells about it: how fast its bands came. On the bands' communicator.
struct LinkReport {
    std::uint64_t bytes = 0;
    double seconds = 0;
};

/// What is known of the way to one rank; only of ranks that messages with PIXMPI_CODEC_AUTO have gone to.
struct Link {
    CodecLedger ledger;
    MPI_Request expected = MPI_REQUEST_NULL; ///< report
    LinkReport report;
    bool of_streams = false;      ///< the report is about a message that was coded
    BandNumbers::Reserved number; ///< of that message, for as long as it is expected
    Watch receiver;               ///< may end before it reports
};

/// The report that is expected: whether it is there, or none is expected.
bool receive_report(Link &link);

/// What an attached communicator carries, as an attribute. Messages under way keep it alive.
struct Channel : std::enable_shared_from_this<Channel> {
    Channel();
    ~Channel();
    MPI_Comm envelopes = MPI_COMM_NULL;          ///< users' tags
    MPI_Comm schedule_envelopes = MPI_COMM_NULL; ///< tags: labels of a schedule's messages, and notice_tag
    MPI_Comm bands = MPI_COMM_NULL;              ///< tags of each message's own
    int rank = 0;                                ///< this process' own, in its group
    bool inter = false;                          ///< an intercommunicator
    int size = 0; ///< ranks that can be named: of the remote group, for an intercommunicator
    int most_tag = 0;
    std::atomic<bool> closed{false}; ///< the communicator is gone: MPI says so, in any thread
    Options options;
    ErrorHandler errors;                                 ///< what calls on the communicator do about errors
    std::map<int, Link> links;                           ///< by rank
    pixMPI_Codec codec{};                                ///< of what this rank sends, where nothing else is said
    std::vector<std::shared_ptr<Peer>> peers;            ///< by rank
    std::vector<pixMPI_Route> routes;                    ///< by rank
    std::vector<int> leader_of;                          ///< by rank: the lowest rank of its host
    std::vector<int> leaders;                            ///< one for each host, in the order of ranks
    std::vector<int> neighbours;                         ///< the ranks of this process' host, itself included
    std::map<int, std::shared_ptr<BandNumbers>> numbers; ///< on the mpi route, by process
    std::uint64_t next_schedule = 0;                     ///< the same on all ranks
    std::vector<NumberInUse> schedules_in_use;
    /// How many partitioned messages have been made, by the other end's rank and the tag.
    std::map<std::pair<int, int>, std::uint32_t> partitioned_sends, partitioned_receives;
    std::vector<Notice> notices; ///< of schedules that are in use, or to come
    int uses = 0; ///< by what is under way (ChannelUse)
    std::unique_ptr<Matcher> program;           ///< of the program's messages
    std::unique_ptr<ScheduleMatcher> schedules; ///< of those of schedules
};

using ChannelAttribute = std::shared_ptr<Channel>;

/// As long as it is under way, what has this needs the duplicates, also when the communicator is gone. Calls nothing of
/// MPI's.
class ChannelUse {
  public:
    ChannelUse() = default;
    ~ChannelUse() { end(); }
    ChannelUse(const ChannelUse &) = delete;
    ChannelUse &operator=(const ChannelUse &) = delete;
    void begin(const std::shared_ptr<Channel> &channel);
    void end();

  private:
    std::shared_ptr<Channel> channel_;
};

/// MPI_Init was called and MPI_Finalize was not.
Status check_running();
Status check_comm(MPI_Comm comm);
bool is_attached(MPI_Comm comm);
/// From now on the communicator carries the channel.
Status carry(MPI_Comm comm, std::unique_ptr<ChannelAttribute> channel);
/// The ranks' duplicates of a communicator that are not wanted any more.
void free_duplicates(Channel &channel);
/// The same, of channels whose communicators are gone, where nothing needs them any more.
void free_dropped();

/// Of an attached communicator; errors name what is wrong with it.
Status find_channel(MPI_Comm comm, std::shared_ptr<Channel> &channel);

/// A neighbour in a communicator's topology, or MPI_PROC_NULL. Of the edges between two ranks each has a label of its
/// own, the same at both ends, also where both are one rank.
struct Edge {
    int rank, label;
};
struct Topology {
    std::vector<Edge> sources, destinations;
};
/// PIXMPI_ERR_COMM where it has none.
Status find_topology(MPI_Comm comm, Topology &topology);

/// PIXMPI_ERR_COMM when its communicator is gone.
Status check_open(const Channel &channel);

/// What is kept of another process, as long as a communicator is shared with it.
std::shared_ptr<Peer> find_peer(Runtime &runtime, const Card &card);
/// What the process needs before its first message.
Status open_library(Runtime &runtime, const Options &options);
/// Others get their turn meanwhile.
Status attach(Runtime &runtime, Lock &lock, MPI_Comm comm, const pixMPI_Options *options);
Status detach(MPI_Comm comm);

} // namespace pixmpi
