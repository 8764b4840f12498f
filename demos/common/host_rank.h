// Which of its host's ranks this one is: for GPUs that are dealt out.
#pragma once

#include <mpi.h>

namespace demo {

/// Counted from 0. Collective over MPI_COMM_WORLD.
inline int rank_within_host() {
    MPI_Comm host = MPI_COMM_NULL;
    int rank = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &rank);
    MPI_Comm_free(&host);
    return rank;
}

} // namespace demo
