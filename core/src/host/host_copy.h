// Pixels from one surface of the host to another, with no memory in between.
#pragma once

#include "host/host_device.h"

namespace pixmpi {

class HostCopy {
  public:
    /// Null where pixels have to be put in order on the way: a surface of another device, regions of different shapes,
    /// memory that both share.
    static std::unique_ptr<HostCopy> make(Surface &from, const Region &from_region, Surface &to,
                                          const Region &to_region);
    /// Copies some of them; whether that were the last ones.
    bool advance();

  private:
    struct Block {
        Rows from, to;
        std::size_t bytes, count; ///< of a row; rows
    };
    std::vector<Block> blocks_;
    std::size_t next_ = 0;
};

} // namespace pixmpi
