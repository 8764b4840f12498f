// A part of a region, by packed order.
#pragma once

#include "region/region.h"

namespace pixmpi {

/// The pixels [first, first + count) of a committed region; committed. All of it: the region itself.
std::shared_ptr<const Region> slice(const std::shared_ptr<const Region> &whole, std::uint64_t first,
                                    std::uint64_t count);

/// Where part `part` of `parts` begins, when so many pixels are cut into parts of nearly the same size.
inline std::uint64_t part_begins(std::uint64_t pixels, int part, int parts) {
    const auto n = static_cast<std::uint64_t>(parts), k = static_cast<std::uint64_t>(part);
    return pixels / n * k + pixels % n * k / n;
}

/// That part.
inline std::shared_ptr<const Region> part_of(const std::shared_ptr<const Region> &whole, int part, int parts) {
    const std::uint64_t first = part_begins(whole->pixels, part, parts);
    return slice(whole, first, part_begins(whole->pixels, part + 1, parts) - first);
}

} // namespace pixmpi
