// Bands that a GPU's copy engine moves, one after another, from the slots of one lane to those of another: from a GPU's
// memory to another's, or between a GPU's memory and the host's. The engine works beside what the GPU computes.
#pragma once

#include "memory/cuda.h"
#include "memory/lane.h"

#include <vector>

namespace pixmpi {

class Hop {
  public:
    /// `from`, `to`: the lanes' addresses.
    Hop(CudaStream &stream, std::uint64_t from, std::uint64_t to, const Layout &layout);
    /// What still flies comes down before the memory may be another message's.
    ~Hop();
    Hop(const Hop &) = delete;
    Hop &operator=(const Hop &) = delete;

    /// The next band, of `bytes`. At most as many at a time as lie in different places.
    Status start(std::size_t bytes);
    /// How many bands have been started, and how many are over.
    std::uint64_t started() const { return started_; }
    Status progress(std::uint64_t &over);

  private:
    CudaStream &stream_;
    const std::uint64_t from_, to_;
    const Layout layout_;
    std::uint64_t started_ = 0, over_ = 0;
    std::vector<std::uint64_t> copies_; ///< their numbers, by turns
};

} // namespace pixmpi
