// Where bands arrive that lie in the host's memory, when a device had better not unpack them from there: slots of its
// GPU's memory, to which they hop.
#pragma once

#include "memory/flow.h"
#include "memory/peer_memory.h"
#include "route/hop.h"

#include <optional>

namespace pixmpi {

class Landing {
  public:
    /// The slots of a message's lane.
    struct Slots {
        std::size_t slot_bytes;
        std::uint32_t slots;
        Bands bands;
        int pixel_bytes;
    };
    Landing(std::shared_ptr<PeerMemory> memory, Slots slots) : memory_(std::move(memory)), slots_(slots) {}
    /// Takes memory for what comes from the address `from`; false in `yes` when there is none now.
    Status open(CudaStream &stream, std::uint64_t from, std::unique_ptr<Stage> &stage, bool &yes);
    /// Starts copies of what has been packed, and tells the sender which of its slots are free.
    Status advance(Flow &flow, bool &moved);
    /// Bands that have come, since the beginning.
    std::uint64_t landed() const { return landed_; }
    /// All bands have; the flow may serve another message already.
    bool all() const { return landed_ == slots_.bands.count(); }
    void free(std::uint64_t k) { freed_ = k + 1; }

  private:
    const std::shared_ptr<PeerMemory> memory_;
    const Slots slots_;
    PeerMemory::Lane own_;
    std::optional<Hop> hop_;
    std::uint64_t landed_ = 0, freed_ = 0; ///< bands
};

} // namespace pixmpi
