// Pixels from one surface of this process to another with no memory in between: where both are the host's, where the
// pixels of one lie one behind the other in host memory and the other one's device reads and writes any memory, or
// where a device has both and can.
#pragma once

#include "device/device.h"

namespace pixmpi {

class StraightCopy {
  public:
    struct End {
        std::shared_ptr<Surface> surface;
        std::shared_ptr<const Region> region;
    };
    /// `copy` stays null where there is no such way. As many pixels of as many bytes on both ends. Where it fails,
    /// `copy` is what has to settle.
    static Status make(const End &from, const End &to, std::unique_ptr<StraightCopy> &copy);
    virtual ~StraightCopy() = default;
    /// Copies so much that others need not wait long for the lock, or looks whether a GPU has. `over`: that were the
    /// last pixels. It may be destroyed before, and has ended then.
    virtual Status advance(bool &moved, bool &over) = 0;
    /// Where something has failed: whether nothing is under way any more. Until then it is not destroyed, since that
    /// would wait for the program's work on the GPU, which may wait for a message.
    virtual bool settled() { return true; }
    /// Whether what its device is asked for later comes after it by itself.
    virtual bool is_queued() const { return false; }
};

/// What a device also is that copies straight between surfaces of its own.
class CopiesStraight {
  public:
    /// Of one plane; regions are moved to the corners that Surface::narrow() has chosen.
    struct Ends {
        StraightCopy::End from, to;
    };
    /// The copy has begun; `copy` stays null where it cannot, also where what is read may be written. Where it fails,
    /// `copy` is what has to settle.
    virtual Status make_straight_copy(std::span<const Ends> planes, std::unique_ptr<StraightCopy> &copy) = 0;

  protected:
    ~CopiesStraight() = default;
};

} // namespace pixmpi
