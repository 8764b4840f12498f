// The one place where packing, travelling and unpacking overlap. It drives one end of one message: bands between a
// transfer and a port, in order, as many at a time as the port has slots for.
#pragma once

#include "base/wait.h"
#include "route/port.h"

#include <optional>
#include <vector>

namespace pixmpi {

class Pipeline {
  public:
    /// `coded`: lengths vary, as the transfer says and is told.
    void start(std::uint64_t pixels, int pixel_bytes, bool coded = false);
    /// `device_ready`: the transfer may be called now. `before`: the pipeline that reads what this one overwrites, or
    /// null.
    Status advance(Port &port, Transfer &transfer, bool device_ready, const Pipeline *before, bool &moved);
    /// From now on bands are passed without being copied.
    void drain() { draining_ = true; }
    /// Whether all bands have been copied and passed.
    bool over() const { return begun_ && all_ == passed_; }
    /// Whether the transfer has been asked to copy all of it.
    bool all_begun() const { return begun_ && started_ == all_; }
    /// How many bands the transfer has been asked to copy.
    std::uint64_t begun() const { return next_band_; }
    /// How many pixels, in packed order, have been copied for good; for sure.
    std::uint64_t copied() const { return passed_; }

  private:
    struct Copy {
        Ticket ticket;
        std::uint64_t count;
    };
    bool may_copy(std::uint64_t count, const Pipeline *before) const;
    Status start_copies(Port &port, Transfer &transfer, const Pipeline *before, bool &moved);
    bool memory_may_come();
    Status pass_on(Port &port, Transfer &transfer, std::uint64_t count);

    std::uint64_t all_ = 0, started_ = 0, passed_ = 0; ///< pixels in packed order
    std::uint64_t next_band_ = 0, next_pass_ = 0;
    std::size_t pixel_bytes_ = 0;
    std::vector<Copy> under_way_; ///< no more than the port has slots
    bool begun_ = false, draining_ = false, coded_ = false;
    std::optional<Wait> short_since_; ///< a copy found no memory
};

} // namespace pixmpi
