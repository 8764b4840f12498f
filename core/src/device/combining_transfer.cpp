#include "device/combining_transfer.h"

#include "combine/nearest.h"

namespace pixmpi {

Status make_transfer(Direction direction, const Combination &how, std::shared_ptr<Surface> surface,
                     std::shared_ptr<const Region> region, std::unique_ptr<Transfer> &transfer) {
    if (direction == Direction::pack || how.operation == Operation::replace)
        return make_plain_transfer(direction, std::move(surface), std::move(region), transfer);
    if (const Status error = check_operation(how.operation, surface->format, surface->depth_format))
        return error;
    std::unique_ptr<Transfer> unpack;
    if (const Status error = make_plain_transfer(Direction::unpack, surface, region, unpack))
        return error;
    transfer = std::make_unique<CombiningTransfer>(how, std::move(surface), std::move(region), std::move(unpack));
    return PIXMPI_SUCCESS;
}

CombiningTransfer::CombiningTransfer(const Combination &how, std::shared_ptr<Surface> surface,
                                     std::shared_ptr<const Region> region, std::unique_ptr<Transfer> unpack)
    : how_(how), surface_(std::move(surface)), region_(std::move(region)), combiner_(how, surface_->format),
      unpack_(std::move(unpack)) {
    submits_each_ = unpack_->submits_each();
}

void CombiningTransfer::start() {
    bands_.clear();
    awaited_ = false;
    unpack_->start();
}

void CombiningTransfer::await() {
    awaited_ = true;
    unpack_->await();
    if (pack_)
        pack_->await();
}

std::size_t CombiningTransfer::bytes_of(const PendingBand &band) const {
    return static_cast<std::size_t>(band.count) * static_cast<std::size_t>(surface_->pixel_bytes);
}

Status CombiningTransfer::copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset,
                               Ticket &ticket) {
    bands_.push_back({++last_, first, count, &stage, offset});
    bool over = false;
    if (bands_.size() == 1)
        if (const Status error = advance(bands_.front(), over)) { // the surface is as it was: it may be tried again
            bands_.pop_back();
            return error;
        }
    ticket = over ? done : last_;
    if (over)
        bands_.pop_front();
    return PIXMPI_SUCCESS;
}

Status CombiningTransfer::poll(Ticket ticket, bool &over) {
    while (!bands_.empty()) {
        bool first_over = false;
        if (const Status error = advance(bands_.front(), first_over))
            return error;
        if (!first_over)
            break;
        bands_.pop_front();
    }
    over = bands_.empty() || ticket < bands_.front().ticket;
    return PIXMPI_SUCCESS;
}

Status CombiningTransfer::advance(PendingBand &band, bool &over) {
    for (over = false;;) {
        bool step_is_over = false;
        if (const Status error = step_over(band, step_is_over))
            return error;
        if (!step_is_over)
            return PIXMPI_SUCCESS;
        over = band.step == Step::unpacking;
        if (over)
            return PIXMPI_SUCCESS;
        if (const Status error = next_step(band))
            return error;
    }
}

Status CombiningTransfer::step_over(const PendingBand &band, bool &over) {
    over = band.part == done;
    if (over)
        return PIXMPI_SUCCESS;
    switch (band.step) {
    case Step::carrying_in:
        return carrier_->in->poll(band.part, over);
    case Step::carrying_out:
        return carrier_->out->poll(band.part, over);
    case Step::packing:
        return pack_->poll(band.part, over);
    default:
        return unpack_->poll(band.part, over);
    }
}

Status CombiningTransfer::next_step(PendingBand &band) {
    switch (band.step) {
    case Step::none: {
        bool accepted = false;
        const Status error =
            unpack_->combine(how_, nullptr, band.first, band.count, *band.stage, band.offset, band.part, accepted);
        if (accepted)
            band.step = Step::unpacking;
        if (error || accepted)
            return error;
        return band.stage->host ? pack(band) : carry_in(band);
    }
    case Step::carrying_in:
        return carry_out(band);
    case Step::carrying_out:
        if (const Status error = carrier_->out->end())
            return error;
        return pack(band);
    default:
        return combine_band(band);
    }
}

Status CombiningTransfer::carry_in(PendingBand &band) {
    Device &device = *surface_->device;
    carrier_.emplace();
    auto all = std::make_shared<Region>();
    all->add({0, 0, static_cast<int>(band.count), 1});
    all->commit();
    if (const Status error = make_scratch_like(*surface_, device, {static_cast<int>(band.count), 1}, carrier_->scratch))
        return error;
    if (const Status error = device.make_stage(StageKind::mapped, nullptr, bytes_of(band), carrier_->seen))
        return error;
    if (const Status error = make_plain_transfer(Direction::unpack, carrier_->scratch, all, carrier_->in))
        return error;
    if (const Status error = make_plain_transfer(Direction::pack, carrier_->scratch, all, carrier_->out))
        return error;
    carrier_->in->start();
    band.step = Step::carrying_in;
    if (const Status error = carrier_->in->begin(band.count))
        return error;
    return carrier_->in->copy(0, band.count, *band.stage, band.offset, band.part);
}

Status CombiningTransfer::carry_out(PendingBand &band) {
    if (const Status error = carrier_->in->end())
        return error;
    carrier_->out->start();
    band.step = Step::carrying_out;
    band.part = done;
    if (const Status error = carrier_->out->begin(band.count))
        return error;
    return carrier_->out->copy(0, band.count, *carrier_->seen, 0, band.part);
}

Status CombiningTransfer::pack(PendingBand &band) {
    Device &device = *surface_->device;
    if (!pack_) {
        if (const Status error = make_plain_transfer(Direction::pack, surface_, region_, pack_))
            return error;
        if (awaited_)
            pack_->await();
    }
    if (!present_ || present_->bytes < bytes_of(band)) {
        present_.reset();
        if (const Status error = device.make_stage(StageKind::mapped, nullptr, bytes_of(band), present_))
            return error;
    }
    band.step = Step::packing;
    band.part = done;
    return pack_->copy(band.first, band.count, *present_, 0, band.part);
}

Status CombiningTransfer::combine_band(PendingBand &band) {
    combine_packed(present_->host, carrier_ ? carrier_->seen->host : band.stage->host + band.offset, band.count);
    carrier_.reset();
    band.step = Step::unpacking;
    band.part = done;
    return unpack_->copy(band.first, band.count, *present_, 0, band.part);
}

/// As bands lie.
void CombiningTransfer::combine_packed(std::byte *present, const std::byte *incoming, std::uint64_t pixels) const {
    const auto count = static_cast<std::size_t>(pixels);
    if (!surface_->has_depth())
        return combiner_(present, incoming, count);
    const PlanesInBand at(surface_->format, surface_->depth_format, pixels);
    Nearest(how_.order, surface_->format, surface_->depth_format)({present + at.colors, present + at.depths},
                                                                  {incoming + at.colors, incoming + at.depths}, count);
}

std::vector<Transfer *> CombiningTransfer::parts() const {
    std::vector<Transfer *> all{unpack_.get()};
    for (Transfer *one :
         {pack_.get(), carrier_ ? carrier_->in.get() : nullptr, carrier_ ? carrier_->out.get() : nullptr})
        if (one)
            all.push_back(one);
    return all;
}

void CombiningTransfer::give_up() {
    bands_.clear();
    for (Transfer *part : parts())
        part->give_up();
}

bool CombiningTransfer::settled() {
    bool all = true;
    for (Transfer *part : parts())
        all = part->settled() && all;
    return all;
}

} // namespace pixmpi
