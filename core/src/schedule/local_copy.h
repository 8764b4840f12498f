// Pixels from one surface of this process to another, whatever their APIs: both ends of the pipeline at once, through
// slots that both devices touch; or straight, where that is possible. The contexts of the two surfaces may be current
// in two threads: each end makes progress in its own thread's calls.
#pragma once

#include "host/straight_copy.h"
#include "request/request.h"
#include "schedule/copy_slots.h"

#include <array>

namespace pixmpi {

class LocalCopy final : public Request {
  public:
    using End = Place;
    enum class Of {
        schedule, ///< a step: the thread that moves it along uses both surfaces
        program   ///< a call's own: other threads may have the contexts; it is counted, and the log tells of it
    };
    /// Both ends have as many pixels, of as many bytes. `how`: what happens to the pixels that are there.
    LocalCopy(End from, End to, const Combination &how = {}, Of of = Of::schedule);

    Status check_start() const override;
    Status begin(Runtime &runtime) override;
    void undo(Runtime &runtime) override;
    void advance(Runtime &runtime, bool &moved) override;
    const Device *lacks() const override;
    Pause pause() const override { return pause_for(surfaces_, regions_[0]->pixels); }
    void await() override;
    bool is_queued(const Device &device) const override;
    Status cancel() override;
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return surfaces_; }
    /// It fails with this thread's last error. Work on a device settles when the device's thread calls.
    void fail_with(Status failed);

  private:
    struct Half {
        std::unique_ptr<Transfer> transfer;
        Pipeline pipeline;
        bool begun = false, ended = false; ///< what the transfer has been asked to do
        Wait away;                         ///< since no thread that has the context has called the library
    };
    const Device &device(std::size_t i) const { return *surfaces_[i]->device; }
    bool all_usable() const { return device(0).usable() && device(1).usable(); }
    Status need_transfer(std::size_t i);
    Status begin_half(std::size_t i);
    Status move(bool &moved);
    /// The log, once for each start.
    void report_way();
    void advance_straight(Runtime &runtime, bool &moved);
    void give_up();
    void complete(Runtime &runtime);
    /// Over, with or without an error: complete when both transfers have settled.
    void settle(Runtime &runtime);
    bool keep_promises(std::size_t i);

    const BothSurfaces surfaces_; ///< from, to
    const std::array<std::shared_ptr<const Region>, 2> regions_;
    const Combination combination_;
    const Of of_;
    pixMPI_Way way_ = PIXMPI_WAY_HOST; ///< of the last start
    bool reported_ = false;
    std::array<Half, 2> halves_;
    std::unique_ptr<CopySlots> slots_;
    std::unique_ptr<StraightCopy> straight_; ///< instead of the halves
    bool settling_ = false;
};

} // namespace pixmpi
