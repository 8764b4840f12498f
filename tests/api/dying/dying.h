// What the ranks of a dying job exchange: in memory, or in Vulkan. Messages of 30 MB with the tag 1.
#pragma once

#include <memory>
#include <pixmpi.h>

namespace dying {

constexpr int width = 3000, height = 10'000;

class Ends {
  public:
    virtual ~Ends() = default;
    virtual int send(int dest) = 0;
    virtual int recv(int source) = 0;
    virtual int replace(int dest, int source) = 0;
    /// Of the kinds of message above; `turn`, 0 or 1: two at once have separate memory.
    virtual int start_send(int dest, pixMPI_Request &request) = 0;
    virtual int start_recv(int source, int turn, pixMPI_Request &request) = 0;
    MPI_Comm comm = MPI_COMM_WORLD;
};
/// All ranks take part in each call, whatever the numbers: no messages between two.
class Together : public Ends {
    int send(int) final { return PIXMPI_ERR_ARGUMENT; }
    int recv(int) final { return PIXMPI_ERR_ARGUMENT; }
    int start_send(int, pixMPI_Request &) final { return PIXMPI_ERR_ARGUMENT; }
    int start_recv(int, int, pixMPI_Request &) final { return PIXMPI_ERR_ARGUMENT; }
};
/// Null where there is no such device.
std::unique_ptr<Ends> make_ends(int rank);

} // namespace dying
