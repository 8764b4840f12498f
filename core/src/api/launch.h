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
/// Waits for a request without a handle, and returns its error. PIXMPI_ERR_CONTEXT when it cannot go on: it stays
/// active.
Status finish(Runtime &runtime, Lock &lock, Request &request);
/// What calls need that take no communicator: MPI runs, and the library is open.
Status need_library(Runtime &runtime);

} // namespace pixmpi
