// Persistent requests that start and complete together.
#pragma once

#include "gl.h"

#include <glmpi.h>
#include <vector>

namespace demo {

class Requests {
  public:
    Requests() = default;
    ~Requests() {
        for (pixMPI_Request &request : requests_)
            pixMPI_Request_free(&request);
    }
    Requests(const Requests &) = delete;
    Requests &operator=(const Requests &) = delete;

    /// The region may be freed afterwards; the texture has to stay.
    void send(const Texture &from, pixMPI_Region region, int dest, int tag) {
        glMPI_Send_init(glMPI_Texture2D(from.name()), region, dest, tag, MPI_COMM_WORLD, &requests_.emplace_back());
    }
    void receive(const Texture &to, pixMPI_Region region, int source, int tag) {
        glMPI_Recv_init(glMPI_Texture2D(to.name()), region, source, tag, MPI_COMM_WORLD, &requests_.emplace_back());
    }
    /// All messages once.
    void run() {
        pixMPI_Startall(static_cast<int>(requests_.size()), requests_.data());
        pixMPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    }

  private:
    std::vector<pixMPI_Request> requests_;
};

} // namespace demo
