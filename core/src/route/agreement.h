// What the ends of a message on the shm route agree upon before the sender's allocation is opened: which bands suit
// both. The receiver writes its wishes into the flow when it has matched the envelope, the sender hears them, if it has
// not begun before. It waits for them, a moment, when it may gain by that.
#pragma once

#include "base/wait.h"
#include "stage/slot_plan.h"

#include <optional>

namespace pixmpi {

/// The receiver's wishes.
struct Wish {
    std::shared_ptr<const Strips> strips; ///< the region's are like the sender's, or may be
    std::uint64_t band_pixels = 0;        ///< 0: any
};

/// Of a receive of `pixels`. `in_order`: it must copy them in packed order.
Wish make_wish(const Flow &flow, Transfer &transfer, const Region &region, std::uint64_t pixels, bool in_order);
/// Before the receiver says that it has matched.
void tell(const Wish &wish, Flow &flow);
/// The sender has opened its allocation, by the plan in `layout`: what its bands are is in there, too. `in_host_memory`:
/// where it is.
Status adopt(const Wish &wish, bool in_host_memory, Layout &layout);

/// The sender's part.
class Agreement {
  public:
    /// Says in the flow, before the envelope is sent, what the sender wishes.
    Agreement(Flow &flow, const PlanRequest &request);
    /// Whether the allocation may be opened; its plan, and what bands are, are in `layout` then.
    bool conclude(bool matched, Layout &layout);

  private:
    Flow &flow_;
    const PlanRequest request_;
    std::chrono::nanoseconds patience_{0};
    Wait since_;
};

} // namespace pixmpi
