// What comes before and after the messages of a request that uses a surface several times at once: an empty message,
// which does what the program was promised for the surface (Surface::make_frame).
#pragma once

#include "request/request.h"

namespace pixmpi {

class Framing final : public Request {
  public:
    /// `named`: the surface that hands its promises over when this one starts, with the other part of its frame; null
    /// where another part does.
    struct HandOver {
        std::shared_ptr<Surface> named, closing;
    };
    explicit Framing(std::shared_ptr<Surface> surface, HandOver hand_over = {});

    Status check_start() const override;
    Status begin(Runtime &runtime) override;
    void undo(Runtime &runtime) override;
    void advance(Runtime &runtime, bool &moved) override;
    const Device *lacks() const override { return surface_->device->usable() ? nullptr : surface_->device.get(); }
    Pause pause() const override { return Pause(); }
    void await() override {}
    Status cancel() override;
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return {&surface_, 1}; }

  private:
    const std::shared_ptr<Surface> surface_;
    const HandOver hand_over_;
    std::unique_ptr<Transfer> transfer_;
};

} // namespace pixmpi
