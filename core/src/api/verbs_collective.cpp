// The collectives' verbs: three forms of each.
#include "api/collectives.h"

using namespace pixmpi::calls;
using pixmpi::blocking;
using pixmpi::nonblocking;
using pixmpi::persistent;

int pixMPI_Barrier(MPI_Comm comm) { return barrier("pixMPI_Barrier", blocking(), comm); }

int pixMPI_Ibarrier(MPI_Comm comm, pixMPI_Request *request) {
    return barrier("pixMPI_Ibarrier", nonblocking(request), comm);
}

int pixMPI_Barrier_init(MPI_Comm comm, pixMPI_Request *request) {
    return barrier("pixMPI_Barrier_init", persistent(request), comm);
}

int pixMPI_Bcast(pixMPI_Surface surface, pixMPI_Region region, int root, MPI_Comm comm) {
    return bcast("pixMPI_Bcast", blocking(), surface, region, root, comm);
}

int pixMPI_Ibcast(pixMPI_Surface surface, pixMPI_Region region, int root, MPI_Comm comm, pixMPI_Request *request) {
    return bcast("pixMPI_Ibcast", nonblocking(request), surface, region, root, comm);
}

int pixMPI_Bcast_init(pixMPI_Surface surface, pixMPI_Region region, int root, MPI_Comm comm, pixMPI_Request *request) {
    return bcast("pixMPI_Bcast_init", persistent(request), surface, region, root, comm);
}

int pixMPI_Gather(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                  const pixMPI_Region recvregions[], int root, MPI_Comm comm) {
    return gather("pixMPI_Gather", blocking(), sendsurface, sendregion, recvsurface, recvregions, root, comm);
}

int pixMPI_Igather(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                   const pixMPI_Region recvregions[], int root, MPI_Comm comm, pixMPI_Request *request) {
    return gather("pixMPI_Igather", nonblocking(request), sendsurface, sendregion, recvsurface, recvregions, root,
                  comm);
}

int pixMPI_Gather_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                       const pixMPI_Region recvregions[], int root, MPI_Comm comm, pixMPI_Request *request) {
    return gather("pixMPI_Gather_init", persistent(request), sendsurface, sendregion, recvsurface, recvregions, root,
                  comm);
}

int pixMPI_Scatter(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                   pixMPI_Region recvregion, int root, MPI_Comm comm) {
    return scatter("pixMPI_Scatter", blocking(), sendsurface, sendregions, recvsurface, recvregion, root, comm);
}

int pixMPI_Iscatter(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                    pixMPI_Region recvregion, int root, MPI_Comm comm, pixMPI_Request *request) {
    return scatter("pixMPI_Iscatter", nonblocking(request), sendsurface, sendregions, recvsurface, recvregion, root,
                   comm);
}

int pixMPI_Scatter_init(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                        pixMPI_Region recvregion, int root, MPI_Comm comm, pixMPI_Request *request) {
    return scatter("pixMPI_Scatter_init", persistent(request), sendsurface, sendregions, recvsurface, recvregion, root,
                   comm);
}

int pixMPI_Allgather(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                     const pixMPI_Region recvregions[], MPI_Comm comm) {
    return allgather("pixMPI_Allgather", blocking(), sendsurface, sendregion, recvsurface, recvregions, comm);
}

int pixMPI_Iallgather(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                      const pixMPI_Region recvregions[], MPI_Comm comm, pixMPI_Request *request) {
    return allgather("pixMPI_Iallgather", nonblocking(request), sendsurface, sendregion, recvsurface, recvregions,
                     comm);
}

int pixMPI_Allgather_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                          const pixMPI_Region recvregions[], MPI_Comm comm, pixMPI_Request *request) {
    return allgather("pixMPI_Allgather_init", persistent(request), sendsurface, sendregion, recvsurface, recvregions,
                     comm);
}

int pixMPI_Alltoall(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                    const pixMPI_Region recvregions[], MPI_Comm comm) {
    return alltoall("pixMPI_Alltoall", blocking(), sendsurface, sendregions, recvsurface, recvregions, comm);
}

int pixMPI_Ialltoall(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                     const pixMPI_Region recvregions[], MPI_Comm comm, pixMPI_Request *request) {
    return alltoall("pixMPI_Ialltoall", nonblocking(request), sendsurface, sendregions, recvsurface, recvregions, comm);
}

int pixMPI_Alltoall_init(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                         const pixMPI_Region recvregions[], MPI_Comm comm, pixMPI_Request *request) {
    return alltoall("pixMPI_Alltoall_init", persistent(request), sendsurface, sendregions, recvsurface, recvregions,
                    comm);
}

int pixMPI_Reduce(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                  pixMPI_Region recvregion, pixMPI_Op op, int root, MPI_Comm comm) {
    return reduce("pixMPI_Reduce", blocking(), sendsurface, sendregion, recvsurface, recvregion, op, root, comm);
}

int pixMPI_Ireduce(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                   pixMPI_Region recvregion, pixMPI_Op op, int root, MPI_Comm comm, pixMPI_Request *request) {
    return reduce("pixMPI_Ireduce", nonblocking(request), sendsurface, sendregion, recvsurface, recvregion, op, root,
                  comm);
}

int pixMPI_Reduce_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                       pixMPI_Region recvregion, pixMPI_Op op, int root, MPI_Comm comm, pixMPI_Request *request) {
    return reduce("pixMPI_Reduce_init", persistent(request), sendsurface, sendregion, recvsurface, recvregion, op, root,
                  comm);
}

int pixMPI_Allreduce(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                     pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm) {
    return allreduce("pixMPI_Allreduce", blocking(), sendsurface, sendregion, recvsurface, recvregion, op, comm);
}

int pixMPI_Iallreduce(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                      pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request) {
    return allreduce("pixMPI_Iallreduce", nonblocking(request), sendsurface, sendregion, recvsurface, recvregion, op,
                     comm);
}

int pixMPI_Allreduce_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                          pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request) {
    return allreduce("pixMPI_Allreduce_init", persistent(request), sendsurface, sendregion, recvsurface, recvregion, op,
                     comm);
}

int pixMPI_Reduce_scatter(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                          pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm) {
    return reduce_scatter("pixMPI_Reduce_scatter", blocking(), sendsurface, sendregions, recvsurface, recvregion, op,
                          comm);
}

int pixMPI_Ireduce_scatter(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                           pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request) {
    return reduce_scatter("pixMPI_Ireduce_scatter", nonblocking(request), sendsurface, sendregions, recvsurface,
                          recvregion, op, comm);
}

int pixMPI_Reduce_scatter_init(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[],
                               pixMPI_Surface recvsurface, pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm,
                               pixMPI_Request *request) {
    return reduce_scatter("pixMPI_Reduce_scatter_init", persistent(request), sendsurface, sendregions, recvsurface,
                          recvregion, op, comm);
}

int pixMPI_Scan(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm) {
    return scan("pixMPI_Scan", blocking(), sendsurface, sendregion, recvsurface, recvregion, op, comm);
}

int pixMPI_Iscan(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                 pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request) {
    return scan("pixMPI_Iscan", nonblocking(request), sendsurface, sendregion, recvsurface, recvregion, op, comm);
}

int pixMPI_Scan_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                     pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request) {
    return scan("pixMPI_Scan_init", persistent(request), sendsurface, sendregion, recvsurface, recvregion, op, comm);
}
