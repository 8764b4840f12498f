// Where things lie in the memory that an endpoint shares with its shaders. The words themselves are described once, in
// shaders/pixmpi_device.glsl.
#pragma once

#include "endpoint/published.h"
#include "pixmpi_device.glsl"

#include <cstddef>

namespace pixmpi {

struct EndpointShape {
    std::uint32_t slots = 1, groups = 1, ring = 16, calls = 16, payload = 64, signals = 16, state = 1024;
    std::uint32_t shared_rings = 0; ///< 0: each workgroup has its own
    std::uint32_t rings() const { return shared_rings ? shared_rings : groups; }
};

/// In words. `in`: the host writes, shaders read. `out`: the other way round. `kept`: the shaders' own.
class EndpointLayout {
  public:
    EndpointLayout() = default;
    explicit EndpointLayout(const EndpointShape &shape)
        : entry_(PM_ENTRY_WORDS + shape.payload), result_(PM_RESULT_HEADER + shape.payload), shape_(shape) {}

    std::size_t list() const { return PM_IN_HEADER; }
    std::size_t signals() const { return list() + shape_.groups; }
    std::size_t ring_states() const { return signals() + std::size_t{shape_.slots} * shape_.signals; }
    std::size_t results() const { return ring_states() + std::size_t{shape_.rings()} * PM_RING_WORDS; }
    std::size_t in_words() const { return results() + shape_.groups * group_results(); }
    std::size_t ring_entries() const { return std::size_t{shape_.groups} * PM_REPORT_WORDS; }
    std::size_t out_words() const { return ring_entries() + std::size_t{shape_.rings()} * shape_.ring * entry_; }
    std::size_t kept_words() const { return std::size_t{shape_.groups} * shape_.state; }

    std::size_t signal(std::uint32_t slot, std::uint32_t number) const {
        return signals() + std::size_t{slot} * shape_.signals + number;
    }
    std::size_t consumed(std::uint32_t ring) const {
        return ring_states() + std::size_t{ring} * PM_RING_WORDS + PM_RING_CONSUMED;
    }
    std::size_t result(std::uint32_t group, std::uint32_t call) const {
        return results() + group * group_results() + call * result_;
    }
    std::size_t report(std::uint32_t group) const { return std::size_t{group} * PM_REPORT_WORDS; }
    /// Of a ring's entries, counted from 0.
    std::size_t entry(std::uint32_t ring, std::uint32_t number) const {
        return ring_entries() + (std::size_t{ring} * shape_.ring + (number & (shape_.ring - 1))) * entry_;
    }

  private:
    std::size_t group_results() const { return shape_.calls * result_; }

    std::size_t entry_ = 0, result_ = 0;
    EndpointShape shape_;
};

} // namespace pixmpi
