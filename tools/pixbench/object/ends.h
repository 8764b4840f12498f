// An object as an end of the library's messages.
#pragma once

#include "pixmpi.h"

/// See job.h.
void check(int code);

class End {
  public:
    explicit End(const pixMPI_Surface &surface_) : surface(surface_) {}
    const pixMPI_Surface surface;

    void send(pixMPI_Region region, int dest, MPI_Comm comm) const {
        check(pixMPI_Send(surface, region, dest, tag, comm));
    }
    void receive(pixMPI_Region region, int source, MPI_Comm comm) const {
        check(pixMPI_Recv(surface, region, source, tag, comm, MPI_STATUS_IGNORE));
    }
    /// Sends of this end, receives into the other one.
    void exchange(const End &in, pixMPI_Region region, int dest, int source, MPI_Comm comm) const {
        check(pixMPI_Sendrecv(surface, region, dest, tag, in.surface, region, source, tag, comm, MPI_STATUS_IGNORE));
    }
    pixMPI_Request send_init(pixMPI_Region region, int dest, MPI_Comm comm) const {
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        check(pixMPI_Send_init(surface, region, dest, tag, comm, &request));
        return request;
    }
    pixMPI_Request receive_init(pixMPI_Region region, int source, MPI_Comm comm) const {
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        check(pixMPI_Recv_init(surface, region, source, tag, comm, &request));
        return request;
    }

  private:
    static constexpr int tag = 7;
};
