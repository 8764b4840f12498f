// How a rank moves its share of the bodies, and how the new positions come to all ranks.
#pragma once

#include "vk_world.h"

#include <cstdint>
#include <memory>

/// A rank's bodies: those of `ranks` shares that it moves.
struct Share {
    Share(int bodies, int rank, int ranks)
        : first(static_cast<int>(std::int64_t{bodies} * rank / ranks)),
          count(static_cast<int>(std::int64_t{bodies} * (rank + 1) / ranks) - first) {}
    int first, count;
};

/// What a rank has. All ranks of the communicator have one, and at least one body each.
struct Cluster {
    Cluster(const demo::Gpu &on, int all, MPI_Comm of);

    const demo::Gpu &gpu;
    const MPI_Comm comm;
    const int rank, ranks, bodies;
    const Share share;
    demo::Buffer positions[2]; ///< of all bodies; the one with the number `now` is right
    demo::Buffer velocities;   ///< of the share
    int now = 0;
};

class Mover {
  public:
    virtual ~Mover() = default;
    /// Each takes `time`.
    virtual void move(int steps, float time) = 0;
    double computing = 0; ///< seconds of all steps, without the messages between them
};

/// A dispatch for each step, and behind it an Allgather in place.
std::unique_ptr<Mover> make_host_mover(Cluster &cluster);
/// One run of a shader for all steps. Its workgroups put positions into the other ranks. `groups`: their number; 0: as
/// suits the device.
std::unique_ptr<Mover> make_device_mover(Cluster &cluster, int groups);
