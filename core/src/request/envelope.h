// The envelope: what travels on the private communicator with the user's tag, and by its arrival matches a receive.
// Small messages ride in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pixmpi {

/// How the pixels come.
enum class Carriage : std::uint8_t {
    inside = 1,   ///< they follow the header
    flow = 2,     ///< through the sender's stage memory, by the Flow of that index
    bands = 3,    ///< as MPI messages on the second communicator, with its own tag
    given_up = 4, ///< not at all: the schedule that the message was part of has failed at its sender
    attached = 5  ///< in a way of the channel's attachment (Matcher::accept)
};

struct Envelope {
    Carriage carriage = Carriage::inside;
    bool waits = false; ///< bands: the sender waits for a go before it sends any
    std::uint32_t pixel_bytes = 0;
    std::uint32_t depth_bytes = 0; ///< of these, of a second plane; it is apart in each band
    std::uint64_t pixels = 0;
    std::uint32_t number = 0;      ///< bands, asks_match: their number (MpiAddress); attached: its own
    std::uint32_t flow = 0;        ///< flow, attached: its index
    std::uint64_t band_pixels = 0; ///< bands: pixels of all but the last; attached: its own;
                                   ///< given up: pixels of the message
    bool lengths_vary = false;     ///< the length of a band is said with it; otherwise its pixels say it
    std::uint64_t band_bytes = 0;  ///< bands of varying lengths: the maximum of one
    bool asks_report = false;      ///< bands: the sender wants to know how fast they came (LinkReport)
    bool asks_match = false;       ///< inside: the sender waits for a go, which says that a receive has matched
    std::uint64_t whole = 0;       ///< of a picture that is cut into messages: all its pixels
    std::int32_t from = 0, to = 0; ///< ranks of a channel with several ranks in a process (Matcher)
    /// A part of a partitioned message, which goes to no slot: where it begins in packed order, in their place.
    void begin_at(std::uint64_t first) {
        from = static_cast<std::int32_t>(first);
        to = static_cast<std::int32_t>(first >> 32);
    }
    std::uint64_t first() const {
        return static_cast<std::uint32_t>(from) | std::uint64_t{static_cast<std::uint32_t>(to)} << 32;
    }
    std::uint64_t schedule = 0; ///< the number of the schedule that the message is part of (schedule_matcher.h)

    std::uint64_t bytes() const { return pixels * pixel_bytes; }
};

constexpr std::size_t header_bytes = 64;
constexpr std::size_t most_inside = 16 << 10; ///< bytes of pixels in an envelope
constexpr std::size_t most_envelope = header_bytes + most_inside;
constexpr std::uint32_t most_pixel_bytes = 24;
constexpr std::size_t most_band = (std::size_t{1} << 31) - 1; ///< bytes of a band as an MPI message: MPI counts by int
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;  ///< of a message

/// Writes the header to the first header_bytes of `out`; pixels that ride inside are written behind it by the caller.
void encode(const Envelope &envelope, std::byte *out);
/// Reads what arrived, all of it; false when it is no envelope. Trusts nothing in it.
bool decode(std::span<const std::byte> bytes, Envelope &envelope);

} // namespace pixmpi
