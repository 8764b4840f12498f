// What has been written to a file comes to lie on the disk, while other requests go on.
#pragma once

#include "file/file_device.h"
#include "request/request.h"

namespace pixmpi {

class FileSync final : public Request {
  public:
    FileSync(std::shared_ptr<OpenFile> file, std::shared_ptr<Device> device)
        : file_(std::move(file)), device_(std::static_pointer_cast<FileDevice>(std::move(device))) {}
    ~FileSync() override {
        while (under_way_ && !operation_.over) {
            device_->queue->reap();
            device_->doze(1e-3);
        }
    }

    Status check_start() const override { return PIXMPI_SUCCESS; }
    Status begin(Runtime &) override {
        operation_ = {IoOperation::Kind::sync, file_->plain()};
        under_way_ = false;
        state = State::active;
        return PIXMPI_SUCCESS;
    }
    void undo(Runtime &) override {}
    void advance(Runtime &, bool &moved) override {
        if (!under_way_) {
            under_way_ = device_->queue->start(operation_);
            device_->queue->flush();
            return;
        }
        device_->queue->reap();
        if (!operation_.over)
            return;
        moved = true;
        under_way_ = false;
        state = State::complete;
        if (operation_.result < 0 && operation_.result != -EINVAL) // what is no file on a disk
            error = last_error(file_->failed("bringing to the disk", 0, 0, static_cast<int>(-operation_.result)));
    }
    const Device *lacks() const override { return nullptr; }
    Pause pause() const override {
        Pause pause;
        pause.device = device_;
        return pause;
    }
    void await() override {}
    Status cancel() override { return fail(PIXMPI_ERR_REQUEST, "request: cannot be cancelled"); }
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return {}; }

  private:
    const std::shared_ptr<OpenFile> file_;
    const std::shared_ptr<FileDevice> device_;
    IoOperation operation_;
    bool under_way_ = false;
};

} // namespace pixmpi
