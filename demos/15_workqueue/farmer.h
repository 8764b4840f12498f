// Rank 0's part: hands out strips to workers that ask, and receives them into the picture. Workers are ranks of a
// communicator: processes, or workgroups of their shaders.
#pragma once

#include "vk.h"

#include <list>
#include <pixmpi.h>
#include <vector>

enum Tag { question = 1, answer, first_strip };
constexpr std::uint32_t nothing_left = 0xffffffff;

class Farmer {
  public:
    /// `workers`: how many there are; each stops asking when nothing is left.
    Farmer(MPI_Comm comm, int workers, const demo::Image &picture, int rows);
    ~Farmer();
    Farmer(const Farmer &) = delete;

    /// Does what can be done now; whether something has happened.
    bool step();
    bool complete() const { return workers_ == 0 && going_on_.empty(); }
    /// Who has drawn each strip, by their ranks in the communicator.
    const std::vector<int> &drawn_by() const { return drawn_by_; }

  private:
    struct GoingOn {
        std::uint32_t word;
        pixMPI_Request request;
    };
    void listen();
    void tell(int whom, std::uint32_t word);
    void receive(int strip, int source);

    const MPI_Comm comm_;
    const demo::Image &picture_;
    const int rows_, strips_;
    int workers_;
    std::uint32_t asked_ = 0;
    pixMPI_Request question_ = PIXMPI_REQUEST_NULL;
    std::list<GoingOn> going_on_; ///< answers and strips
    std::vector<int> drawn_by_;
};
