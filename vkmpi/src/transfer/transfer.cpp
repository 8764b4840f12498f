#include "transfer/transfer.h"

#include <algorithm>
#include <cstring>

namespace vkmpi {

using namespace pixmpi;

VulkanTransfer::VulkanTransfer(Direction direction, std::shared_ptr<VulkanSurface> surface,
                               std::shared_ptr<const Region> region)
    : direction_(direction), surface_(std::move(surface)), region_(std::move(region)), device_(surface_->vulkan()) {
    submits_each_ = !device_.software;
}

VulkanTransfer::~VulkanTransfer() {
    constexpr double patience = 2;
    give_up();
    if (joined_to_)
        joined_to_->drop();
    if (last_ && !settled())
        device_.batches.wait(last_, patience);
    settled();
    for (const Pending &one : pending_) // it is used again when it is over
        device_.batches.release(*one.batch);
    if (ahead_.batch)
        device_.batches.leave_waiting();
    count_submitting(false);
}

void VulkanTransfer::start() {
    closed_ = ahead_failed_ = false;
    awaited_.reset();
    count_submitting(true);
    failing_since_.reset();
    lost_ = PIXMPI_SUCCESS;
    bands_ = over_ = 0;
    for (Pending &one : pending_) // of a start that has failed, which nobody asks after
        one.ticket = 0;
    surface_->start();
}

Status VulkanTransfer::begin(std::uint64_t pixels) {
    pixels_ = pixels;
    return surface_->watch ? surface_->watch->begins() : PIXMPI_SUCCESS;
}

bool VulkanTransfer::copied_directly(const BandWork &band) const {
    const PlanInput input = image_input(band.packed);
    return input.direct && input.pad == 1 && input.grain_x == 1 && input.grain_y == 1;
}

Status VulkanTransfer::open_batch(bool alone) {
    if (const Status status = leave_joined())
        return status;
    if (open_.prepared)
        drop();
    if (open_.batch && alone)
        if (const Status status = submit())
            return status;
    if (open_.batch)
        return PIXMPI_SUCCESS;
    Open made;
    if (const Status status = device_.batches.acquire(made.batch))
        return status;
    made.before = surface_->save();
    if (surface_->base)
        made.base_before = surface_->base->save();
    made.since = bands_;
    open_ = std::move(made);
    return PIXMPI_SUCCESS;
}

// As if the batch had never been opened.
void VulkanTransfer::drop() {
    if (!open_.batch)
        return;
    surface_->restore(std::move(open_.before));
    if (surface_->base)
        surface_->base->restore(std::move(open_.base_before));
    if (open_.second)
        open_.second->restore(std::move(open_.second_before));
    if (open_.joined)
        open_.joined->joined_to_ = nullptr;
    device_.shaders.forget_lists(*open_.batch);
    device_.batches.release(*open_.batch);
    open_ = {};
}

// Host memory that the device does not reach is copied by the CPU, by way of the batch's own.
Status VulkanTransfer::carry(const BandWork &band) {
    Batch &batch = *open_.batch;
    if (const Status status = device_.batches.need(batch, &Batch::carry, Place::host, band.bytes))
        return status;
    if (direction_ == Direction::unpack) {
        std::memcpy(batch.carry->mapped(), band.host, band.bytes);
        core().count_copied(band.bytes);
    } else {
        open_.to = band.host;
        open_.bytes = band.bytes;
    }
    return PIXMPI_SUCCESS;
}

VulkanTransfer::BandWork VulkanTransfer::band_of(std::uint64_t first, std::uint64_t count, Stage &stage,
                                                 std::size_t offset) const {
    BandWork band;
    band.first = first;
    band.count = count;
    band.bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(surface_->pixel_bytes);
    const auto *own = dynamic_cast<VulkanStage *>(&stage);
    if (own && own->buffer) {
        band.packed = {own->buffer, own->base + offset, band.bytes};
        band.foreign = own->foreign;
        band.in_host_memory = own->host != nullptr;
        band.same_gpu = own->same_gpu;
    } else {
        band.host = stage.host + offset;
    }
    return band;
}

bool VulkanTransfer::may_prepare() const {
    return !ahead_.batch && (!open_.batch || open_.prepared) && !surface_->is_shared() && region_->rects.size() == 1 &&
           surface_->is_image();
}

// A band's commands take as long to record as a small image to move. They are recorded while others still work on its
// pixels, if they need no memory meanwhile.
void VulkanTransfer::prepare(const BandWork &band) {
    if (!may_prepare())
        return;
    const bool ahead = may_go_ahead(band), combines = band.how.operation != 0;
    if ((open_.prepared == band && !ahead) || band.host || shares_batch(band) ||
        !(combines || moved_by_shader(band) || copied_directly(band)))
        return;
    if (open_batch(true) != PIXMPI_SUCCESS) // copy() will say so, if it is still so
        return;
    open_.prepared = band;
    if ((ahead && device_.batches.prepare_ahead(*open_.batch)) || record(*open_.batch, band)) {
        ahead_failed_ = ahead_failed_ || ahead;
        drop();
    } else if (ahead) {
        go_ahead(band);
    }
}

// A user's operation may have to be compiled first, which can fail.
void VulkanTransfer::prepare_combining(const Combination &how, std::uint64_t first, std::uint64_t count, Stage &stage,
                                       std::size_t offset) {
    BandWork band = band_of(first, count, stage, offset);
    if (!how.user && for_shader(how, surface_->format, band.how) && combined_by_shader(band))
        prepare(band);
}

Status VulkanTransfer::copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset,
                            Ticket &ticket) {
    return process(band_of(first, count, stage, offset), stage, ticket);
}

