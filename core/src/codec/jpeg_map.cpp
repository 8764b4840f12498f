#include "codec/jpeg_map.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace pixmpi {
namespace {

enum : unsigned {
    marker_sof0 = 0xc0,
    marker_dht = 0xc4,
    marker_rst0 = 0xd0,
    marker_rst7 = 0xd7,
    marker_soi = 0xd8,
    marker_eoi = 0xd9,
    marker_sos = 0xda,
    marker_dqt = 0xdb,
    marker_dri = 0xdd,
    marker_app0 = 0xe0,
    marker_app15 = 0xef,
    marker_comment = 0xfe
};

Status damaged(const char *what) { return fail(PIXMPI_ERR_CODEC, "JPEG: %s", what); }

/// A segment's bytes; outside there are none.
class Segment {
  public:
    explicit Segment(std::span<const std::byte> bytes) : bytes_(bytes) {}
    std::size_t size() const { return bytes_.size(); }
    unsigned byte(std::size_t i) const { return i < bytes_.size() ? std::to_integer<unsigned>(bytes_[i]) : 0; }
    unsigned word(std::size_t i) const { return byte(i) << 8 | byte(i + 1); }

  private:
    std::span<const std::byte> bytes_;
};

Status read_frame(const Segment &frame, JpegGrid &grid) {
    const unsigned components = frame.byte(5);
    if (frame.byte(0) != 8 || (components != 1 && components != 3) || frame.size() != 6 + 3 * components)
        return damaged("a frame of other than 1 or 3 components of 8 bits");
    grid.size = {frame.word(3), frame.word(1)};
    if (grid.size.width == 0 || grid.size.height == 0 || grid.size.width > jpeg_most_side ||
        grid.size.height > jpeg_most_side)
        return fail(PIXMPI_ERR_CODEC, "JPEG: %u x %u pixels, expected 1 to %u each way", grid.size.width,
                    grid.size.height, static_cast<unsigned>(jpeg_most_side));
    const auto sampling = [&](unsigned c) { return frame.byte(7 + 3 * c); };
    grid.grey = components == 1;
    grid.subsampling = sampling(0) == 0x22   ? Subsampling::s420
                       : sampling(0) == 0x21 ? Subsampling::s422
                                             : Subsampling::s444;
    const bool known = sampling(0) == 0x11 || (!grid.grey && grid.subsampling != Subsampling::s444);
    if (!known || (!grid.grey && (sampling(1) != 0x11 || sampling(2) != 0x11)))
        return damaged("another subsampling than 4:4:4, 4:2:2 or 4:2:0");
    return PIXMPI_SUCCESS;
}

/// The header, up to the first interval. `interval`: in units, 0 for none.
Status read_header(std::span<const std::byte> stream, JpegMap &map, unsigned &interval) {
    const Segment all(stream);
    if (!is_jpeg(stream))
        return damaged("the stream does not begin as a JPEG");
    std::size_t at = 2;
    interval = 0;
    while (at + 4 <= stream.size()) {
        const unsigned marker = all.byte(at + 1), length = all.word(at + 2); // with its own two bytes
        if (all.byte(at) != 0xff || length < 2 || length > stream.size() - at - 2)
            return damaged("the header is cut or damaged");
        const Segment segment(stream.subspan(at + 4, length - 2));
        const bool framed = map.height_at != 0;
        if (marker == marker_sof0 && !framed) {
            if (const Status status = read_frame(segment, map.grid))
                return status;
            map.height_at = at + 5;
        } else if (marker == marker_dri && segment.size() == 2) {
            interval = segment.word(0);
        } else if (marker == marker_sos) {
            const unsigned components = map.grid.components();
            // All components in one scan, all coefficients in one pass.
            if (!framed || segment.byte(0) != components || segment.size() != 4 + 2 * components ||
                segment.byte(1 + 2 * components) != 0 || segment.byte(2 + 2 * components) != 63 ||
                segment.byte(3 + 2 * components) != 0)
                return damaged("a scan of other than all components");
            map.data = at + 2 + length;
            return PIXMPI_SUCCESS;
        } else if (marker != marker_dqt && marker != marker_dht && marker != marker_comment &&
                   (marker < marker_app0 || marker > marker_app15)) {
            return fail(PIXMPI_ERR_CODEC, "JPEG: marker %02x is none of a baseline picture", marker);
        }
        at += 2 + length;
    }
    return damaged("the stream ends within its header");
}

/// Where the intervals begin: a marker with the right number lies before each but the first, and nothing is behind the
/// last one but the picture's end.
Status find_intervals(std::span<const std::byte> stream, JpegMap &map) {
    map.intervals = {map.data};
    const std::byte *const end = stream.data() + stream.size();
    for (const std::byte *at = stream.data() + map.data;;) {
        at = end - at < 2
                 ? nullptr
                 : static_cast<const std::byte *>(std::memchr(at, 0xff, static_cast<std::size_t>(end - at - 1)));
        if (!at)
            return damaged("the stream has no end");
        const auto marker = std::to_integer<unsigned>(at[1]);
        at += 2;
        if (marker == 0)
            continue;
        const bool last = marker == marker_eoi;
        if (!last && marker != marker_rst0 + (map.intervals.size() - 1) % 8)
            return fail(PIXMPI_ERR_CODEC, "JPEG: marker %02x within the pixels", marker);
        map.intervals.push_back(static_cast<std::size_t>(at - stream.data()));
        if (last)
            return at == end ? PIXMPI_SUCCESS : damaged("the stream goes on behind its end");
    }
}

} // namespace

