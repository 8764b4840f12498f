// What dies is a rank in the middle of collectives, which follow one another.
#include "dying/dying.h"

#include <pixmpi_collectives.h>
#include <vector>

namespace {

class Collectives final : public dying::Together {
  public:
    Collectives() {
        int size = 1;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        const int rows = dying::height / size;
        for (int r = 0; r < size; ++r) {
            pixMPI_Region part = PIXMPI_REGION_NULL;
            pixMPI_Region_rect(0, r * rows, dying::width, rows, &part);
            pixMPI_Region_commit(&part);
            parts_.push_back(part);
        }
    }
    ~Collectives() override {
        for (pixMPI_Region &part : parts_)
            pixMPI_Region_free(&part);
    }
    int replace(int, int) override {
        const pixMPI_Surface in = pixMPI_Memory(in_.data(), PIXMPI_R8, dying::width, dying::height);
        const pixMPI_Surface out = pixMPI_Memory(out_.data(), PIXMPI_R8, dying::width, dying::height);
        const pixMPI_Surface few = pixMPI_Memory(in_.data(), PIXMPI_R8, dying::width, dying::height / 4);
        switch (turn_++ % 5) {
        case 0:
            return pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, in, PIXMPI_WHOLE, PIXMPI_MAX, comm);
        case 4: // before which ranks look for each other's GPUs
            return pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, few, PIXMPI_WHOLE, PIXMPI_MAX, comm);
        case 1:
            return pixMPI_Bcast(in, PIXMPI_WHOLE, 1, comm);
        case 2:
            return pixMPI_Alltoall(out, parts_.data(), in, parts_.data(), comm);
        default:
            return pixMPI_Barrier(comm);
        }
    }

  private:
    static constexpr std::size_t bytes = std::size_t{dying::width} * dying::height;
    std::vector<unsigned char> in_ = std::vector<unsigned char>(bytes), out_ = std::vector<unsigned char>(bytes);
    std::vector<pixMPI_Region> parts_;
    unsigned turn_ = 0;
};

} // namespace

std::unique_ptr<dying::Ends> dying::make_ends(int) { return std::make_unique<Collectives>(); }