Status VulkanTransfer::combine(const Combination &how, Surface *depths, std::uint64_t first, std::uint64_t count,
                               Stage &stage, std::size_t offset, Ticket &ticket, bool &accepted) {
    BandWork band = band_of(first, count, stage, offset);
    if (depths) {
        band.depths = static_cast<VulkanSurface *>(depths);
        band.how = nearest_for_shader(how.order, surface_->format, depths->format);
        band.bytes += static_cast<std::size_t>(count) * static_cast<std::size_t>(depths->pixel_bytes);
        if (!band.host)
            band.packed.bytes = band.bytes;
        accepted = nearest_by_shader(band);
        return accepted ? process(band, stage, ticket) : PIXMPI_SUCCESS;
    }
    accepted = for_shader(how, surface_->format, band.how) && combined_by_shader(band);
    if (accepted && how.user) {
        const Access access = surface_->is_image() ? Access::storage : Access::none;
        Pixels pixels{VK_NULL_HANDLE, access, surface_->pixel_bytes, band.how};
        Status status = surface_->base ? surface_->base->integer_view(access, pixels.base) : PIXMPI_SUCCESS;
        if (!status)
            status = device_.shaders.compile_user(pixels, how.user, accepted);
        if (status) {
            accepted = false;
            return status;
        }
    }
    return accepted ? process(band, stage, ticket) : PIXMPI_SUCCESS;
}

// Both planes are recorded into the batch of the first one's transfer. Neither takes scratch memory or a scratch image,
// of which a batch has one. Semaphores of the program's may be for one plane after the other.
bool VulkanTransfer::joins(VulkanTransfer &other, const BandWork &band, const BandWork &others) const {
    const auto is_light = [](const VulkanTransfer &one, const BandWork &of) {
        const bool light =
            one.surface_->is_image() ? one.moved_by_shader(of) || one.copied_directly(of) : !one.is_stacked(of);
        return light && !of.host && !one.surface_->is_shared();
    };
    return is_light(*this, band) && is_light(other, others) &&
           !(surface_->has_promises() && other.surface_->has_promises());
}

// To the API a shader writes all that is bound, the end of the other plane too.
Status VulkanTransfer::record_both(const BandWork &band, VulkanTransfer &other, const BandWork &others) {
    Batch &batch = *open_.batch;
    if (const Status status = record(batch, band))
        return status;
    const bool alone = device_.shaders.is_bound_alone(band.packed) && device_.shaders.is_bound_alone(others.packed);
    if (direction_ == Direction::pack && !alone)
        order_steps(device_.vk, batch.commands, device_.queue_flags & VK_QUEUE_COMPUTE_BIT);
    return other.record(batch, others);
}

