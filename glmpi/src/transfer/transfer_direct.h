// Messages on drivers that share our memory, and all that has to lie in host memory: pixels are read and written by
// pointer, at once.
#pragma once

#include "context/gl_errors.h"
#include "surface/gl_surface.h"

#include <optional>

namespace glmpi {

class GlStage;

class DirectTransfer final : public pixmpi::Transfer, pixmpi::StripCopies {
  public:
    DirectTransfer(Direction direction, std::shared_ptr<GlSurface> surface,
                   std::shared_ptr<const pixmpi::Region> region);
    std::uint64_t band_pixels() const override;
    Status begin(std::uint64_t) override { return surface_->watch ? surface_->watch->begins() : PIXMPI_SUCCESS; }
    Status copy(std::uint64_t first, std::uint64_t count, pixmpi::Stage &stage, std::size_t offset,
                pixmpi::Ticket &ticket) override;
    Status poll(pixmpi::Ticket, bool &over) override {
        over = true;
        return PIXMPI_SUCCESS;
    }
    void burst(bool on) override;
    std::shared_ptr<const pixmpi::Strips> strips() override;
    bool gains_by_strips() override;
    Status copy_strip(std::size_t k, pixmpi::Stage &stage, std::size_t offset, pixmpi::Ticket &ticket) override;
    Status end() override;
    void give_up() override;

  private:
    PlanInput plan_input() const;
    Status open();
    Status close(Status status);
    void put_back();
    /// Where a stage's buffer is bound; the surface, if it is a buffer, is at the other end of copies.
    GLenum stage_target() const { return direction_ == Direction::pack ? GL_COPY_WRITE_BUFFER : GL_COPY_READ_BUFFER; }
    Status map(const GlStage &stage, std::size_t offset, std::uint64_t count, std::byte *&memory);
    void unmap(const GlStage &stage);
    Status move(std::uint64_t first, std::uint64_t count, std::byte *pixels);
    void by_rectangles(std::uint64_t first, std::uint64_t count, std::byte *pixels);
    const CopyPlan &plan(std::uint64_t first, std::uint64_t count) const;
    std::byte *scratch(const CopyPlan &plan) const;
    Status by_slabs(const CopyPlan &plan, std::byte *pixels);
    Status copy_slab(const CopyPlan &plan, const Slab &slab, std::byte *pixels);
    bool has_strips() const;
    Status move_strip(const pixmpi::Strips &all, const pixmpi::Strip &strip, std::byte *pixels);
    Status keep_holes(const pixmpi::Strips &all, const pixmpi::Strip &strip, std::byte *box, std::byte *old);
    Status read_old(const pixMPI_Rect &rect, std::byte *pixels);

    const Direction direction_;
    const std::shared_ptr<GlSurface> surface_;
    const std::shared_ptr<const pixmpi::Region> region_;
    /// While pixels are copied.
    struct Opened {
        explicit Opened(GlDevice &device) : errors(device.gl), state(device) {}
        GlErrors errors;
        SavedState state;
    };
    std::optional<Opened> opened_;
    bool burst_ = false;
};

} // namespace glmpi
