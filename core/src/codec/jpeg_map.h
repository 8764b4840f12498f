// Where the parts of a JPEG lie, and what its header says. Reads with suspicion: only what jpeg_encode() may have
// written is a JPEG here.
#pragma once

#include "codec/jpeg.h"

namespace pixmpi {

struct JpegMap {
    JpegGrid grid;
    std::size_t height_at = 0;          ///< the two bytes of the header that say how many rows there are
    std::size_t data = 0;               ///< behind the header: the first restart interval
    /// The fewest rows of units that end with an interval, and how many intervals these have; 0: there is one interval.
    unsigned strip_rows = 0, strip_intervals = 0;
    std::vector<std::size_t> intervals; ///< where each begins, and where one behind the last would
    std::size_t count() const { return intervals.size() - 1; }
    /// The bytes of intervals first to last-1, with the restart markers between them.
    std::span<const std::byte> between(std::span<const std::byte> stream, std::size_t first, std::size_t last) const {
        return stream.subspan(intervals[first], intervals[last] - 2 - intervals[first]);
    }
};

/// PIXMPI_ERR_CODEC.
Status map_jpeg(std::span<const std::byte> stream, JpegMap &map);

/// Rows of units in a restart interval: few enough to share out, and enough for the two bytes not to count.
unsigned jpeg_interval_rows(const JpegGrid &grid);

/// Adds `shift` to the numbers of all restart markers, which go from 0 to 7 and begin again.
void shift_restarts(std::span<std::byte> data, std::size_t shift);

} // namespace pixmpi
