// A message's bands as streams, kept by a rank that hands them on: what JPEG loses is lost once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pixmpi {

struct Streams {
    std::uint64_t band_pixels = 0;             ///< of all but the last
    std::vector<std::vector<std::byte>> bands; ///< none: the message was not coded
};

} // namespace pixmpi
