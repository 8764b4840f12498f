// A step of a schedule that is a call of a function: over when that has returned.
#pragma once

#include "request/request.h"

#include <functional>

namespace pixmpi {

class Work final : public Request {
  public:
    /// `uses`: the function uses the devices of these surfaces, and is called in a thread where it may.
    explicit Work(std::function<Status()> function, std::vector<std::shared_ptr<Surface>> uses = {})
        : function_(std::move(function)), uses_(std::move(uses)) {}

    Status check_start() const override { return lacks() ? fail_for_lack_of(*lacks()) : PIXMPI_SUCCESS; }
    Status begin(Runtime &) override {
        const Status failed = function_();
        state = failed ? State::inactive : State::complete;
        return failed;
    }
    void undo(Runtime &) override {}
    void advance(Runtime &, bool &) override {}
    const Device *lacks() const override {
        for (const auto &surface : uses_)
            if (!surface->device->usable())
                return surface->device.get();
        return nullptr;
    }
    Pause pause() const override { return Pause(); }
    void await() override {}
    Status cancel() override { return fail(PIXMPI_ERR_REQUEST, "request: cannot be cancelled"); }
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return uses_; }

  private:
    const std::function<Status()> function_;
    const std::vector<std::shared_ptr<Surface>> uses_;
};

} // namespace pixmpi
