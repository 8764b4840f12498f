// Envelopes in MPI's hands, and those that have come. Their memory serves again: to allocate and to free it takes as
// long as a small envelope's way to its receive.
#pragma once

#include "request/envelope.h"
#include "request/posted.h"

#include <list>
#include <vector>

namespace pixmpi {

/// Its bytes have to stay until MPI has done with them; lists pass it on without asking for memory.
struct Packet {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<std::byte> bytes;
    mpi::Arrival arrival;
    int to = 0;               ///< see Address
    std::uint64_t number = 0; ///< the same
    Address address() const { return {to, arrival.source, arrival.tag, number}; }
};
using Packets = std::list<Packet>;

/// What serves again: a few short ones, of any length, and fewer that have room for the longest envelope. Used with the
/// library's lock held.
class PacketPool {
  public:
    static constexpr std::size_t shorter = most_envelope / 4, most_short = 16, most_long = 4;

    /// One of so many bytes, with any content. Throws std::bad_alloc.
    Packets get(std::size_t bytes) {
        Packets one, &used = bytes == most_envelope ? long_ : short_;
        if (!used.empty() && (bytes == most_envelope || bytes <= shorter))
            one.splice(one.end(), used, used.begin());
        else
            one.emplace_back();
        one.front().bytes.resize(bytes);
        return one;
    }
    /// Returns one that is not needed any more, also not by MPI, or none.
    void put(Packets &packet) {
        if (packet.empty())
            return;
        Packet &one = packet.front();
        const std::size_t bytes = one.bytes.size();
        Packets &used = bytes == most_envelope ? long_ : short_;
        if (used.size() == (bytes == most_envelope ? most_long : most_short) ||
            (bytes > shorter && bytes != most_envelope)) {
            packet.clear();
            return;
        }
        one.request = MPI_REQUEST_NULL;
        one.arrival = {};
        one.to = 0;
        one.number = 0;
        used.splice(used.begin(), packet);
    }

  private:
    Packets short_, long_; ///< the last one used first, as it is in the caches
};

} // namespace pixmpi