Status VulkanTransfer::join(VulkanTransfer &other) {
    if (open_.joined)
        return PIXMPI_SUCCESS;
    other.let_go();
    if (const Status status = other.submit())
        return status;
    other.drop(); // what was prepared
    open_.second = other.surface_.get();
    open_.second_before = open_.second->save();
    open_.joined = &other;
    other.joined_to_ = this;
    return PIXMPI_SUCCESS;
}

// What comes next of this plane follows the batch that has bands of it.
Status VulkanTransfer::leave_joined() {
    if (!joined_to_)
        return PIXMPI_SUCCESS;
    if (!joined_to_->open_.prepared)
        return joined_to_->submit();
    joined_to_->drop();
    return PIXMPI_SUCCESS;
}

Status VulkanTransfer::copy_both(Transfer &other, std::uint64_t first, std::uint64_t count, Stage &stage,
                                 std::size_t offset, std::size_t others, Ticket &ticket, bool &accepted) {
    auto &second = static_cast<VulkanTransfer &>(other); // planes are on one device
    const BandWork band = band_of(first, count, stage, offset), its = second.band_of(first, count, stage, others);
    accepted = joins(second, band, its);
    return accepted ? process(band, stage, ticket, &second, &its) : PIXMPI_SUCCESS;
}

bool VulkanTransfer::prepare_both(Transfer &other, std::uint64_t first, std::uint64_t count, Stage &stage,
                                  std::size_t offset, std::size_t others) {
    auto &second = static_cast<VulkanTransfer &>(other);
    const BandWork band = band_of(first, count, stage, offset), its = second.band_of(first, count, stage, others);
    if (!joins(second, band, its))
        return false;
    if (!may_prepare() || !second.surface_->is_image() || shares_batch(band) || open_.prepared == band)
        return true;
    if (open_batch(true) != PIXMPI_SUCCESS)
        return true;
    open_.prepared = band;
    if (join(second) || record_both(band, second, its))
        drop();
    return true;
}

Status VulkanTransfer::process(BandWork band, const Stage &stage, Ticket &ticket, VulkanTransfer *other,
                               const BandWork *others) {
    if (!other && ahead_.batch && ahead_.band == band)
        return adopt_ahead(ticket);
    let_go();
    const bool shares = shares_batch(band) && (!other || other->shares_batch(*others));
    const bool prepared = open_.prepared == band && open_.joined == other;
    Status status = PIXMPI_SUCCESS;
    if (prepared)
        open_.prepared.reset();
    else if (const Status failed = open_batch(!shares))
        return failed;
    else if (band.host)
        status = carry(band);
    if (band.host && status == PIXMPI_SUCCESS)
        band.packed = {open_.batch->carry->name(), 0, band.bytes};
    if (other && status == PIXMPI_SUCCESS)
        status = join(*other);
    if (!prepared && status == PIXMPI_SUCCESS)
        status = other ? record_both(band, *other, *others) : record(*open_.batch, band);
    if (status) {
        if (open_.ticket == 0) // else it has other bands, which what was recorded of this one does not harm
            drop();
        return status;
    }
    const auto *own = dynamic_cast<const VulkanStage *>(&stage);
    const bool counted = own && stage.packed && !band.host && direction_ == Direction::pack && device_.counts_bands();
    if (counted)
        count_band(*own);
    open_.ticket = bands_ + 1;
    open_.closes = band.first + band.count == pixels_;
    if (!shares || (direction_ == Direction::pack && !counted))
        if (const Status failed = submit())
            return failed;
    ticket = ++bands_;
    if (other)
        other->bands_ = bands_;
    return PIXMPI_SUCCESS;
}

// The device says itself that the band lies ready: it stands after the band's barrier. (That another process sees both
// in this order, without a fence, is what a CPU that runs commands gives beyond Vulkan's rules.)
void VulkanTransfer::count_band(const VulkanStage &stage) {
    const auto *counter = reinterpret_cast<const std::byte *>(stage.packed);
    const auto at = static_cast<VkDeviceSize>(static_cast<std::ptrdiff_t>(stage.base) + (counter - stage.host));
    device_.vk.CmdFillBuffer(open_.batch->commands, stage.buffer, at, 4, static_cast<std::uint32_t>(bands_ + 1));
}

