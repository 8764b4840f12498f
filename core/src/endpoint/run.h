// A run: a shader that is dispatched, and dispatched again for the workgroups that have got their messages, until all
// are done. It is an ordinary request.
#pragma once

#include "endpoint/calls.h"

#include <chrono>

namespace pixmpi {

class Run final : public Request, public std::enable_shared_from_this<Run> {
  public:
    Run(std::shared_ptr<Endpoint> endpoint, std::unique_ptr<Kernel> kernel, std::uint32_t groups);
    ~Run() override;

    Status check_start() const override;
    Status begin(Runtime &runtime) override;
    void undo(Runtime &) override {}
    void advance(Runtime &runtime, bool &moved) override;
    const Device *lacks() const override { return kernel_->device()->usable() ? nullptr : kernel_->device().get(); }
    Pause pause() const override;
    void await() override {}
    Status cancel() override;
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return {}; }
    bool uses(const Device &device) const override { return kernel_->device().get() == &device; }

  private:
    using Clock = std::chrono::steady_clock;
    enum class Is { ready, flying, waiting, finished };
    struct Group {
        Is is = Is::ready;
        bool fresh = true;
        std::uint32_t delivered = 0; ///< calls that have their results, since they were posted
        std::uint32_t wait = 0, what = 0, compare = 0, value = 0, slot = 0;
        std::int32_t step = 0;
    };
    std::span<std::uint32_t> in() const { return endpoint_->memory->in; }
    std::span<std::uint32_t> out() const { return endpoint_->memory->out; }
    void write_header();
    Status go_on(Runtime &runtime, bool &moved);
    Status read_entries(Runtime &runtime, bool &moved);
    Status read_entry(Runtime &runtime, std::size_t at);
    Status look_at_dispatch(bool &moved);
    Status read_report(std::uint32_t group);
    Status report_failure(std::uint32_t group, std::span<const std::uint32_t> report) const;
    Status collect_results(Runtime &runtime, bool &moved);
    void deliver(const RingEntry &entry, const Result &result);
    void write_later(std::size_t at, std::uint32_t value) { to_write_.emplace_back(at, value); }
    /// Writes what write_later() has collected, behind all that was written before: to order stores to a GPU's memory
    /// takes as long as many of them.
    void publish_announced();
    bool may_go_on(const Group &group) const;
    Status dispatch(bool &moved);
    /// `moved`: something has, in the pass at hand.
    Status check_time(bool moved);
    Status time_out(double seconds) const;
    /// Which of these processes (all, where there are none) have called nothing since last_, and what that means.
    std::string absence_of(const std::vector<int> &processes) const;
    void note_presence();
    bool others_start() const;
    /// The first dispatch has been seen to run.
    void has_started();
    /// The thread's last error, behind where it happened.
    Status located(Status error, std::uint32_t group, std::uint32_t slot, std::int32_t step) const;
    void fail_run(Runtime &runtime, Status failed);
    void finish();

    const std::shared_ptr<Endpoint> endpoint_;
    const std::unique_ptr<Kernel> kernel_;
    const std::uint32_t count_;
    std::vector<Group> groups_;
    std::vector<std::uint32_t> consumed_; ///< entries, by ring
    std::unique_ptr<Calls> calls_;
    std::vector<std::pair<std::size_t, std::uint32_t>> to_write_; ///< words of `in`
    std::size_t left_ = 0;                                        ///< workgroups that are not done
    bool failing_ = false;
    bool starting_ = false;              ///< the first dispatch has shown nothing yet: the driver may be compiling
    bool started_ = false;               ///< there has been one
    std::uint32_t idle_ = 0;             ///< passes without any progress
    Clock::time_point last_, failed_at_; ///< last_: since when the time-out counts
    std::vector<std::uint32_t> passes_;  ///< Presence::passes() of each process then
};

} // namespace pixmpi
