// An object as an end of a message, for any API whose verbs are called as pixMPI's are.
#pragma once

#include "job.h"

#include <memory>

/// What an API calls its verbs.
template <class Surface> struct Verbs {
    int (*send)(Surface, pixMPI_Region, int, int, MPI_Comm);
    int (*receive)(Surface, pixMPI_Region, int, int, MPI_Comm, MPI_Status *);
    int (*exchange)(Surface, pixMPI_Region, int, int, Surface, pixMPI_Region, int, int, MPI_Comm, MPI_Status *);
    int (*send_init)(Surface, pixMPI_Region, int, int, MPI_Comm, pixMPI_Request *);
    int (*receive_init)(Surface, pixMPI_Region, int, int, MPI_Comm, pixMPI_Request *);
};

template <class Surface> class ApiEnd final : public End {
  public:
    ApiEnd(const Verbs<Surface> &verbs, const Surface &surface) : verbs_(verbs), surface_(surface) {}

    void send(pixMPI_Region region, int dest, MPI_Comm comm) const override {
        check(verbs_.send(surface_, region, dest, tag, comm));
    }
    void receive(pixMPI_Region region, int source, MPI_Comm comm) const override {
        check(verbs_.receive(surface_, region, source, tag, comm, MPI_STATUS_IGNORE));
    }
    void exchange(const End &in, pixMPI_Region region, int dest, int source, MPI_Comm comm) const override {
        check(verbs_.exchange(surface_, region, dest, tag, static_cast<const ApiEnd &>(in).surface_, region, source,
                              tag, comm, MPI_STATUS_IGNORE));
    }
    pixMPI_Request send_init(pixMPI_Region region, int dest, MPI_Comm comm) const override {
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        check(verbs_.send_init(surface_, region, dest, tag, comm, &request));
        return request;
    }
    pixMPI_Request receive_init(pixMPI_Region region, int source, MPI_Comm comm) const override {
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        check(verbs_.receive_init(surface_, region, source, tag, comm, &request));
        return request;
    }

  private:
    static constexpr int tag = 7;
    const Verbs<Surface> &verbs_; ///< a constant of the API's file
    const Surface surface_;
};

/// Pixels in host memory, of any API's message.
std::shared_ptr<const End> memory_end(std::byte *memory, pixMPI_Format format, int width, int height);
