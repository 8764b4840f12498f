// Endpoints by their handles.
#pragma once

#include "endpoint/backend.h"
#include "request/request.h"

namespace pixmpi {

Status make_endpoint(MPI_Comm comm, EndpointParts &parts, Status failed, pixMPI_Endpoint *endpoint);
Status find_endpoint_memory(pixMPI_Endpoint handle, std::shared_ptr<EndpointMemory> &memory);
/// Called with the lock held.
Status make_run(pixMPI_Endpoint handle, std::unique_ptr<Kernel> kernel, int groups, std::shared_ptr<Request> &run);

} // namespace pixmpi