bool is_jpeg(std::span<const std::byte> stream) {
    return stream.size() >= 2 && stream[0] == std::byte{0xff} && stream[1] == static_cast<std::byte>(marker_soi);
}

Status map_jpeg(std::span<const std::byte> stream, JpegMap &map) {
    map = {};
    unsigned interval = 0;
    if (const Status status = read_header(stream, map, interval))
        return status;
    if (const Status status = find_intervals(stream, map))
        return status;
    const std::uint64_t across = map.grid.units_across(), units = across * map.grid.units_down();
    const std::uint64_t expected = interval ? (units + interval - 1) / interval : 1;
    if (map.count() != expected)
        return fail(PIXMPI_ERR_CODEC, "JPEG: %zu restart intervals, expected %llu", map.count(),
                    static_cast<unsigned long long>(expected));
    if (interval) {
        const auto common = std::gcd(interval, static_cast<unsigned>(across));
        map.strip_rows = interval / common;
        map.strip_intervals = static_cast<unsigned>(across) / common;
    }
    return PIXMPI_SUCCESS;
}

unsigned jpeg_interval_rows(const JpegGrid &grid) {
    constexpr unsigned enough = 64;
    return (enough + grid.units_across() - 1) / grid.units_across();
}

void shift_restarts(std::span<std::byte> data, std::size_t shift) {
    if (shift % 8 == 0 || data.empty())
        return;
    std::byte *const last = data.data() + data.size() - 1;
    for (std::byte *at = data.data(); at < last; at += 2) {
        at = static_cast<std::byte *>(std::memchr(at, 0xff, static_cast<std::size_t>(last - at)));
        if (!at)
            return;
        const auto marker = std::to_integer<unsigned>(at[1]);
        if (marker >= marker_rst0 && marker <= marker_rst7)
            at[1] = static_cast<std::byte>(marker_rst0 + (marker - marker_rst0 + shift) % 8);
    }
}

JpegGrid::Component JpegGrid::component(unsigned c) const {
    Component result{};
    for (unsigned k = 0; k <= c; ++k) {
        result.first += std::size_t{result.columns} * result.rows;
        result.across = k == 0 ? unit_width() / 8 : 1;
        result.down = k == 0 ? unit_height() / 8 : 1;
        result.columns = units_across() * result.across;
        result.rows = units_down() * result.down;
    }
    return result;
}

std::size_t JpegGrid::blocks() const {
    const Component last = component(components() - 1);
    return last.first + std::size_t{last.columns} * last.rows;
}

} // namespace pixmpi
