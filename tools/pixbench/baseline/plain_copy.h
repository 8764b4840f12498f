// The copy of one GPU's memory to another's, or within one, as a program with CUDA at hand would make it: memory that
// one process has allocated and another has opened (cuIpcOpenMemHandle), and one cuMemcpyDtoDAsync of all bytes; of
// several ranks' memory at once, a stream for each. No
// message between two GPUs can be faster; one on a single GPU reads and writes memory once more than this. CUDA is
// loaded if it is there, and nothing of the library is used.
#pragma once

#include "measure/job.h"

#include <cstddef>
#include <memory>

class PlainCopy {
  public:
    /// Collective. To each rank's GPU, `bytes` of each of the `sources` ranks before it, 1 or up to all others;
    /// possible() says whether all could.
    PlainCopy(std::size_t bytes, const Team &team, int sources = 1);
    /// Collective.
    ~PlainCopy();
    PlainCopy(const PlainCopy &) = delete;
    PlainCopy &operator=(const PlainCopy &) = delete;
    bool possible() const { return possible_; }
    /// Of the other ranks' memory to this rank's; returns when all of it is over.
    void run();

  private:
    struct Parts;
    const Team &team_;
    std::unique_ptr<Parts> parts_;
    bool possible_ = false;
};

/// The same between two GPUs of one process, or within one (cuMemcpyPeerAsync).
class PlainPeerCopy {
  public:
    PlainPeerCopy(std::size_t bytes, const GpuUuid &from, const GpuUuid &to);
    ~PlainPeerCopy();
    PlainPeerCopy(const PlainPeerCopy &) = delete;
    PlainPeerCopy &operator=(const PlainPeerCopy &) = delete;
    bool possible() const { return possible_; }
    /// Whether they reach each other's memory; else the driver copies through the host's.
    bool reaches() const { return reaches_; }
    /// Returns when it is over.
    void run();

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
    bool possible_ = false, reaches_ = false;
};
