// How file descriptors get from process to process: a datagram socket of each, named by its Card::id. Messages lie
// there until somebody looks, so nobody has to serve requests.
#pragma once

#include <cstdint>
#include <vector>

namespace pixmpi {

/// What a descriptor is of.
struct DescriptorLabel {
    std::uint64_t owner = 0; ///< Card::id
    std::uint64_t bytes = 0;
    std::uint64_t gpu = 0;    ///< Gpu::hash()
    std::uint32_t memory = 0; ///< the owner's number for it
    std::uint32_t device = 0; ///< whose it shall be: the receiver's number for it
    std::uint32_t cuda = 0;   ///< 1: CUDA's memory, else the graphics driver's
    std::uint32_t reserved = 0;
    bool operator==(const DescriptorLabel &) const = default;
};

class Descriptors {
  public:
    Descriptors() = default;
    Descriptors(const Descriptors &) = delete;
    Descriptors &operator=(const Descriptors &) = delete;
    ~Descriptors();
    /// Makes the socket; without one nothing arrives.
    void open(std::uint64_t id);

    enum class Sent { yes, later, never };
    /// `descriptor` stays the caller's. `later`: the other one has not looked for a while.
    Sent send(std::uint64_t to, const DescriptorLabel &label, int descriptor);
    /// Takes what has arrived out of the socket. Who waits for a sender has to do so now and then: the socket holds
    /// some ten datagrams, strangers' among them, and while it is full the sender cannot send.
    void look();
    /// The same in one call of many, for who calls it as often as it asks whether the sender has begun.
    void look_at_times();
    /// What `owner` sent last of its `memory` for `device`: a descriptor that is the caller's now, or -1.
    int take(std::uint64_t owner, std::uint32_t memory, std::uint32_t device, DescriptorLabel &label);

  private:
    struct Arrived {
        DescriptorLabel label;
        int descriptor;
    };

    int socket_ = -1;
    std::uint32_t asked_ = 0;
    std::vector<Arrived> arrived_;
};

} // namespace pixmpi
