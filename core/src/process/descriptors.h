// How file descriptors get from process to process: a datagram socket of each, named by its Card::id. Messages lie
// there until they are read, so no thread has to serve requests.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace pixmpi {

/// What a descriptor is of.
struct DescriptorLabel {
    std::uint64_t owner = 0; ///< Card::id
    std::uint64_t bytes = 0;
    std::uint64_t gpu = 0;    ///< Gpu::hash()
    std::uint32_t memory = 0; ///< the owner's number for it
    std::uint32_t device = 0; ///< the one to have it, by the receiver's number
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
    /// What a process of this host with that Card::id sends is welcome. The sockets' names are no secret, so that the
    /// system is asked who sends: what others do is dropped unseen, and the log names the first one.
    void welcome(std::uint64_t id, std::int32_t pid, std::uint32_t uid) { welcome_[id] = {pid, uid}; }
    /// Of a process that has gone, or that this one shares no communicator with any more.
    void forget(std::uint64_t id);
    std::size_t welcome_ones() const { return welcome_.size(); }

    enum class Sent { yes, later, never };
    /// `descriptor` stays the caller's. `later`: the other one has not looked for a while.
    Sent send(std::uint64_t to, const DescriptorLabel &label, int descriptor);
    /// Reads what has arrived from the socket. Who waits for a sender has to do so now and then: the socket holds
    /// some ten datagrams, strangers' among them, and while it is full the sender cannot send. At most `at_a_time`
    /// datagrams: callers hold the library's lock, and strangers may send as fast as they are read.
    void look();
    static constexpr int at_a_time = 64;
    /// The same in one call of many, for who calls it as often as it asks whether the sender has begun.
    void look_at_times();
    /// What `owner` sent last of its `memory` for `device`: a descriptor that is the caller's now, or -1.
    int claim(std::uint64_t owner, std::uint32_t memory, std::uint32_t device, DescriptorLabel &label);

  private:
    struct Arrived {
        DescriptorLabel label;
        int descriptor;
    };

    struct Identity {
        std::int32_t pid;
        std::uint32_t uid;
        bool operator==(const Identity &) const = default;
    };
    bool is_welcome(std::uint64_t id, const Identity &sender);
    bool receive_one();

    int socket_ = -1;
    bool named_a_stranger_ = false;
    std::unordered_map<std::uint64_t, Identity> welcome_;
    std::uint32_t asked_ = 0;
    std::vector<Arrived> arrived_;
};

} // namespace pixmpi
