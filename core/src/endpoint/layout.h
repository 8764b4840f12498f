// Where things lie in the memory that an endpoint shares with its shaders. The words themselves are described once, in
// shaders/pixmpi_device.glsl.
#pragma once

#include "endpoint/published.h"
#include "pixmpi_device.glsl"

#include <cstddef>

namespace pixmpi {

struct EndpointShape {
    std::uint32_t slots = 1, groups = 1, ring = 16, calls = 16, payload = 64, signals = 16, state = 1024;
};

/// In words. `in`: the host writes, shaders read. `out`: the other way round. `kept`: the shaders' own.
class EndpointLayout {
  public:
    EndpointLayout() = default;
    explicit EndpointLayout(const EndpointShape &shape)
        : entry_(PM_ENTRY_WORDS + shape.payload), result_(PM_RESULT_HEADER + shape.payload), shape_(shape) {}

    std::size_t list() const { return PM_IN_HEADER; }
    std::size_t signals() const { return list() + shape_.groups; }
    std::size_t results() const { return signals() + std::size_t{shape_.slots} * shape_.signals; }
    std::size_t in_words() const { return results() + shape_.groups * group_results(); }
    std::size_t out_words() const { return shape_.groups * group_out(); }
    std::size_t kept_words() const { return std::size_t{shape_.groups} * shape_.state; }

    std::size_t signal(std::uint32_t slot, std::uint32_t number) const {
        return signals() + std::size_t{slot} * shape_.signals + number;
    }
    std::size_t taken(std::uint32_t group) const { return results() + group * group_results(); }
    std::size_t result(std::uint32_t group, std::uint32_t call) const {
        return taken(group) + PM_TAKEN_WORDS + call * result_;
    }
    std::size_t report(std::uint32_t group) const { return group * group_out(); }
    /// Of a workgroup's entries, counted from 0.
    std::size_t entry(std::uint32_t group, std::uint32_t number) const {
        return report(group) + PM_REPORT_WORDS + (number & (shape_.ring - 1)) * entry_;
    }

  private:
    std::size_t group_results() const { return PM_TAKEN_WORDS + shape_.calls * result_; }
    std::size_t group_out() const { return PM_REPORT_WORDS + shape_.ring * entry_; }

    std::size_t entry_ = 0, result_ = 0;
    EndpointShape shape_;
};

} // namespace pixmpi
