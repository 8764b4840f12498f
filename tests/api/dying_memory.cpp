#include "dying.h"

#include <pixmpi.h>
#include <vector>

namespace {

class Memory final : public dying::Ends {
  public:
    int send(int dest) override { return pixMPI_Send(surface(out_), PIXMPI_WHOLE, dest, 1, MPI_COMM_WORLD); }
    int recv(int source) override {
        return pixMPI_Recv(surface(in_), PIXMPI_WHOLE, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    int replace(int dest, int source) override {
        return pixMPI_Sendrecv_replace(surface(out_), PIXMPI_WHOLE, dest, 1, source, 1, MPI_COMM_WORLD,
                                       MPI_STATUS_IGNORE);
    }

  private:
    static pixMPI_Surface surface(std::vector<unsigned char> &memory) {
        return pixMPI_Memory(memory.data(), PIXMPI_R8, dying::width, dying::height);
    }
    std::vector<unsigned char> out_ = std::vector<unsigned char>(std::size_t{dying::width} * dying::height), in_ = out_;
};

} // namespace

std::unique_ptr<dying::Ends> dying::make_ends(int) { return std::make_unique<Memory>(); }
