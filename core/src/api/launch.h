// From a checked request to the end of the call: blocking, with a handle, or persistent.
#pragma once

#include "api/core.h"
#include "request/request.h"

namespace pixmpi {

/// Blocking: no request.
struct Form {
    Life life = Life::once;
    bool blocking = true;
    pixMPI_Request *request = nullptr;
};
inline Form blocking() { return {}; }
inline Form nonblocking(pixMPI_Request *request) { return {Life::once, false, request}; }
inline Form persistent(pixMPI_Request *request) { return {Life::persistent, false, request}; }

Status check_form(const Form &form);
/// Makes a handle where the form has one, and starts what is not persistent. On an error there is no handle.
Status launch(Runtime &runtime, const Form &form, const std::shared_ptr<Request> &request);
/// Waits for a request without a handle, fills `status` in, and returns its error. PIXMPI_ERR_CONTEXT when it cannot go
/// on: it stays active.
Status finish(Runtime &runtime, Lock &lock, Request &request, MPI_Status *status = nullptr);
/// launch(), and in the blocking form finish(): `status` is filled in.
Status run(const Form &form, const std::shared_ptr<Request> &request, MPI_Status *status = nullptr);
/// What calls need that take no communicator: MPI runs, and the library is open.
Status need_library(Runtime &runtime);

} // namespace pixmpi

// A verb in its forms: its names, the function that all of them call with name and form, the verb's parameters, and the
// further arguments of that function. PARAMETERS and ARGUMENTS stand in parentheses.
#define PIXMPI_LIST(...) __VA_ARGS__
#define PIXMPI_BLOCKING_VERB(NAME, FUNCTION, PARAMETERS, ARGUMENTS)                                                    \
    int pixMPI_##NAME(PIXMPI_LIST PARAMETERS) {                                                                        \
        return FUNCTION("pixMPI_" #NAME, pixmpi::blocking(), PIXMPI_LIST ARGUMENTS);                                   \
    }
#define PIXMPI_NONBLOCKING_VERB(NAME, FUNCTION, PARAMETERS, ARGUMENTS)                                                 \
    int pixMPI_##NAME(PIXMPI_LIST PARAMETERS, pixMPI_Request *request) {                                               \
        return FUNCTION("pixMPI_" #NAME, pixmpi::nonblocking(request), PIXMPI_LIST ARGUMENTS);                         \
    }
#define PIXMPI_PERSISTENT_VERB(NAME, FUNCTION, PARAMETERS, ARGUMENTS)                                                  \
    int pixMPI_##NAME(PIXMPI_LIST PARAMETERS, pixMPI_Request *request) {                                               \
        return FUNCTION("pixMPI_" #NAME, pixmpi::persistent(request), PIXMPI_LIST ARGUMENTS);                          \
    }
#define PIXMPI_VERB(NAME, I_NAME, FUNCTION, PARAMETERS, ARGUMENTS)                                                     \
    PIXMPI_BLOCKING_VERB(NAME, FUNCTION, PARAMETERS, ARGUMENTS)                                                        \
    PIXMPI_NONBLOCKING_VERB(I_NAME, FUNCTION, PARAMETERS, ARGUMENTS)                                                   \
    PIXMPI_PERSISTENT_VERB(NAME##_init, FUNCTION, PARAMETERS, ARGUMENTS)
