// Messages between windows that GPUs reach: the receiver's GPU copies, and tells the sender by its flow.
#pragma once

#include "endpoint/reach.h"
#include "request/message.h"

namespace pixmpi {

struct WindowPart {
    std::uint32_t window = 0;
    std::uint64_t offset = 0; ///< bytes
};

/// Where in a window the surface of a slot's plain send or receive lies.
struct InWindow final : Attached {
    explicit InWindow(const WindowPart &of) : part(of) {}
    const WindowPart part;
};
/// Null for other messages.
inline const WindowPart *part_of(const Message &message) {
    return message.attached ? &static_cast<const InWindow &>(*message.attached).part : nullptr;
}

class Pulls {
  public:
    explicit Pulls(std::shared_ptr<Reach> reach) : reach_(std::move(reach)) {}
    /// Whether slots of a process copy what lies in this window of ours.
    bool shows(std::uint32_t window, int process) const { return reach_->is_copied_by(process, window); }
    /// The receiver's end. The bytes begin to move in Port::over(), when nothing has been found wrong with the message.
    Status accept(const Receive &receive, const Envelope &envelope, std::unique_ptr<Port> &port);

  private:
    const std::shared_ptr<Reach> reach_;
};

} // namespace pixmpi
