// Messages between windows that cards reach: the receiver's card copies, and tells the sender by its flow.
#pragma once

#include "endpoint/reach.h"
#include "request/shown.h"

namespace pixmpi {

class Pulls final : public Shown {
  public:
    explicit Pulls(std::shared_ptr<Reach> reach) : reach_(std::move(reach)) {}
    bool shows(std::uint32_t window, int process) const override { return reach_->is_taken_by(process, window); }
    Status take(const Message &message, const Envelope &envelope, std::unique_ptr<Port> &port) override;

  private:
    const std::shared_ptr<Reach> reach_;
};

} // namespace pixmpi
