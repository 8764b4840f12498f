// Pixels from one surface of this process to another with no memory in between: where both are the host's, or where the
// pixels of one lie one behind the other in host memory and the other one's device reads and writes any memory.
#pragma once

#include "device/device.h"

namespace pixmpi {

class StraightCopy {
  public:
    struct End {
        std::shared_ptr<Surface> surface;
        std::shared_ptr<const Region> region;
    };
    /// `copy` stays null where there is no such way. As many pixels of as many bytes on both ends.
    static Status make(const End &from, const End &to, std::unique_ptr<StraightCopy> &copy);
    virtual ~StraightCopy() = default;
    /// Copies so much that others need not wait long for the lock. `over`: that were the last pixels.
    virtual Status advance(bool &over) = 0;
};

} // namespace pixmpi
