// What a message cannot beat on this machine. Its pixels leave one object and enter another: both processes do their
// part at once, as in a pipeline, in pieces that stay in the cache, and a small message says so; the slower of the two
// is one limit. Where the processor moves the pixels they go from process to process through memory that both see:
// what memcpy takes for that is another (shared_ring.h). A message can be no faster than the slower of both.
#pragma once

#include "measure/job.h"
#include "measure/turns.h"
#include "object/api.h"

#include <vector>

class Limits {
  public:
    /// For messages of the first `bytes` of both objects, which are as large.
    Limits(Object &source, Object &dest, std::size_t bytes, const Team &team);
    Limits(const Limits &) = delete;
    Limits &operator=(const Limits &) = delete;

    /// The sizes of pieces and kinds of memory that may be tried; one of them is used. See choose_fastest().
    std::size_t choices() const { return choices_.size(); }
    void use(std::size_t choice) { choice_ = choice; }

    /// All bytes out of the source, into the destination, `images` times; the API's commands included.
    void read();
    void write(int images = 1);
    /// Makes a limit of the way that does this, with the choice that is fastest for it. Collective.
    void choose_for(Way &way);
    /// How long each took on this rank since.
    const std::vector<double> &read_seconds() const { return read_seconds_; }
    const std::vector<double> &write_seconds() const { return write_seconds_; }
    double band_bytes() const;

  private:
    struct Choice {
        std::size_t bytes;
        bool own; ///< not host memory but memory of the API
    };
    template <class Piece> void for_each_piece(Piece piece) const;

    Object &source_, &dest_;
    const Team &team_;
    std::vector<double> read_seconds_, write_seconds_;
    std::vector<Choice> choices_;
    std::size_t choice_ = 0;
    HostMemory band_;
    int rows_; ///< of the object that make `bytes`
};
