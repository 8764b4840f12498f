// Bytes of a window that the receiver's card takes out of the sender's window by itself, once the envelope has matched.
#pragma once

#include "base/status.h"

#include <cstdint>
#include <memory>

namespace pixmpi {

struct Envelope;
struct Message;
class Port;

struct WindowPart {
    std::uint32_t window = 0;
    std::uint64_t offset = 0; ///< bytes
};

/// What an endpoint brings to its channel for such messages.
class Shown {
  public:
    virtual ~Shown() = default;
    /// Whether slots of a process take what lies in this window of ours.
    virtual bool shows(std::uint32_t window, int process) const = 0;
    /// The receiver's end. The bytes begin to move in Port::over(), when nothing has been found wrong with the message.
    virtual Status take(const Message &message, const Envelope &envelope, std::unique_ptr<Port> &port) = 0;
};

} // namespace pixmpi
