// The region in host memory as MPI's own type, made and committed once.
#pragma once

#include "object/host_memory.h"
#include "object/shapes.h"

#include <cstddef>
#include <mpi.h>
#include <vector>

class HostType {
  public:
    /// `rects`: what of the object this end moves.
    HostType(const RegionCase &what, const std::vector<pixMPI_Rect> &rects, int pixel_bytes);
    ~HostType() { MPI_Type_free(&type_); }
    HostType(const HostType &) = delete;
    HostType &operator=(const HostType &) = delete;

    void send(MPI_Comm comm) { MPI_Send(image_.data(), 1, type_, 1, tag, comm); }
    void receive(MPI_Comm comm) { MPI_Recv(image_.data(), 1, type_, 0, tag, comm, MPI_STATUS_IGNORE); }

  private:
    static constexpr int tag = 6;
    HostMemory image_;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};
