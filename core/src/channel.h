// Attached communicators: their private duplicates, and which route joins this rank to each other one.
#pragma once

#include "options.h"
#include "process.h"
#include "route_mpi_calls.h"

#include <deque>
#include <memory>
#include <vector>

namespace pixmpi {

/// What an attached communicator carries, as an attribute. Messages under way keep it alive.
struct Channel {
    MPI_Comm envelopes = MPI_COMM_NULL; ///< users' tags
    MPI_Comm bands = MPI_COMM_NULL;     ///< tags of our own
    int size = 0; ///< ranks that can be named: of the remote group, for an intercommunicator
    int most_tag = 0;
    bool closed = false; ///< the communicator is gone
    Options options;
    std::vector<std::shared_ptr<Peer>> peers; ///< by rank
    std::vector<pixMPI_Route> routes;         ///< by rank
    std::uint32_t next_number = 0;            ///< for messages on the mpi route

    /// Envelopes that a probe took out of MPI's matching, in the order of their arrival: receives look here first.
    struct Waiting {
        mpi::Arrival arrival;
        std::vector<std::byte> bytes;
    };
    std::deque<Waiting> waiting;
};

/// Of an attached communicator; errors name what is wrong with it.
Status find_channel(MPI_Comm comm, std::shared_ptr<Channel> &channel);

Status attach(MPI_Comm comm, const pixMPI_Options *options);
Status detach(MPI_Comm comm);

} // namespace pixmpi
