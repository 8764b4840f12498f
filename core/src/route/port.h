// A route gets bands from one rank's stage to another's. The pipeline sees a port of it: one end of one message.
#pragma once

#include "device/device.h"

namespace pixmpi {

/// Where a band lies: packed pixels from `offset` on.
struct Slot {
    Stage *stage = nullptr; ///< null: there is nothing to copy, the other end has read the pixels where they are
    std::size_t offset = 0;
    std::size_t bytes = 0; ///< to be unpacked, where lengths vary: the band's; else 0: the bytes of its pixels
};

/// How fast the bands of a message came.
struct Arrivals {
    std::uint64_t bytes = 0; ///< of all bands but the first
    double seconds = 0;      ///< from the first band's arrival to the last's
};

/// The same interface serves both ends: the sender's device copies into slots that are free, the receiver's out of
/// slots with a band that has arrived. Passing a band on sends it, or frees its slot.
class Port {
  public:
    virtual ~Port() = default;
    /// Moves along what needs it: asks for memory, looks after MPI's requests. Sets `moved` when something changed.
    virtual Status advance(bool &moved) = 0;
    /// How many more pixels, in packed order, are there when band `k` is, if there are so many left. Known when the
    /// band is ready().
    virtual std::uint64_t band_pixels(std::uint64_t k) const = 0;
    /// Whether band `k` may be copied now, and where it lies, or will lie if that is known. Asked for bands in order.
    virtual Status ready(std::uint64_t k, Slot &slot, bool &yes) = 0;
    /// Has the transfer copy band `k`, which are the packed pixels [first, first + count) for most ports.
    virtual Status copy(Transfer &transfer, std::uint64_t /*k*/, std::uint64_t first, std::uint64_t count,
                        const Slot &slot, Ticket &ticket) const {
        return transfer.copy(first, count, *slot.stage, slot.offset, ticket);
    }
    /// The copy of band `k`, of `bytes`, is over. In order. Where lengths vary, the sender's `bytes` are what travels.
    virtual Status pass(std::uint64_t k, std::size_t bytes) = 0;
    /// All bands have been passed: whether this rank is done with them and the port may be destroyed.
    virtual Status over(bool &yes) = 0;
    /// Whether what has been passed needs nothing more of this rank but memory: the message is complete then, and the
    /// port is kept until over().
    virtual bool may_outlive_device() const { return false; }
    /// Of a sender: whether the receives have been found.
    virtual bool matched() const { return true; }
    /// Whether MPI still has something of it, which has to come back before MPI ends.
    virtual bool in_mpi() const { return false; }
    /// Whether MPI has sent all that went over the communicator, which is freed no sooner.
    virtual bool has_sent(MPI_Comm) { return true; }
    /// Whether over() asks MPI.
    virtual bool asks_mpi() const { return false; }
    /// Nothing more will be copied here: frees what belongs to the device, where the rest can do without. So senders
    /// are kept, and receivers with requests in MPI's hands.
    virtual void release_device() {}
    /// Whether the bands pass through a GPU's memory.
    virtual bool by_peer() const { return false; }
    /// Of a receiver, where it is known.
    virtual Arrivals arrivals() const { return {}; }
    /// Tells the other end that nothing more will be sent, or is wanted.
    virtual void give_up() = 0;
    /// Of a sender: whether the other end has done so. A receiver's advance() or ready() fails then.
    virtual bool other_gave_up() const { return false; }
    /// Whether a receiver that wants no more must receive what still comes, and throw it away, before it gives up.
    virtual bool must_drain() const { return false; }

  private:
    friend class PortQueue;
    std::unique_ptr<Port> next_;
};

/// Ports one after another. Passing one on takes no memory.
class PortQueue {
  public:
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    template <class Is> bool any(Is is) const {
        Port *port = first_.get();
        while (port && !is(*port))
            port = port->next_.get();
        return port != nullptr;
    }
    void push(std::unique_ptr<Port> port) {
        Port *const last = port.get();
        (first_ ? last_->next_ : first_) = std::move(port);
        last_ = last;
        ++size_;
    }
    std::unique_ptr<Port> pop() {
        std::unique_ptr<Port> port = std::move(first_);
        first_ = std::move(port->next_);
        --size_;
        return port;
    }

  private:
    std::unique_ptr<Port> first_;
    Port *last_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace pixmpi
