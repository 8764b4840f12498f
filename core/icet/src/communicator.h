// Communicators: a duplicate of MPI's that pixmpi is attached to, and that contexts share.
#pragma once

#include "icet_pixmpi.h"

#include <memory>

namespace icet {

struct Communicator {
    explicit Communicator(MPI_Comm original);
    ~Communicator();
    Communicator(const Communicator &) = delete;
    Communicator &operator=(const Communicator &) = delete;

    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0, size = 0;
};

} // namespace icet

struct IceTCommunicatorStruct {
    std::shared_ptr<icet::Communicator> shared;
};