Status VulkanTransfer::submit() {
    if (!open_.batch || open_.prepared)
        return PIXMPI_SUCCESS;
    Batch &batch = *open_.batch;
    VulkanTransfer *const both[] = {this, open_.joined};
    const std::span<VulkanTransfer *const> planes(both, open_.joined ? 2 : 1);
    bool were_closed[2]{};
    Semaphores waits, signals;
    for (std::size_t i = 0; i < planes.size(); ++i) {
        VulkanTransfer &one = *planes[i];
        were_closed[i] = one.closed_;
        const bool leaves = open_.closes && !one.closed_ && one.surface_->last_use();
        one.closed_ = one.closed_ || open_.closes;
        waits.add(one.surface_->claim_waits());
        if (leaves) {
            one.surface_->leave(batch);
            signals.add(one.surface_->claim_signals());
        }
    }
    if (const Status status = device_.batches.submit(batch, waits, signals)) { // nothing has happened
        for (std::size_t i = 0; i < planes.size(); ++i)
            planes[i]->closed_ = were_closed[i];
        if (open_.since < bands_)
            lost_ = status;
        drop();
        return status;
    }
    for (VulkanTransfer *const one : planes) {
        one->last_ = batch.number;
        one->joined_to_ = nullptr;
        if (one->closed_)
            one->count_submitting(false);
    }
    pending_.push_back(open_);
    open_ = {};
    return PIXMPI_SUCCESS;
}

Status VulkanTransfer::close() {
    if (closed_)
        return PIXMPI_SUCCESS;
    if (bands_ == 0 && !open_.batch && surface_->has_nothing_to_leave()) {
        closed_ = surface_->last_use();
        return PIXMPI_SUCCESS;
    }
    const Ticket bands = bands_;
    if (const Status status = open_batch(true))
        return status;
    open_.ticket = bands;
    open_.closes = true;
    return submit();
}

Status VulkanTransfer::poll(Ticket ticket, bool &over) {
    if (const Status status = submit())
        return status;
    if (lost_)
        return fail(lost_, "Vulkan: what several bands share was not submitted, expected that it is");
    if (const Status status = collect())
        return status;
    over = ticket <= over_ || pending_.empty();
    return PIXMPI_SUCCESS;
}

// What the queue has done since the last time.
Status VulkanTransfer::collect() {
    std::uint64_t reached = 0;
    if (const Status status = device_.batches.progress(reached))
        return status;
    while (!pending_.empty() && pending_.front().batch->number <= reached) {
        const Pending one = pending_.front();
        pending_.pop_front();
        over_ = std::max(over_, one.ticket);
        if (one.to) {
            std::memcpy(one.to, one.batch->carry->mapped(), one.bytes);
            core().count_copied(one.bytes);
        }
        device_.batches.release(*one.batch);
        if (core().stage_is_short())
            device_.batches.drop_idle();
    }
    settled_ = last_ <= reached && pending_.empty();
    return PIXMPI_SUCCESS;
}

Status VulkanTransfer::end() {
    if (const Status status = close())
        return status;
    return surface_->watch ? surface_->watch->ends(direction_) : PIXMPI_SUCCESS;
}

void VulkanTransfer::give_up() {
    let_go();
    drop();
    if (surface_->watch && !closed_)
        (void)surface_->watch->ends(direction_);
    for (Pending &one : pending_)
        one.to = nullptr;
}

bool VulkanTransfer::settled() {
    const bool yes = has_settled();
    if (yes)
        count_submitting(false);
    return yes;
}

bool VulkanTransfer::has_settled() {
    let_go(); // what could not be, when it should have
    if (device_.lost()) {
        // A device of which one call says that it is lost may still write what others would take for their pixels.
        if (!pending_.empty() && device_.batches.goes_on(pending_.back().batch->number) && has_patience())
            return false;
        pending_.clear();
        return true;
    }
    if (!closed_ && !device_.usable())
        return false;
    if (close() != PIXMPI_SUCCESS) {
        if (has_patience())
            return false;
        closed_ = true;
    }
    return collect() != PIXMPI_SUCCESS || settled_;
}

// Signals that never come are worse than an error: for some time others may give back what Vulkan lacks.
bool VulkanTransfer::has_patience() {
    constexpr std::chrono::milliseconds patience{500};
    const auto now = std::chrono::steady_clock::now();
    if (!failing_since_)
        failing_since_ = now;
    return now - *failing_since_ < patience;
}

} // namespace vkmpi
