// One case of the modes about whole objects: its objects on this rank, and the ways to move them.
#pragma once

#include "baseline/by_hand.h"
#include "baseline/limits.h"
#include "baseline/naive.h"
#include "baseline/nccl.h"
#include "baseline/plain_copy.h"
#include "baseline/shared_ring.h"
#include "measure/turns.h"
#include "modes.h"

enum class Shape {
    one_way,   ///< rank 0 to rank 1, until rank 1 has it; within one rank when the team is one
    ping_pong, ///< to rank 1 and back, halved
    ring,      ///< every rank to the next at once; of two ranks: both ways at once
    frames     ///< one way, a persistent request, something drawn before each message
};

struct MessageCase {
    std::string name;
    int width = 0, height = 0;
    pixMPI_Format format = PIXMPI_RGBA8;
    Shape shape = Shape::one_way;
};

class Message {
  public:
    /// `peer`: see Settings.
    Message(const MessageCase &what, const std::string &kind, const Team &team, const std::string &peer = "");
    ~Message();
    Message(const Message &) = delete;
    Message &operator=(const Message &) = delete;

    /// By this project's library, on a communicator of the team's ranks.
    Way library(MPI_Comm comm);
    Way naive();
    /// The first or the last third of it alone, while the other rank does nothing.
    Way naive_part(bool readback);
    /// MPI_Send of as many bytes from host memory to host memory.
    Way host_mpi();
    /// See limits.h; shared_ring.h with memory of the processes' own; and with their objects (by_hand.h).
    Way limit();
    Way shared_memory() { return through(ring_.get(), "shared memory"); }
    Way by_hand() { return through(hand_ring_.get(), "by hand"); }
    bool goes_by_hand() const { return hand_ring_ && hand_ring_->possible(); }
    /// Between GPUs, see plain_copy.h; does nothing where there are none.
    Way gpu_copy();
    /// By NCCL, if it was asked for.
    Way nccl();

    /// Ends the run unless the way puts the sender's pixels into the receiver's object. The route that it took.
    pixMPI_Route verify(Way &way);
    /// How the library's messages go: between two GPUs a receive is over when its pixels are there. All of two ranks' take
    /// one route.
    void learn(pixMPI_Route route) { waits_for_gpu_ = team_.ranks == 2 && route == PIXMPI_ROUTE_PEER; }
    /// What was measured, with the row's figures.
    struct Ways {
        Way library, naive, host_mpi, limit, shared_memory, by_hand, gpu_copy, nccl;
        std::vector<Way *> all() {
            return {&library, &naive, &host_mpi, &limit, &shared_memory, &by_hand, &gpu_copy, &nccl};
        }
    };
    Ways ways();
    Figures figures(const Ways &ways, pixMPI_Route route, const Budget &budget) const;

  private:
    bool sends() const { return what_.shape == Shape::ring || team_.rank == 0; }
    bool receives() const { return what_.shape == Shape::ring || team_.rank == team_.ranks - 1; }
    int next() const { return (team_.rank + 1) % team_.ranks; }
    int previous() const { return (team_.rank + team_.ranks - 1) % team_.ranks; }
    /// The way's run: what a rank does that sends, that receives, that does both at once.
    /// `arrived`: when these return, nothing of the API's is under way any more; it may become known after the first
    /// run.
    Way way(const std::string &name, std::function<void()> out, std::function<void()> in, std::function<void()> both,
            const bool &arrived = never);
    static constexpr bool never = false, always = true;
    void all_finished(bool arrived);
    std::string difference_from(int from);
    Way through(SharedRing *ring, const char *name);

    const MessageCase what_;
    const Team &team_;
    std::unique_ptr<Object> source_, dest_;
    std::unique_ptr<Naive> from_, to_;
    std::unique_ptr<Limits> limits_;
    HostMemory host_out_, host_in_;
    std::unique_ptr<MemoryCargo> memory_;
    std::unique_ptr<ByHand> by_hand_; ///< null: the objects cannot be reached so
    std::unique_ptr<SharedRing> ring_, hand_ring_;
    std::unique_ptr<PlainCopy> plain_copy_;
    std::unique_ptr<Nccl> nccl_;
    std::vector<pixMPI_Request> persistent_;
    std::vector<MPI_Request> persistent_host_;
    int frame_ = 0;
    bool waits_for_gpu_ = false; ///< the library's receives, as between two GPUs
};

/// Measures a case with all ways. Collective over the team; the figures are rank 0's.
Figures measure_message(const MessageCase &what, const Settings &settings, const Team &team, double seconds);

/// By which route the messages of all ranks of `comm` have gone since `before`: the one of most bytes. Collective.
pixMPI_Route route_since(const pixMPI_Stats &before, MPI_Comm comm = MPI_COMM_SELF);
/// The library's stage memory, the most of any rank. Collective.
void add_stage(Figures &figures, MPI_Comm comm);
/// The value of the team's last rank, on every rank.
double last_rank_has(double value, const Team &team);
