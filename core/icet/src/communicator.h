// Communicators: a duplicate of MPI's that pixmpi is attached to, and that contexts share.
#pragma once

#include "icet_pixmpi_mpi.h"

#include <memory>

namespace icet {

struct Communicator {
    explicit Communicator(MPI_Comm original);
    ~Communicator();
    Communicator(const Communicator &) = delete;
    Communicator &operator=(const Communicator &) = delete;

    MPI_Comm comm = MPI_COMM_NULL; ///< the first member, as where IceT's `data` points
    int rank = 0, size = 0;
};

/// A communicator of icetCreateMPICommunicator. Throws Failure for null, and for a program's own.
std::shared_ptr<Communicator> shared_of(IceTCommunicator comm);

} // namespace icet
