#include "dying/dying.h"

#include <pixmpi.h>
#include <vector>

namespace {

class Memory final : public dying::Ends {
  public:
    int send(int dest) override { return pixMPI_Send(surface(out_), PIXMPI_WHOLE, dest, 1, comm); }
    int recv(int source) override {
        return pixMPI_Recv(surface(in_[0]), PIXMPI_WHOLE, source, 1, comm, MPI_STATUS_IGNORE);
    }
    int replace(int dest, int source) override {
        return pixMPI_Sendrecv_replace(surface(out_), PIXMPI_WHOLE, dest, 1, source, 1, comm, MPI_STATUS_IGNORE);
    }
    int start_send(int dest, pixMPI_Request &request) override {
        return pixMPI_Isend(surface(out_), PIXMPI_WHOLE, dest, 1, comm, &request);
    }
    int start_recv(int source, int turn, pixMPI_Request &request) override {
        return pixMPI_Irecv(surface(in_[turn]), PIXMPI_WHOLE, source, 1, comm, &request);
    }

  private:
    static pixMPI_Surface surface(std::vector<unsigned char> &memory) {
        return pixMPI_Memory(memory.data(), PIXMPI_R8, dying::width, dying::height);
    }
    std::vector<unsigned char> out_ = std::vector<unsigned char>(std::size_t{dying::width} * dying::height);
    std::vector<unsigned char> in_[2] = {out_, out_};
};

} // namespace

std::unique_ptr<dying::Ends> dying::make_ends(int) { return std::make_unique<Memory>(); }
