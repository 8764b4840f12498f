// Where bands from another GPU arrive: slots of our GPU's memory, into which the sender's slots are copied, so that the
// device can unpack them.
#pragma once

#include "flow.h"
#include "peer_memory.h"

namespace pixmpi {

class Landing {
  public:
    /// The sender's `slots`, `slot_bytes` each, `lane` bytes into its memory; bands of `band_bytes`, `bytes` in all.
    Landing(std::shared_ptr<PeerMemory> memory, RemoteMemory &from, std::uint64_t lane, std::size_t slot_bytes,
            std::uint32_t slots, std::uint64_t band_bytes, std::uint64_t bytes);
    ~Landing();
    /// How large a slot may be that can be copied here; 0: none.
    static std::size_t room(const PeerMemory &memory, std::size_t peer_bytes);

    /// Takes memory; false in `yes` when there is none now.
    Status open(std::unique_ptr<Stage> &stage, bool &yes);
    /// Starts copies of what has been packed, and tells the sender which of its slots are free.
    Status advance(Flow &flow, bool &moved);
    /// Bands that have come, since the beginning.
    std::uint64_t landed() const { return landed_; }
    std::size_t slot(std::uint64_t k) const { return k % slots_ * slot_bytes_; }
    void free(std::uint64_t k) { freed_ = k + 1; }

  private:
    const std::shared_ptr<PeerMemory> memory_;
    RemoteMemory &from_;
    const std::uint64_t lane_;
    const std::size_t slot_bytes_;
    const std::uint32_t slots_;
    const std::uint64_t band_bytes_, bytes_;
    PeerMemory::Lane own_;
    std::uint64_t started_ = 0, landed_ = 0, freed_ = 0; ///< bands
    std::vector<std::uint64_t> copies_;                  ///< their numbers, by slot
};

} // namespace pixmpi
