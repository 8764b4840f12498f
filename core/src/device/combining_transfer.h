// Unpacking that combines, for every device, surface and region: by the device's own transfer where it can, else the
// band's old pixels are packed, combined with the new ones by the CPU, and unpacked.
#pragma once

#include "combine/combine.h"
#include "device/planes.h"

#include <deque>
#include <optional>

namespace pixmpi {

/// A transfer as Device::make_transfer() makes it; an unpack combines. PIXMPI_ERR_FORMAT where check_operation() says
/// so. What combines reads the surface, too: it has to be checked for both directions.
Status make_transfer(Direction direction, const Combination &how, std::shared_ptr<Surface> surface,
                     std::shared_ptr<const Region> region, std::unique_ptr<Transfer> &transfer);

class CombiningTransfer final : public Transfer {
  public:
    /// `unpack`: the device's own, of the same surface and region.
    CombiningTransfer(const Combination &how, std::shared_ptr<Surface> surface, std::shared_ptr<const Region> region,
                      std::unique_ptr<Transfer> unpack);
    std::uint64_t band_pixels() const override { return unpack_->band_pixels(); }
    void start() override;
    void await() override;
    Status begin(std::uint64_t pixels) override { return unpack_->begin(pixels); }
    /// Where the CPU combines there are bands, whose memory is small.
    Status see(const std::shared_ptr<Peer> &from, const ShownPixels &shown, std::uint64_t bytes,
               std::unique_ptr<Stage> &stage) override {
        return unpack_->combines(how_) ? unpack_->see(from, shown, bytes, stage) : PIXMPI_SUCCESS;
    }
    Status copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset, Ticket &ticket) override;
    void prepare(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset) override {
        if (bands_.empty()) // else the CPU may have to do with the one before
            unpack_->prepare_combining(how_, first, count, stage, offset);
    }
    Status poll(Ticket ticket, bool &over) override;
    Status end() override { return unpack_->end(); }
    void give_up() override;
    bool settled() override;

  private:
    /// What has begun last.
    enum class Step {
        none,
        carrying_in,  ///< from a stage that the CPU does not see to scratch memory of the device
        carrying_out, ///< and from there to one that it sees
        packing,      ///< the pixels that are there
        unpacking     ///< the result; or the device combines by itself
    };
    struct PendingBand {
        Ticket ticket;
        std::uint64_t first, count;
        Stage *stage;
        std::size_t offset;
        Step step = Step::none;
        Ticket part = done; ///< of the step
    };
    /// Between a stage and scratch memory of the device.
    struct Carrier {
        std::shared_ptr<Surface> scratch;
        std::unique_ptr<Stage> seen;
        std::unique_ptr<Transfer> in, out;
    };

    Status advance(PendingBand &band, bool &over);
    Status step_over(const PendingBand &band, bool &over);
    Status next_step(PendingBand &band);
    Status carry_in(PendingBand &band);
    Status carry_out(PendingBand &band);
    Status pack(PendingBand &band);
    Status combine_band(PendingBand &band);
    void combine_packed(std::byte *present, const std::byte *incoming, std::uint64_t pixels) const;
    std::size_t bytes_of(const PendingBand &band) const;
    std::vector<Transfer *> parts() const;

    const Combination how_;
    const std::shared_ptr<Surface> surface_;
    const std::shared_ptr<const Region> region_;
    const Combiner combiner_;
    // Transfers go before the stages that they may still use.
    std::unique_ptr<Stage> present_; ///< the pixels that are there
    std::optional<Carrier> carrier_; ///< of a band that needs it
    const std::unique_ptr<Transfer> unpack_;
    std::unique_ptr<Transfer> pack_; ///< made when it is needed first; never started: a part of the unpack's message
    std::deque<PendingBand> bands_;  ///< one after the other
    Ticket last_ = done;
    bool awaited_ = false;
};

} // namespace pixmpi
