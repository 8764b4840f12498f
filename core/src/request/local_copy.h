// Pixels from one surface of this process to another, whatever their APIs: both ends of the pipeline at once, through
// slots that both devices touch; or straight, where that is possible.
#pragma once

#include "host/straight_copy.h"
#include "request/pipeline.h"
#include "request/request.h"

#include <array>

namespace pixmpi {

class LocalCopy final : public Request {
  public:
    using End = Place;
    /// Both ends have as many pixels, of as many bytes. `how`: what happens to the pixels that are there.
    LocalCopy(End from, End to, const Combination &how = {});

    Status check_start() const override;
    Status begin(Runtime &runtime) override;
    void undo(Runtime &runtime) override;
    void advance(Runtime &runtime, bool &moved) override;
    const Device *lacks() const override;
    Pause pause() const override { return pause_for(surfaces_, regions_[0]->pixels); }
    void await() override;
    Status cancel() override;
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return surfaces_; }

  private:
    class Between;
    class Side;
    struct Half {
        std::unique_ptr<Transfer> transfer;
        Pipeline pipeline;
        bool ended = false; ///< the transfer has been told of the end
    };
    Status move(bool &moved);
    void give_up();
    /// Over, with or without an error: complete when both transfers have settled.
    void settle();

    const std::array<std::shared_ptr<Surface>, 2> surfaces_; ///< from, to
    const std::array<std::shared_ptr<const Region>, 2> regions_;
    const Combination combination_;
    std::array<Half, 2> halves_;
    std::shared_ptr<Between> between_;
    std::unique_ptr<StraightCopy> straight_; ///< in place of the halves
    bool settling_ = false;
};

} // namespace pixmpi
