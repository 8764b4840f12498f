// One rank's part of the mode `pixels`: a block of a large picture with a border for its neighbours' pixels, and the
// ways to do a step: fill the block, send its edges to the neighbours, receive theirs.
#pragma once

#include "baseline/naive.h"
#include "measure/turns.h"

#include <memory>
#include <vector>

struct BlockCase {
    std::string name;
    int width = 0, height = 0; ///< of a block without its border
    pixMPI_Format format = PIXMPI_RGBA8;
    int work = 0; ///< steps of arithmetic for each pixel
};

class Block {
  public:
    /// Collective over the team: its ranks get blocks side by side in as square a grid as there is.
    Block(const BlockCase &what, const std::string &kind, const Team &team);
    ~Block();
    Block(const Block &) = delete;
    Block &operator=(const Block &) = delete;

    /// Each way runs that many steps in a row.
    int steps() const { return steps_; }
    /// By persistent requests of the library, right behind the fill.
    Way library();
    /// By hand: one readback of all edges (vk: one submission), MPI_Isend, MPI_Irecv, one upload. See naive.cpp.
    Way naive();
    /// MPI messages of as many bytes from host memory to host memory.
    Way host_mpi();
    /// Nothing is exchanged.
    Way alone();

    /// Ends the run unless the way brings the neighbours' edges.
    void verify(Way &way);
    /// What all ranks send in a step.
    double exchanged_bytes() const;
    /// To one of rank 0's neighbours.
    pixMPI_Route route() const;

  private:
    struct Edge {
        int neighbour;
        pixMPI_Rect out, in; ///< in this object
        pixMPI_Rect theirs;  ///< the neighbour's `out`
    };
    void find_edges();
    void make_requests();
    Way way(const std::string &name, std::function<void()> exchange);
    void fill();
    void await_fill();
    void start_messages(std::byte *out, std::byte *in);
    std::uint32_t seed_of(int rank) const;
    std::vector<std::byte> expected(const Edge &edge) const;
    std::string difference(const Edge &edge);

    const BlockCase what_;
    const Team &team_;
    std::unique_ptr<Object> object_;
    std::unique_ptr<Fill> fill_;
    std::unique_ptr<Naive> naive_;
    std::vector<Edge> edges_;
    std::vector<pixMPI_Rect> outs_, ins_;
    std::size_t edge_bytes_ = 0; ///< of all edges, one way
    std::vector<pixMPI_Region> regions_;
    std::vector<pixMPI_Request> requests_;
    std::vector<MPI_Request> mpi_requests_;
    HostMemory host_;
    std::byte *out_ = nullptr, *in_ = nullptr; ///< the naive way's
    std::uint32_t frame_ = 0;
    int steps_ = 1;
};
