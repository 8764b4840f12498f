// Messages on drivers that share our memory, and all that has to lie in host memory: pixels are read and written by
// pointer, at once.
#pragma once

#include "gl_surface.h"

namespace glmpi {

class GlStage;

class DirectTransfer final : public pixmpi::Transfer {
  public:
    DirectTransfer(Direction direction, std::shared_ptr<GlSurface> surface,
                   std::shared_ptr<const pixmpi::Region> region);
    std::uint64_t band_pixels() const override;
    Status begin(std::uint64_t pixels) override;
    Status copy(std::uint64_t first, std::uint64_t count, pixmpi::Stage &stage, std::size_t offset,
                pixmpi::Ticket &ticket) override;
    Status poll(pixmpi::Ticket ticket, bool &over) override;
    Status end() override;
    void abandon() override;

  private:
    PlanInput plan_input() const;
    Status map(SavedState &state, const GlStage &stage, std::size_t offset, std::uint64_t count,
               std::byte *&memory) const;
    Status move(SavedState &state, std::uint64_t first, std::uint64_t count, std::byte *pixels);
    void by_rectangles(std::uint64_t first, std::uint64_t count, std::byte *pixels);
    Status by_slabs(SavedState &state, const CopyPlan &plan, std::byte *pixels);
    Status read_slab(SavedState &state, const Slab &slab, std::byte *scratch);

    const Direction direction_;
    const std::shared_ptr<GlSurface> surface_;
    const std::shared_ptr<const pixmpi::Region> region_;
};

} // namespace glmpi
