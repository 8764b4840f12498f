#include "request/envelope.h"

#include <cstring>

namespace pixmpi {
namespace {

// As it travels. Ranks of one job have one byte order; Card::version keeps different layouts apart.
struct Header {
    std::uint32_t magic;
    std::uint8_t carriage, flags;
    std::uint8_t pixel_bytes, depth_bytes;
    std::uint64_t pixels;
    std::uint32_t number, flow;
    std::uint64_t band_pixels;
    std::uint64_t band_bytes;
    std::uint64_t whole;
    std::int32_t from, to;
    std::uint64_t schedule;
};
static_assert(sizeof(Header) == header_bytes);

constexpr std::uint32_t most_number = 0x3fffffff; // of MpiAddress
constexpr std::uint32_t magic = 0x316d7870; // "pxm1"
constexpr std::uint8_t flag_waits = 1, flag_lengths_vary = 2, flag_asks_report = 4, flag_asks_match = 8,
                       all_flags = flag_waits | flag_lengths_vary | flag_asks_report | flag_asks_match;

} // namespace

void encode(const Envelope &envelope, std::byte *out) {
    const Header header{magic,
                        static_cast<std::uint8_t>(envelope.carriage),
                        static_cast<std::uint8_t>((envelope.waits ? flag_waits : 0) |
                                                  (envelope.lengths_vary ? flag_lengths_vary : 0) |
                                                  (envelope.asks_report ? flag_asks_report : 0) |
                                                  (envelope.asks_match ? flag_asks_match : 0)),
                        static_cast<std::uint8_t>(envelope.pixel_bytes),
                        static_cast<std::uint8_t>(envelope.depth_bytes),
                        envelope.pixels,
                        envelope.number,
                        envelope.flow,
                        envelope.band_pixels,
                        envelope.band_bytes,
                        envelope.whole,
                        envelope.from,
                        envelope.to,
                        envelope.schedule};
    std::memcpy(out, &header, sizeof header);
}

bool decode(std::span<const std::byte> bytes, Envelope &envelope) {
    Header header;
    if (bytes.size() < sizeof header)
        return false;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.magic != magic || header.flags > all_flags ||
        header.pixel_bytes == 0 || header.pixel_bytes > most_pixel_bytes || header.depth_bytes >= header.pixel_bytes ||
        header.pixels > most_bytes / header.pixel_bytes)
        return false;
    const bool vary = (header.flags & flag_lengths_vary) != 0;
    const bool asks_match = (header.flags & flag_asks_match) != 0;
    const std::uint64_t inside = bytes.size() - sizeof header, all = header.pixels * header.pixel_bytes;
    switch (static_cast<Carriage>(header.carriage)) {
    case Carriage::inside:
        if (inside != all || all > most_inside || vary || (asks_match && header.number > most_number))
            return false;
        break;
    case Carriage::flow:
    case Carriage::attached:
        if (inside != 0 || header.pixels == 0)
            return false;
        break;
    case Carriage::bands:
        if (inside != 0 || header.pixels == 0 || header.band_pixels == 0 || header.number > most_number)
            return false;
        if (vary ? header.band_bytes == 0 || header.band_bytes > most_band
                 : header.band_pixels > most_band / header.pixel_bytes)
            return false;
        break;
    case Carriage::given_up:
        if (inside != 0 || header.pixels != 0)
            return false;
        break;
    default:
        return false;
    }
    envelope = {static_cast<Carriage>(header.carriage),
                (header.flags & flag_waits) != 0,
                header.pixel_bytes,
                header.depth_bytes,
                header.pixels,
                header.number,
                header.flow,
                header.band_pixels,
                vary,
                header.band_bytes,
                (header.flags & flag_asks_report) != 0,
                asks_match,
                header.whole,
                header.from,
                header.to,
                header.schedule};
    return true;
}

} // namespace pixmpi
