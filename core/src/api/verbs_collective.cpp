// The collectives' verbs, as a table: of each verb its two names, the function of collectives.h that all of its forms
// call, its parameters, and the arguments of that function.
#include "api/collectives.h"

#include "pixmpi_neighbors.h"

using namespace pixmpi::calls;
// Sides of a call: one region, or one for each rank or neighbour.
#define SEND_ONE pixMPI_Surface sendsurface, pixMPI_Region sendregion
#define SEND_MANY pixMPI_Surface sendsurface, const pixMPI_Region sendregions[]
#define RECV_ONE pixMPI_Surface recvsurface, pixMPI_Region recvregion
#define RECV_MANY pixMPI_Surface recvsurface, const pixMPI_Region recvregions[]

PIXMPI_VERB(Barrier, Ibarrier, barrier, (MPI_Comm comm), (comm))
PIXMPI_VERB(Bcast, Ibcast, bcast, (pixMPI_Surface surface, pixMPI_Region region, int root, MPI_Comm comm),
            (surface, region, root, comm))
PIXMPI_VERB(Gather, Igather, gather, (SEND_ONE, RECV_MANY, int root, MPI_Comm comm),
            (sendsurface, sendregion, recvsurface, recvregions, root, comm))
PIXMPI_VERB(Scatter, Iscatter, scatter, (SEND_MANY, RECV_ONE, int root, MPI_Comm comm),
            (sendsurface, sendregions, recvsurface, recvregion, root, comm))
PIXMPI_VERB(Allgather, Iallgather, allgather, (SEND_ONE, RECV_MANY, MPI_Comm comm),
            (sendsurface, sendregion, recvsurface, recvregions, comm))
PIXMPI_VERB(Alltoall, Ialltoall, alltoall, (SEND_MANY, RECV_MANY, MPI_Comm comm),
            (sendsurface, sendregions, recvsurface, recvregions, comm))

PIXMPI_VERB(Reduce, Ireduce, reduce, (SEND_ONE, RECV_ONE, pixMPI_Op op, int root, MPI_Comm comm),
            (sendsurface, sendregion, recvsurface, recvregion, op, root, comm))
PIXMPI_VERB(Allreduce, Iallreduce, allreduce, (SEND_ONE, RECV_ONE, pixMPI_Op op, MPI_Comm comm),
            (sendsurface, sendregion, recvsurface, recvregion, op, comm))
PIXMPI_VERB(Reduce_scatter, Ireduce_scatter, reduce_scatter, (SEND_MANY, RECV_ONE, pixMPI_Op op, MPI_Comm comm),
            (sendsurface, sendregions, recvsurface, recvregion, op, comm))
PIXMPI_VERB(Scan, Iscan, scan, (SEND_ONE, RECV_ONE, pixMPI_Op op, MPI_Comm comm),
            (sendsurface, sendregion, recvsurface, recvregion, op, comm))
PIXMPI_VERB(Exscan, Iexscan, exscan, (SEND_ONE, RECV_ONE, pixMPI_Op op, MPI_Comm comm),
            (sendsurface, sendregion, recvsurface, recvregion, op, comm))

PIXMPI_VERB(Neighbor_allgather, Ineighbor_allgather, neighbor_allgather, (SEND_ONE, RECV_MANY, MPI_Comm comm),
            (sendsurface, sendregion, recvsurface, recvregions, comm))
PIXMPI_VERB(Neighbor_alltoall, Ineighbor_alltoall, neighbor_alltoall, (SEND_MANY, RECV_MANY, MPI_Comm comm),
            (sendsurface, sendregions, recvsurface, recvregions, comm))
