// Each collective's call in any of its forms: which sides matter on this rank, and what is written when they are right.
#pragma once

#include "api/launch.h"
#include "pixmpi_collectives.h"

namespace pixmpi::calls {

int barrier(const char *name, const Form &form, MPI_Comm comm);
int bcast(const char *name, const Form &form, const pixMPI_Surface &surface, pixMPI_Region region, int root,
          MPI_Comm comm);
int gather(const char *name, const Form &form, const pixMPI_Surface &sendsurface, pixMPI_Region sendregion,
           const pixMPI_Surface &recvsurface, const pixMPI_Region recvregions[], int root, MPI_Comm comm);
int scatter(const char *name, const Form &form, const pixMPI_Surface &sendsurface, const pixMPI_Region sendregions[],
            const pixMPI_Surface &recvsurface, pixMPI_Region recvregion, int root, MPI_Comm comm);
int allgather(const char *name, const Form &form, const pixMPI_Surface &sendsurface, pixMPI_Region sendregion,
              const pixMPI_Surface &recvsurface, const pixMPI_Region recvregions[], MPI_Comm comm);
int alltoall(const char *name, const Form &form, const pixMPI_Surface &sendsurface, const pixMPI_Region sendregions[],
             const pixMPI_Surface &recvsurface, const pixMPI_Region recvregions[], MPI_Comm comm);
int reduce(const char *name, const Form &form, const pixMPI_Surface &sendsurface, pixMPI_Region sendregion,
           const pixMPI_Surface &recvsurface, pixMPI_Region recvregion, pixMPI_Op op, int root, MPI_Comm comm);
int allreduce(const char *name, const Form &form, const pixMPI_Surface &sendsurface, pixMPI_Region sendregion,
              const pixMPI_Surface &recvsurface, pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm);
int reduce_scatter(const char *name, const Form &form, const pixMPI_Surface &sendsurface,
                   const pixMPI_Region sendregions[], const pixMPI_Surface &recvsurface, pixMPI_Region recvregion,
                   pixMPI_Op op, MPI_Comm comm);
int scan(const char *name, const Form &form, const pixMPI_Surface &sendsurface, pixMPI_Region sendregion,
         const pixMPI_Surface &recvsurface, pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm);
int neighbor_allgather(const char *name, const Form &form, const pixMPI_Surface &sendsurface,
                       pixMPI_Region sendregion, const pixMPI_Surface &recvsurface, const pixMPI_Region recvregions[],
                       MPI_Comm comm);
int neighbor_alltoall(const char *name, const Form &form, const pixMPI_Surface &sendsurface,
                      const pixMPI_Region sendregions[], const pixMPI_Surface &recvsurface,
                      const pixMPI_Region recvregions[], MPI_Comm comm);
int exscan(const char *name, const Form &form, const pixMPI_Surface &sendsurface, pixMPI_Region sendregion,
           const pixMPI_Surface &recvsurface, pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm);

} // namespace pixmpi::calls
