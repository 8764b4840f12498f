// Copies between windows of one device, by its message queue: many in one submission.
#pragma once

#include "device/vulkan_device.h"
#include "shader/shaders.h"

#include <deque>

namespace vkmpi {

class WindowCopies {
  public:
    /// `device`: they go by its queue.
    explicit WindowCopies(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)) {}
    ~WindowCopies();
    WindowCopies(const WindowCopies &) = delete;
    WindowCopies &operator=(const WindowCopies &) = delete;

    /// As many bytes of both. They happen as if in the order of the calls.
    Status add(const Span &from, const Span &to, pixmpi::Ticket &ticket);
    /// Submits what was added; `over`: the last ticket of what has happened.
    Status look(pixmpi::Ticket &over);

  private:
    Status submit();
    void order(const Span &from, const Span &to);

    const std::shared_ptr<VulkanDevice> device_;
    Batch *open_ = nullptr;
    std::vector<Span> read_, written_; ///< in open_, since its last barrier
    struct Flying {
        Batch *batch;
        pixmpi::Ticket last;
    };
    std::deque<Flying> flying_;
    pixmpi::Ticket last_ = pixmpi::done, over_ = pixmpi::done;
};

} // namespace vkmpi
