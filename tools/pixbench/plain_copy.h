// The copy of one GPU's memory to another's, or within one, as a program with CUDA at hand would make it: memory that
// one process has allocated and another has opened (cuIpcOpenMemHandle), and one cuMemcpyDtoDAsync of all bytes. No
// message between two GPUs can be faster; one on a single GPU reads and writes memory once more than this. CUDA is
// loaded when there is some, and nothing of the library's own is used.
#pragma once

#include "job.h"

#include <cstddef>
#include <memory>

class PlainCopy {
  public:
    /// Collective. From each rank's GPU to the next one's, `bytes`; possible() says whether all could.
    PlainCopy(std::size_t bytes, const Team &team);
    ~PlainCopy();
    PlainCopy(const PlainCopy &) = delete;
    PlainCopy &operator=(const PlainCopy &) = delete;
    bool possible() const { return possible_; }
    /// Of the previous rank's memory to this rank's; returns when it is over.
    void run();

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
    bool possible_ = false;
};
