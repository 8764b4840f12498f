// MPI as the core uses it: calls that do not block, with errors as Status. Called with the library's lock held.
#pragma once

#include "base/status.h"

#include <cstddef>

namespace pixmpi::mpi {

/// What a completed receive, or a probed message, says of itself.
struct Arrival {
    int source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG;
    std::size_t bytes = 0;
    bool cancelled = false;
};

/// PIXMPI_SUCCESS for MPI_SUCCESS, else an error that names the call.
Status check(int code, const char *call);

/// No more bytes than an int counts. `matched`: the request is complete no sooner than a receive has matched.
Status send(MPI_Comm comm, const void *data, std::size_t bytes, int dest, int tag, MPI_Request &request,
            bool matched = false);
Status recv(MPI_Comm comm, void *data, std::size_t bytes, int source, int tag, MPI_Request &request);
/// A null request is over.
Status test(MPI_Request &request, bool &over, Arrival *arrival = nullptr);
Status cancel(MPI_Request &request);
/// Whether a message has come, and which one.
Status look(MPI_Comm comm, int source, int tag, bool &found, Arrival &arrival);
/// Receives the one that look() has found; `data` has room for it. It may still be on its way.
Status receive(MPI_Comm comm, const Arrival &arrival, void *data, MPI_Request &request);

/// For users; MPI_STATUS_IGNORE is welcome, and null.
void fill(MPI_Status *status, const Arrival &arrival);
void fill_error(MPI_Status *status, Status error);
/// MPI's error code with the same meaning, so that MPI_Error_string explains it; made at first use.
int mpi_code(Status error);
/// The way back, without the lock; PIXMPI_ERR_END: the code is not one of those.
Status status_of(int mpi_code);
/// Ends the job.
[[noreturn]] void abort(int code);
/// What an operation with MPI_PROC_NULL, or none at all, leaves in a status.
Arrival nobody();
Arrival nothing();
/// Bytes of a status; false when it has no count.
bool bytes_of(const MPI_Status &status, MPI_Count &bytes);

/// MPI_Init was called and MPI_Finalize was not.
bool running();

} // namespace pixmpi::mpi
