// How the two ends of a message exchange the memories of their GPUs, once for each pair of devices: by words in the
// message's flow, and by a descriptor that one end sends to the other end's socket.
#pragma once

#include "gpu/peer_memory.h"

namespace pixmpi {

/// The sender's part. Begun when the receive has been found, in the thread of the device.
class Introduction {
  public:
    /// `memory`: of the sender's device.
    Introduction(Process &process, PeerMemory &memory, Flow &flow, const std::shared_ptr<Peer> &peer)
        : process_(process), memory_(memory), flow_(flow), peer_(peer) {}
    enum class Result {
        later,     ///< the answer is not there yet
        strangers, ///< neither reaches the other's memory
        same_gpu,  ///< the receiver has imported the sender's memory
        other_gpu  ///< the sender has mapped the receiver's memory, remote()
    };
    /// Sets `moved` when it has said something.
    Result go_on(bool &moved) {
        if (result_ == Result::later)
            result_ = asked_ ? hear() : begin(moved);
        return result_;
    }
    const std::shared_ptr<RemoteMemory> &remote() const { return remote_; }

  private:
    Result begin(bool &moved);
    Result ask(Flow::Opened what, bool &moved);
    Result hear();

    Process &process_;
    PeerMemory &memory_;
    Flow &flow_;
    const std::shared_ptr<Peer> peer_;
    Result result_ = Result::later;
    bool begun_ = false, asked_ = false;
    bool same_ = false;               ///< both are on one GPU
    std::uint32_t device_number_ = 0; ///< of the receiver's PeerMemory
    std::shared_ptr<RemoteMemory> remote_;
};

/// The receiver's part: says in the flow, before `matched`, which GPU its surface is on.
void introduce(const Process &process, const PeerMemory &memory, Flow &flow);
/// The receiver's part: answers what the sender asks. `memory`: of the receiver's device, or null. `to_reach`: the
/// sender offers its memory, else it wants the receiver's.
void answer(Process &process, PeerMemory *memory, Flow &flow, const std::shared_ptr<Peer> &peer, bool to_reach,
            bool &moved);

} // namespace pixmpi
