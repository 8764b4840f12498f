// Colours by depth over all ranks, by hand: both planes are read back into one piece of memory, MPI_Reduce combines
// such pieces by an operation of the program, and the root uploads both.
#pragma once

#include "baseline/naive.h"

class NearestByHand {
  public:
    /// A piece has so many colours of 4 bytes, and behind them as many depths (DEPTH32F).
    explicit NearestByHand(std::size_t pixels);
    ~NearestByHand();
    NearestByHand(const NearestByHand &) = delete;
    NearestByHand &operator=(const NearestByHand &) = delete;

    void read_back(Naive &colors, Naive &depths);
    void reduce(MPI_Comm comm);
    void upload(Naive &colors, Naive &depths);

  private:
    const std::size_t pixels_;
    HostMemory mine_, result_;
    MPI_Datatype piece_ = MPI_DATATYPE_NULL;
    MPI_Op nearest_ = MPI_OP_NULL;
};
