// A step of a schedule that is over when each of some ranks has sent something by one of some labels. It stays there,
// for the receives that are written then: what they receive depends on the label.
#pragma once

#include "request/channel.h"
#include "request/schedule_matcher.h"

namespace pixmpi {

class Expectation final : public Request {
  public:
    /// `came`: of each source the label, the first of `labels` if several have come. `failed`: of the schedule, which
    /// then needs nothing any more.
    Expectation(std::shared_ptr<Channel> channel, std::uint64_t number, const KeptError &failed,
                std::vector<int> sources, std::vector<int> labels, std::shared_ptr<std::vector<int>> came)
        : channel_(std::move(channel)), number_(number), failed_(failed), sources_(std::move(sources)),
          labels_(std::move(labels)), came_(std::move(came)) {}

    Status check_start() const override { return PIXMPI_SUCCESS; }
    Status begin(Runtime &) override {
        came_->assign(sources_.size(), none);
        watches_.assign(sources_.size(), Watch());
        state = State::active;
        return PIXMPI_SUCCESS;
    }
    void undo(Runtime &) override {}
    void advance(Runtime &runtime, bool &moved) override {
        bool all = false;
        const Status failed = without_throwing([&] { return look(runtime, all); });
        if (failed)
            error = last_error(failed);
        if (!failed && !all && !failed_.code)
            return;
        moved = true;
        state = State::complete;
    }
    const Device *lacks() const override { return nullptr; }
    Pause pause() const override { return Pause(); }
    void await() override {}
    Status cancel() override { return fail(PIXMPI_ERR_REQUEST, "request: cannot be cancelled"); }
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return {}; }

  private:
    static constexpr int none = -1;
    Status look(Runtime &runtime, bool &all) {
        if (const Status failed = channel_->schedules->collect(runtime))
            return failed;
        all = true;
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            int &label = (*came_)[i];
            for (const int one : labels_)
                if (label == none && channel_->schedules->has(sources_[i], one, number_))
                    label = one;
            all = all && label != none;
            if (label == none && watches_[i].ended(*channel_->peers[static_cast<std::size_t>(sources_[i])]))
                return fail_for_end(*channel_, sources_[i]);
        }
        return PIXMPI_SUCCESS;
    }

    const std::shared_ptr<Channel> channel_;
    const std::uint64_t number_;
    const KeptError &failed_;
    const std::vector<int> sources_, labels_;
    const std::shared_ptr<std::vector<int>> came_;
    std::vector<Watch> watches_;
};

} // namespace pixmpi
