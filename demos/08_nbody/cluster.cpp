#include "galaxies.h"
#include "movers.h"

#include <pixmpi.h>

namespace {

int rank_in(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}
int size_of(MPI_Comm comm) {
    int size = 1;
    MPI_Comm_size(comm, &size);
    return size;
}

} // namespace

Cluster::Cluster(const demo::Gpu &on, int all, MPI_Comm of)
    : gpu(on), comm(of), rank(rank_in(of)), ranks(size_of(of)), bodies(all),
      share(all, rank, ranks), positions{{on, sizeof(Vec4) * all}, {on, sizeof(Vec4) * all}},
      velocities(on, sizeof(Vec4) * share.count) {}
