#include "route/slots.h"

namespace pixmpi {

Hop::Hop(CudaStream &stream, std::uint64_t from, std::uint64_t to, const Layout &layout)
    : stream_(stream), from_(from), to_(to), layout_(layout), copies_(layout.places()) {}

Hop::~Hop() {
    std::uint64_t over = 0;
    while (over_ < started_ && progress(over) == PIXMPI_SUCCESS) {
    }
}

Status Hop::start(std::size_t bytes) {
    const std::uint64_t place = layout_.place(started_);
    if (const Status error = stream_.copy(to_ + place, from_ + place, bytes, copies_[started_ % copies_.size()]))
        return error;
    ++started_;
    return PIXMPI_SUCCESS;
}

Status Hop::progress(std::uint64_t &over) {
    std::uint64_t copies = 0;
    if (over_ < started_)
        if (const Status error = stream_.progress(copies))
            return error;
    while (over_ < started_ && copies_[over_ % copies_.size()] <= copies)
        ++over_;
    over = over_;
    return PIXMPI_SUCCESS;
}

Status GpuSlots::open(std::size_t bytes, bool &yes) {
    yes = lane_.take(*memory_, half_, bytes);
    return yes ? memory_->memory().make_stage(lane_.offset(), bytes, stage_) : PIXMPI_SUCCESS;
}

void GpuSlots::linger() {
    Slots::linger();
    memory_.reset();
}

Status HoppingSlots::start_hops(std::uint64_t limit, const BandSizes &sizes, bool &moved) {
    if (!hop_ && stream_ && limit > 0) {
        const bool packs = half_ == GpuHalf::sending;
        const std::uint64_t near = lane_.address();
        hop_.emplace(*stream_, packs ? near : far_, packs ? far_ : near, layout_);
    }
    while (hop_ && hop_->started() < limit) {
        if (const Status error = hop_->start(sizes.of(hop_->started())))
            return error;
        moved = true;
    }
    return PIXMPI_SUCCESS;
}

Status HoppingSlots::hops_over(std::uint64_t &over) {
    over = 0;
    return hop_ ? hop_->progress(over) : PIXMPI_SUCCESS;
}

void HoppingSlots::linger() {
    hop_.reset();
    GpuSlots::linger();
    lane_.give(); // nobody else reads it
}

namespace {

/// Where the receiver has made room for so many bytes, as this GPU writes there; 0: it has not yet.
Status find_place(const Flow &flow, const RemoteMemory &remote, std::size_t bytes, std::uint64_t &address) {
    const std::uint64_t place = flow.landing_place.load(std::memory_order_acquire);
    address = 0;
    if (place == 0)
        return PIXMPI_SUCCESS;
    if (bytes > remote.bytes || place - 1 > remote.bytes - bytes)
        return fail(PIXMPI_ERR_PEER, "the receiver names GPU memory that it does not have");
    address = remote.mapped->address() + place - 1;
    return PIXMPI_SUCCESS;
}

} // namespace

Status FarSlots::look(Device &device, bool &moved) {
    std::uint64_t address = 0;
    if (const Status error = find_place(flow_, *remote_, bytes_, address); error || address == 0)
        return error;
    moved = true;
    return device.make_far_stage(address, bytes_, stage_);
}

Status ToGpuSlots::start_hops(std::uint64_t limit, const BandSizes &sizes, bool &moved) {
    if (!stream_ && limit > 0)
        if (const Status error = look_for_place())
            return error;
    return HoppingSlots::start_hops(limit, sizes, moved);
}

Status ToGpuSlots::look_for_place() {
    if (const Status error = find_place(flow_, *remote_, layout_.plan.bytes(), far_))
        return error;
    if (far_)
        stream_ = remote_->stream.get();
    return PIXMPI_SUCCESS;
}

void ToGpuSlots::linger() {
    HoppingSlots::linger();
    remote_.reset();
    push_.end();
}

} // namespace pixmpi
