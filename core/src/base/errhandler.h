// What is done about an error that a public call is about to return (pixmpi_errors.h has the order of precedence).
#pragma once

#include "base/status.h"

namespace pixmpi {

/// A handler, with the communicator that it is notified of. Without a function: the next one in order of precedence.
struct ErrorHandler {
    pixMPI_Errhandler function = nullptr;
    void *data = nullptr;
    MPI_Comm comm = MPI_COMM_NULL;
    pixMPI_Errhandler by_option = nullptr; ///< where the process has none either
};

/// What PIXMPI_ERRORS, options.errors and the predefined handlers have in common.
enum class OnError { unsaid, print, abort, returned };
/// What the program has set for the process; any thread.
void set_process_handler(const ErrorHandler &handler);
ErrorHandler process_handler();

/// Null where nothing is said.
pixMPI_Errhandler handler_of(OnError on_error);

extern "C" {
/// From now on, errors of this public call are about this communicator. Exported, since handles of glmpi and vkmpi also
/// keep what they were made for.
PIXMPI_API void pixMPI_Internal_concerns(const ErrorHandler &handler);
/// What errors of this public call are about so far.
PIXMPI_API const ErrorHandler *pixMPI_Internal_concerned();
}
/// A public call begins.
void forget_concern();

} // namespace pixmpi
