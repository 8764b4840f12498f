// One frame of a compositor as a request: the ranks tell each other what they have drawn, and then do what follows from
// that, which is the same for all of them.
#pragma once

#include "composite/compose.h"

namespace pixmpi {

/// What a compositor is told once, the same on all ranks.
struct Compositing {
    Reduction how;
    int result = 0;
    Scheme::Wish wish;
};

/// What this rank's call names.
struct FrameCall {
    FrameSurfaces surfaces;
    pixMPI_Rect active{}; ///< width 0: nothing
};

class Frame final : public Request {
  public:
    /// Takes numbers of the communicator for its two schedules.
    static Status make(MPI_Comm comm, Compositing how, FrameCall call, std::shared_ptr<Frame> &frame);
    /// In its place where this rank's call is wrong: all other ranks' fail.
    static Status fail_all(Runtime &runtime, MPI_Comm comm);
    /// Before the first start: it could not be started. All other ranks' fail.
    void fail_unwritten(Runtime &runtime);

    Status check_start() const override { return telling_->check_start(); }
    Status begin(Runtime &runtime) override;
    void undo(Runtime &) override {} // begin() starts one thing alone
    void advance(Runtime &runtime, bool &moved) override;
    const Device *lacks() const override;
    Pause pause() const override;
    void await() override;
    Status cancel() override { return fail(PIXMPI_ERR_REQUEST, "request: a frame cannot be cancelled"); }
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return named_; }

  private:
    /// One rank's, as all ranks get it; whole pixels of PIXMPI_RGBA32UI.
    struct Facts {
        std::uint32_t width, height, format, depth_format, picture_depth_format;
        std::int32_t x, y, active_width, active_height, result, radix;
        std::uint32_t operation, strategy, has_picture, order, unused;
    };
    static_assert(sizeof(Facts) % 16 == 0);

    Facts own_facts() const;
    Status write_telling(std::unique_ptr<Plan> plan);
    Status check() const;
    Status write_composing();
    Status go_on(Runtime &runtime, bool &moved);
    bool tells() const { return composing_ == nullptr; }
    const Schedule &now() const { return tells() ? *telling_ : *composing_; }

    Compositing how_;
    FrameCall call_;
    std::vector<std::shared_ptr<Surface>> named_;
    std::vector<Facts> facts_; ///< by rank
    int rank_ = 0;
    std::unique_ptr<Plan> plan_; ///< of `composing_`, until it is written
    std::shared_ptr<Schedule> telling_, composing_;
};

} // namespace pixmpi
