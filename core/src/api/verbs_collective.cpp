// The collectives' verbs, as a table: of each verb its two names, the function of collectives.h that all of its forms
// call, its parameters, and the arguments of that function.
#include "api/collectives.h"

#include "pixmpi_neighbors.h"

using namespace pixmpi::calls;
using pixmpi::blocking;
using pixmpi::nonblocking;
using pixmpi::persistent;

#define LIST(...) __VA_ARGS__
#define VERB(NAME, I_NAME, FUNCTION, PARAMETERS, ARGUMENTS)                                                            \
    int pixMPI_##NAME(LIST PARAMETERS) { return FUNCTION("pixMPI_" #NAME, blocking(), LIST ARGUMENTS); }               \
    int pixMPI_##I_NAME(LIST PARAMETERS, pixMPI_Request *request) {                                                    \
        return FUNCTION("pixMPI_" #I_NAME, nonblocking(request), LIST ARGUMENTS);                                      \
    }                                                                                                                  \
    int pixMPI_##NAME##_init(LIST PARAMETERS, pixMPI_Request *request) {                                               \
        return FUNCTION("pixMPI_" #NAME "_init", persistent(request), LIST ARGUMENTS);                                 \
    }

// Sides of a call: one region, or one for each rank or neighbour.
#define SEND_ONE pixMPI_Surface sendsurface, pixMPI_Region sendregion
#define SEND_MANY pixMPI_Surface sendsurface, const pixMPI_Region sendregions[]
#define RECV_ONE pixMPI_Surface recvsurface, pixMPI_Region recvregion
#define RECV_MANY pixMPI_Surface recvsurface, const pixMPI_Region recvregions[]

VERB(Barrier, Ibarrier, barrier, (MPI_Comm comm), (comm))
VERB(Bcast, Ibcast, bcast, (pixMPI_Surface surface, pixMPI_Region region, int root, MPI_Comm comm),
     (surface, region, root, comm))
VERB(Gather, Igather, gather, (SEND_ONE, RECV_MANY, int root, MPI_Comm comm),
     (sendsurface, sendregion, recvsurface, recvregions, root, comm))
VERB(Scatter, Iscatter, scatter, (SEND_MANY, RECV_ONE, int root, MPI_Comm comm),
     (sendsurface, sendregions, recvsurface, recvregion, root, comm))
VERB(Allgather, Iallgather, allgather, (SEND_ONE, RECV_MANY, MPI_Comm comm),
     (sendsurface, sendregion, recvsurface, recvregions, comm))
VERB(Alltoall, Ialltoall, alltoall, (SEND_MANY, RECV_MANY, MPI_Comm comm),
     (sendsurface, sendregions, recvsurface, recvregions, comm))

VERB(Reduce, Ireduce, reduce, (SEND_ONE, RECV_ONE, pixMPI_Op op, int root, MPI_Comm comm),
     (sendsurface, sendregion, recvsurface, recvregion, op, root, comm))
VERB(Allreduce, Iallreduce, allreduce, (SEND_ONE, RECV_ONE, pixMPI_Op op, MPI_Comm comm),
     (sendsurface, sendregion, recvsurface, recvregion, op, comm))
VERB(Reduce_scatter, Ireduce_scatter, reduce_scatter, (SEND_MANY, RECV_ONE, pixMPI_Op op, MPI_Comm comm),
     (sendsurface, sendregions, recvsurface, recvregion, op, comm))
VERB(Scan, Iscan, scan, (SEND_ONE, RECV_ONE, pixMPI_Op op, MPI_Comm comm),
     (sendsurface, sendregion, recvsurface, recvregion, op, comm))
VERB(Exscan, Iexscan, exscan, (SEND_ONE, RECV_ONE, pixMPI_Op op, MPI_Comm comm),
     (sendsurface, sendregion, recvsurface, recvregion, op, comm))

VERB(Neighbor_allgather, Ineighbor_allgather, neighbor_allgather, (SEND_ONE, RECV_MANY, MPI_Comm comm),
     (sendsurface, sendregion, recvsurface, recvregions, comm))
VERB(Neighbor_alltoall, Ineighbor_alltoall, neighbor_alltoall, (SEND_MANY, RECV_MANY, MPI_Comm comm),
     (sendsurface, sendregions, recvsurface, recvregions, comm))
