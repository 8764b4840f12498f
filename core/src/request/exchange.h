// A send and a receive as one request, which is over when both are (Sendrecv). Each of them moves along as any other
// message does.
#pragma once

#include "request/message.h"

#include <array>

namespace pixmpi {

class Exchange final : public Request {
  public:
    /// `replaces`: the receive writes over what the send reads.
    Exchange(std::shared_ptr<Message> out, std::shared_ptr<Message> in, bool replaces)
        : both_{std::move(out), std::move(in)}, surfaces_{both_[0]->surface, both_[1]->surface} {
        if (replaces)
            receive().before = both_[0];
    }

    Status check_start() const override;
    Status begin(Runtime &runtime) override;
    void undo(Runtime &) override {} // begin() fails before anything is under way
    void advance(Runtime &runtime, bool &moved) override;
    const Device *lacks() const override;
    Pause pause() const override { return receive().pause(); }
    void await() override {
        for (const auto &one : both_)
            one->await();
    }
    Status cancel() override {
        return fail(PIXMPI_ERR_REQUEST, "request: sends as well as receives, and a send cannot be cancelled");
    }
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return surfaces_; }

  private:
    Message &receive() const { return *both_[1]; }

    const std::array<std::shared_ptr<Message>, 2> both_; ///< the send, the receive
    const std::array<std::shared_ptr<Surface>, 2> surfaces_;
};

} // namespace pixmpi
