// A step of a frame: a device's shaders look through what this rank has drawn.
#pragma once

#include "composite/device_search.h"
#include "request/request.h"

#include <functional>

namespace pixmpi {

class SearchStep final : public Request {
  public:
    /// Is given what DeviceSearch::found() says.
    using OnFound = std::function<void(const std::optional<Cells> &found)>;
    SearchStep(std::shared_ptr<DeviceSearch> search, std::shared_ptr<Surface> plane, const pixMPI_Rect &rect,
               OnFound on_found)
        : search_(std::move(search)), plane_(std::move(plane)), rect_(rect), on_found_(std::move(on_found)) {}

    Status check_start() const override { return lacks() ? fail_for_lack_of(*lacks()) : PIXMPI_SUCCESS; }
    Status begin(Runtime &) override {
        state = State::active;
        return search_->begin(plane_, rect_, blocking);
    }
    void undo(Runtime &) override {
        search_->give_up();
        search_->settled();
    }
    void advance(Runtime &, bool &moved) override {
        if (!settling_ && lacks())
            return;
        if (!settling_)
            look(moved);
        if (settling_ && search_->settled()) {
            search_.reset();
            state = State::complete;
        }
    }
    const Device *lacks() const override { return plane_->device->usable() ? nullptr : plane_->device.get(); }
    Pause pause() const override { return pause_for(surfaces(), pixels_of(rect_)); }
    void await() override {}
    Status cancel() override { return fail(PIXMPI_ERR_REQUEST, "request: cannot be cancelled"); }
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return {&plane_, 1}; }

  private:
    void look(bool &moved) {
        const Status failed = without_throwing([&] {
            const Status stopped = search_->advance(settling_);
            if (!stopped && settling_)
                on_found_(search_->found());
            return stopped;
        });
        if (failed) {
            error = last_error(failed);
            search_->give_up();
            settling_ = true;
        }
        moved = moved || settling_;
    }

    std::shared_ptr<DeviceSearch> search_; ///< until it is over
    const std::shared_ptr<Surface> plane_;
    const pixMPI_Rect rect_;
    const OnFound on_found_;
    bool settling_ = false;
};

} // namespace pixmpi
