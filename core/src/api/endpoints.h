// Messages from shaders, as the libraries of graphics APIs reach them: Core::endpoints().
#pragma once

#include "api/core.h"
#include "endpoint/backend.h"

namespace pixmpi {

/// An interface, as Core is. Called with the lock held.
class EndpointCore {
  public:
    /// Collective. `failed`: an error that this rank has found before; all fail then.
    virtual Status make_endpoint(MPI_Comm comm, EndpointParts &parts, Status failed, pixMPI_Endpoint *endpoint) = 0;
    /// A window in memory that the CPU reads and writes as it does its own; `owner` lives as long as a message on it.
    virtual std::unique_ptr<Window> memory_window(std::byte *memory, std::uint64_t bytes,
                                                  std::shared_ptr<const void> owner) = 0;
    /// For windows, which GPUs of other processes reach then; null where there is no such memory.
    virtual std::shared_ptr<CardMemory> card_memory(const Gpu &gpu, std::size_t bytes) = 0;
    /// The memory of an endpoint, as it was made.
    virtual Status endpoint_memory(pixMPI_Endpoint endpoint, std::shared_ptr<EndpointMemory> &memory) = 0;
    /// A run of so many workgroups: blocking where `request` is null.
    virtual Status run(pixMPI_Endpoint endpoint, std::unique_ptr<Kernel> kernel, int groups, Life life,
                       pixMPI_Request *request) = 0;

  protected:
    ~EndpointCore() = default;
};

/// From the moment when the library is loaded.
void set_endpoints(EndpointCore &endpoints);

/// For what is only built together with it.
inline EndpointCore &endpoint_core() { return *core().endpoints(); }

} // namespace pixmpi
