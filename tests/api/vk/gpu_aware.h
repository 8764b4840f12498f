// The mpi route on an MPI that takes pointers to a GPU's memory, or says that it does not: what it is handed. For runs
// with PIXMPI_ROUTE=mpi and GPUs of test_gpus.h.
#pragma once

#include "vk/gpu_mpi.h"
#include "vk/vk_peer.h"

namespace api {

/// What MPI is handed from here on.
class Handed {
  public:
    Handed() : before_(gpu_mpi::seen()) {}
    /// That these bytes of pixels were sent from a GPU's memory and received into it, if MPI takes that, else from and
    /// into the host's; and no others.
    void check(std::uint64_t sent, std::uint64_t received) const { check(gpu_mpi::takes_gpu_memory(), sent, received); }
    void check(bool gpu, std::uint64_t sent, std::uint64_t received) const {
        const gpu_mpi::Seen now = seen();
        CHECK_EQ(gpu ? now.gpu_sent : now.host_sent, sent);
        CHECK_EQ(gpu ? now.gpu_received : now.host_received, received);
        CHECK_EQ(gpu ? now.host_sent : now.gpu_sent, 0u);
        CHECK_EQ(gpu ? now.host_received : now.gpu_received, 0u);
    }
    gpu_mpi::Seen seen() const {
        const gpu_mpi::Seen now = gpu_mpi::seen();
        return {now.gpu_sent - before_.gpu_sent, now.gpu_received - before_.gpu_received,
                now.host_sent - before_.host_sent, now.host_received - before_.host_received};
    }

  private:
    const gpu_mpi::Seen before_;
};

} // namespace api
