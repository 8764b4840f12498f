// The ranks' memory is of CUDA, and receivers read it where it is: what a dead sender has shown may be read just then.
#include "dying/dying.h"

#include <cuda_rig_memory.h>
#include <cudampi.h>
#include <test_gpus.h>

#include <cstdio>

namespace {

class Pictures final : public dying::Ends {
  public:
    explicit Pictures(int rank) : gpu_(test_gpus::card_of(rank) % cuda_rig::gpu_count()) {}
    int send(int dest) override { return cudaMPI_Send(surface(out_), PIXMPI_WHOLE, dest, 1, comm); }
    int recv(int source) override {
        return cudaMPI_Recv(surface(in_[0]), PIXMPI_WHOLE, source, 1, comm, MPI_STATUS_IGNORE);
    }
    int replace(int dest, int source) override {
        return cudaMPI_Sendrecv_replace(surface(out_), PIXMPI_WHOLE, dest, 1, source, 1, comm, MPI_STATUS_IGNORE);
    }
    int start_send(int dest, pixMPI_Request &request) override {
        return cudaMPI_Isend(surface(out_), PIXMPI_WHOLE, dest, 1, comm, &request);
    }
    int start_recv(int source, int turn, pixMPI_Request &request) override {
        return cudaMPI_Irecv(surface(in_[turn]), PIXMPI_WHOLE, source, 1, comm, &request);
    }

  private:
    static constexpr std::size_t bytes = std::size_t{dying::width} * dying::height;
    static pixMPI_Surface surface(const cuda_rig::Memory &memory) {
        return cudaMPI_Memory(memory.address(), PIXMPI_R8, dying::width, dying::height);
    }
    const int gpu_;
    const cuda_rig::Memory out_{gpu_, cuda_rig::Kind::device, bytes}, in_[2] = {{gpu_, cuda_rig::Kind::device, bytes},
                                                                                {gpu_, cuda_rig::Kind::device, bytes}};
};

} // namespace

std::unique_ptr<dying::Ends> dying::make_ends(int rank) {
    std::string reason;
    if (cuda_rig::is_there(reason))
        return std::make_unique<Pictures>(rank);
    std::printf("skipped: %s\n", reason.c_str());
    return nullptr;
}
