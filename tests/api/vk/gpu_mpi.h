// A stand-in for an MPI that takes pointers to a GPU's memory: the real MPI of the tests, with a layer in between that
// watches what it is handed. It works together with the stand-in for CUDA, which has memory that MPI can read and
// write.
//
// He ends the program, with a text, when MPI is handed
// - a GPU's memory although it did not say that it takes some (PIXMPI_TEST_MPI_GPU: gpu, cuda or none, which of the two
//   functions says yes) and the user did not insist (PIXMPI_GPU_AWARE),
// - memory that network cards may not reach, or without its GPU's context being current,
// - memory that it has in hand already, or that changes before it gives it back.
// Memory that is to be received is overwritten at once, so that an early read finds something else.
#pragma once

#include <cstdint>

namespace gpu_mpi {

/// Bytes that MPI was handed so far, by MPI_Isend and MPI_Irecv. Envelopes without pixels do not count.
struct Seen {
    std::uint64_t gpu_sent = 0, gpu_received = 0, host_sent = 0, host_received = 0;
};
Seen seen();

/// Whether MPI says that it takes a GPU's memory, or the environment says so for it.
bool takes_gpu_memory();

} // namespace gpu_mpi
