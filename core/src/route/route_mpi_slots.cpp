#include "route/route_mpi_slots.h"

#include "process/process.h"

#include <mpi.h>

namespace pixmpi {

std::shared_ptr<PeerMemory> gpu_memory_for_mpi(const Process &process, const std::shared_ptr<Device> &device,
                                               std::uint64_t bytes, std::size_t eager_bytes) {
    if (!process.gpu_aware || bytes <= eager_bytes || device->near_host() || !device->shares_with_mpi() ||
        !device->usable() || !CudaGpu::possible())
        return nullptr;
    std::shared_ptr<PeerMemory> memory = PeerMemory::of(device);
    return memory && memory->open(process.options.peer_bytes) && memory->reaches_others() ? memory : nullptr;
}

MpiSlots::MpiSlots(StageMemory &memory, std::shared_ptr<PeerMemory> gpu, GpuHalf half, std::shared_ptr<Device> device,
                   SlotPlan plan_, bool outlives_device)
    : plan(plan_), memory_(memory), half_(half), outlives_device_(outlives_device), device_(std::move(device)),
      gpu_(gpu && plan.bytes() <= gpu->room(half) ? std::move(gpu) : nullptr) {
    requests_.fill(MPI_REQUEST_NULL);
}

MpiSlots::~MpiSlots() {
    if (!idle()) // of a start that has failed, or MPI has: else the port would be kept
        for (MPI_Request &one : requests_)
            if (one != MPI_REQUEST_NULL)
                MPI_Request_free(&one);
}

BandNumbers::Reserved BandNumbers::reserve(const std::shared_ptr<BandNumbers> &numbers) {
    BandNumbers &all = *numbers;
    if (all.reserved_.size() >= all.count_)
        return nullptr;
    while (all.reserved_.contains(all.next_))
        all.next_ = (all.next_ + 1) % all.count_;
    const auto release = [numbers](const std::uint32_t *number) {
        numbers->reserved_.erase(*number);
        delete number;
    };
    Reserved reserved(new std::uint32_t(all.next_), release);
    all.reserved_.insert(all.next_);
    all.next_ = (all.next_ + 1) % all.count_;
    return reserved;
}

void MpiSlots::release_device() {
    if (!allocation_ && !gpu_allocation_)
        return;
    stage_.reset();
    gpu_.reset();
    device_.reset();
}

namespace {

/// Makes the stage of an allocation, which is given back when there is none: all is as before then.
template <class Allocation, class Make> Status make_stage_of(Allocation &allocation, Make make) {
    const Status error = without_throwing(make);
    if (error)
        allocation.free();
    return error;
}

} // namespace

Status MpiSlots::open(Claim claim, bool &yes) {
    yes = false;
    // The host's memory does when the GPU's is used up. Messages of the peer route wait for GPU memory, so that its
    // users must not wait for what such a message holds.
    if (gpu_ && gpu_allocation_.allocate(*gpu_, half_, plan.bytes())) {
        yes = true;
        return make_stage_of(gpu_allocation_,
                             [&] { return gpu_->memory().make_stage(gpu_allocation_.offset(), plan.bytes(), stage_); });
    }
    if (!device_->reaches_shared() && !outlives_device_) {
        const Status error = device_->make_stage(StageKind::mapped, nullptr, plan.bytes(), stage_);
        if (error != PIXMPI_ERR_MEMORY) {
            yes = !error;
            return error;
        }
    }
    if (!allocation_.allocate(memory_, plan.bytes(), claim))
        return PIXMPI_SUCCESS;
    yes = true;
    return make_stage_of(allocation_, [&] {
        return device_->make_stage(StageKind::shared, allocation_.base(), allocation_.bytes(), stage_);
    });
}

std::byte *MpiSlots::data(std::uint64_t k) const {
    std::byte *const first = gpu_allocation_ ? reinterpret_cast<std::byte *>(gpu_allocation_.address())
                             : allocation_   ? allocation_.base()
                                             : stage_->host;
    return first + k % plan.slots * plan.slot_bytes;
}

Status MpiSlots::send(const MpiAddress &to, std::uint64_t k, std::size_t bytes, bool last) {
    const CudaCurrent current(gpu_allocation_.gpu());
    return mpi::send(to.comm, data(k), bytes, to.rank, to.band_tag(), request(k), last);
}

Status MpiSlots::recv(const MpiAddress &from, std::uint64_t k, std::size_t bytes) {
    const CudaCurrent current(gpu_allocation_.gpu());
    return mpi::recv(from.comm, data(k), bytes, from.rank, from.band_tag(), request(k));
}

Status MpiSlots::test(std::uint64_t k, bool &over, mpi::Arrival *arrival) {
    const CudaCurrent current(request(k) == MPI_REQUEST_NULL ? nullptr : gpu_allocation_.gpu());
    return mpi::test(request(k), over, arrival);
}

Status MpiSlots::test_all(bool &over) {
    over = true;
    for (std::uint32_t i = 0; over && i < plan.slots; ++i)
        if (const Status error = test(i, over))
            return error;
    return PIXMPI_SUCCESS;
}

void MpiSlots::cancel() {
    const CudaCurrent current(gpu_allocation_.gpu());
    for (MPI_Request &one : requests_)
        if (one != MPI_REQUEST_NULL)
            (void)mpi::cancel(one);
}

bool MpiSlots::idle() {
    bool all = true;
    for (std::uint32_t i = 0; i < plan.slots; ++i) {
        bool over = false;
        (void)test(i, over);
        all = all && over;
    }
    return all;
}

} // namespace pixmpi
