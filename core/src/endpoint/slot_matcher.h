// A communicator of an endpoint: its ranks are the slots of all endpoints, rank after rank of MPI's communicator, and
// behind them the processes themselves. Its envelopes name their source and destination, since MPI knows processes
// only. Processes of one host write packets into each other's rings (packet_ring.h) instead of MPI, and those between
// slots of one process go nowhere.
#pragma once

#include "endpoint/packet_ring.h"
#include "endpoint/pull.h"
#include "request/channel_exchange.h"

namespace pixmpi {

/// Instead of Message::own: what the library tells itself in other processes, which `rank` names.
constexpr int service_rank = -1000;

/// The rings between this process and another one; none where the two share no memory.
struct Neighbour {
    PacketWriter *out = nullptr;
    PacketReader in;
    std::shared_ptr<Peer> mapping; ///< `in` is in it
};

struct SlotSpace {
    int processes = 0;
    int own = 0;                       ///< this process' rank
    int first = 0, count = 0;          ///< ranks of this process' slots
    std::vector<int> process;          ///< by rank: the process that has it
    std::vector<Neighbour> neighbours; ///< by process
    bool all_by_rings = false;         ///< MPI brings nothing
    std::list<PacketRings> rings;      ///< one; a list, so that passing it on asks for no memory
    int slots() const { return static_cast<int>(process.size()) - processes; }
    bool is_slot(int rank) const { return rank >= 0 && rank < slots(); }
};

/// What an endpoint attaches to its channel.
class SlotMatcher final : public Matcher, public Carrier {
  public:
    SlotMatcher(Channel &channel, SlotSpace space);
    ~SlotMatcher() override;

    SlotSpace space;
    std::unique_ptr<Pulls> pulls; ///< messages between windows that GPUs reach, or null

    Status collect(Runtime &runtime) override;
    Status look(Runtime &runtime, int own, int source, int tag, const Packet *&found) override;
    int own() const override { return space.own; }
    bool is_plain() const override { return false; }
    int process_of(int rank) const override { return space.process[static_cast<std::size_t>(rank)]; }
    void address(const Message &message, Envelope &envelope) const override;
    bool carry(int rank, int tag, Packets &packet) override;
    std::size_t held(int rank) const override;
    Status send(Runtime &runtime, Send &message, bool &accepted) override;
    Status accept(const Receive &receive, const Envelope &envelope, std::unique_ptr<Port> &port) override;

    bool flush() override;
    bool holds() const override;
    bool has_packets() const override;
    bool needs_mpi() const override { return !space.all_by_rings; }

  protected:
    bool read(Packet &packet) override;
    Status check() const override;

  private:
    Neighbour &neighbour(int rank) { return space.neighbours[static_cast<std::size_t>(process_of(rank))]; }
    Status empty_ring(int process);
    Status collect_from_mpi();
    bool is_shown(const Send &message) const;

    Packets arriving_; ///< matched by MPI, in its order, and perhaps still on their way
    Packets here_;     ///< from slots of this process
};

/// Of an endpoint's channel.
inline SlotMatcher &slots_of(const Channel &channel) { return static_cast<SlotMatcher &>(*channel.program); }
inline const SlotSpace &space_of(const Channel &channel) { return slots_of(channel).space; }

/// Collective: makes a duplicate of `comm` with `slots` ranks of this process', and another one, `plain`, for what the
/// library does among the processes. `announced`: words of this process for all; `all`: those of all, by process.
/// A rank that has failed gives a negative number of slots, and then all fail.
Status open_slots(Runtime &runtime, Lock &lock, MPI_Comm comm, int slots, const Words &announced, MPI_Comm &space,
                  MPI_Comm &plain, std::vector<Words> &all);
/// From now on a thread does what others ask of an endpoint of this channel while the program calls nothing: for
/// processes of this host, for others only where MPI accepts calls of several threads.
void serve_beside_program(Runtime &runtime, const Channel &channel);

} // namespace pixmpi
