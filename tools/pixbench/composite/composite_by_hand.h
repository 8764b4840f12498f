// Compositing by hand, as a good programmer writes it without knowing what is empty: both planes are read back,
// binary swap merges them on the processor, rank 0 gathers the parts and uploads the picture. (Ma, Painter, Hansen and
// Krogh 1994)
#pragma once

#include "baseline/naive.h"

/// How two pixels become one.
enum class Merge {
    nearest,     ///< RGBA8, by DEPTH32F
    over_bytes,  ///< RGBA8, multiplied by alpha, of lower ranks over higher ones
    over_floats, ///< RGBA32F likewise
};

class CompositeByHand {
  public:
    CompositeByHand(Merge merge, std::size_t pixels, const Team &team);

    /// Of all ranks' pictures in host memory one in rank 0's `result`. `depths`: of nearest alone.
    void compose(const std::byte *colors, const std::byte *depths, std::byte *result);
    /// Bytes that this rank has sent for the last picture.
    double sent() const { return sent_; }

  private:
    /// Pixels [begin, end) of planes, and where the whole planes lie.
    struct Part {
        const std::byte *colors, *depths;
        std::size_t begin, end;
        std::size_t pixels() const { return end - begin; }
    };
    int rank_of(int index) const { return index < too_many_ ? 2 * index : index + too_many_; }
    /// What a swapping rank has after the rounds before `distance`, and what it keeps in that round.
    Part part_before(int index, int distance) const;
    Part kept(Part part, int index, int distance) const;

    void send(const Part &part, int rank, bool depth_too);
    void receive(const Part &part, int rank);
    void wait();
    Part merged_with_incoming(const Part &mine, bool incoming_in_front);
    void fold();
    void swap();
    void gather(std::byte *result);

    const Merge merge_;
    const std::size_t pixels_, pixel_bytes_;
    const Team &team_;
    const int swapping_, too_many_; ///< ranks: a power of two, and those that hand theirs to a neighbour first
    HostMemory merged_, merged_depths_, incoming_, incoming_depths_;
    std::byte *out_ = nullptr; ///< where merged colours go: merged_, on rank 0 the result
    Part now_{};
    std::vector<MPI_Request> requests_;
    double sent_ = 0;
};
