#include "route/slots.h"

namespace pixmpi {

EngineCopy::EngineCopy(CudaStream &stream, std::uint64_t from, std::uint64_t to, const Layout &layout)
    : stream_(stream), from_(from), to_(to), layout_(layout), copies_(layout.places()) {}

EngineCopy::~EngineCopy() {
    std::uint64_t over = 0;
    while (over_ < started_ && progress(over) == PIXMPI_SUCCESS) {
    }
}

Status EngineCopy::start(std::size_t bytes) {
    const std::uint64_t place = layout_.place(started_);
    if (const Status error = stream_.copy(to_ + place, from_ + place, bytes, copies_[started_ % copies_.size()]))
        return error;
    ++started_;
    return PIXMPI_SUCCESS;
}

Status EngineCopy::progress(std::uint64_t &over) {
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
    yes = allocation_.allocate(*memory_, half_, bytes);
    return yes ? memory_->memory().make_stage(allocation_.offset(), bytes, stage_) : PIXMPI_SUCCESS;
}

void GpuSlots::release_device() {
    Slots::release_device();
    memory_.reset();
}

Status CopiedSlots::start_copies(std::uint64_t limit, const BandSizes &sizes, bool &moved) {
    if (!engine_copy_ && stream_ && limit > 0) {
        const bool packs = half_ == GpuHalf::sending;
        const std::uint64_t near = allocation_.address();
        engine_copy_.emplace(*stream_, packs ? near : far_, packs ? far_ : near, layout_);
    }
    while (engine_copy_ && engine_copy_->started() < limit) {
        if (const Status error = engine_copy_->start(sizes.of(engine_copy_->started())))
            return error;
        moved = true;
    }
    return PIXMPI_SUCCESS;
}

Status CopiedSlots::copies_over(std::uint64_t &over) {
    over = 0;
    return engine_copy_ ? engine_copy_->progress(over) : PIXMPI_SUCCESS;
}

void CopiedSlots::release_device() {
    engine_copy_.reset();
    GpuSlots::release_device();
    allocation_.free(); // nobody else reads it
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

Status ToGpuSlots::start_copies(std::uint64_t limit, const BandSizes &sizes, bool &moved) {
    if (!stream_ && limit > 0)
        if (const Status error = look_for_place())
            return error;
    return CopiedSlots::start_copies(limit, sizes, moved);
}

Status ToGpuSlots::look_for_place() {
    if (const Status error = find_place(flow_, *remote_, layout_.plan.bytes(), far_))
        return error;
    if (far_)
        stream_ = remote_->stream.get();
    return PIXMPI_SUCCESS;
}

void ToGpuSlots::release_device() {
    CopiedSlots::release_device();
    remote_.reset();
    push_.end();
}

} // namespace pixmpi
