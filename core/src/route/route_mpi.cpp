#include "route/route_mpi.h"

#include <algorithm>
#include <mpi.h>

namespace pixmpi {

MpiSender::MpiSender(MpiAddress to, StageMemory &memory, std::shared_ptr<PeerMemory> gpu,
                     std::shared_ptr<Device> device, SlotPlan plan, std::uint64_t bands, bool outlives_device)
    : MpiPort(to, bands, memory, std::move(gpu), GpuHalf::sending, std::move(device), plan, outlives_device),
      outlives_device_(outlives_device) {}

MpiSender::~MpiSender() {
    // Of a start that has failed: the receiver knows nothing of it. A later go must not come here.
    if (go_ != MPI_REQUEST_NULL && mpi::cancel(go_) == PIXMPI_SUCCESS)
        MPI_Request_free(&go_);
    if (end_ != MPI_REQUEST_NULL)
        MPI_Request_free(&end_);
}

Status MpiSender::open(bool &waits) {
    if (!slots_.wants_gpu())
        if (const Status error = slots_.open(Claim::speculative, gone_))
            return error;
    waits = !gone_;
    return waits ? mpi::recv(other_.comm, nullptr, 0, other_.rank, other_.go_tag(), go_) : PIXMPI_SUCCESS;
}

Status MpiSender::advance(bool &moved) {
    if (!gone_) {
        if (const Status error = mpi::test(go_, gone_))
            return error;
        moved = moved || gone_;
    }
    if (gone_ && !slots_.is_open())
        return slots_.open(Claim::wanted, moved);
    return PIXMPI_SUCCESS;
}

Status MpiSender::ready(std::uint64_t k, Slot &slot, bool &yes) {
    yes = false;
    // A slot with a copy still under way has no request yet, and is not free.
    if (!has_slot(k))
        return PIXMPI_SUCCESS;
    if (const Status error = slots_.test(k, yes))
        return error;
    slot = slots_.slot(k);
    return PIXMPI_SUCCESS;
}

Status MpiSender::pass(std::uint64_t k, std::size_t bytes) {
    if (const Status error = slots_.plan.lengths_vary ? check_length(slots_.plan, bytes) : PIXMPI_SUCCESS)
        return error;
    if (const Status error = slots_.send(other_, k, bytes, k + 1 == bands_))
        return error; // the receiver still expects it
    passed_ = k + 1;
    return PIXMPI_SUCCESS;
}

Status MpiSender::over(bool &yes) {
    yes = false;
    if (!gone_)
        return PIXMPI_SUCCESS;
    for (MPI_Request *const one : {&go_, &end_})
        if (const Status error = mpi::test(*one, yes); error || !yes)
            return error;
    return slots_.test_all(yes);
}

bool MpiSender::has_sent(MPI_Comm comm) {
    bool yes = true;
    return other_.comm != comm || (slots_.idle() && mpi::test(end_, yes) == PIXMPI_SUCCESS && yes);
}

void MpiSender::give_up() {
    // The receiver expects a band, and its slot may still be on its way; nothing is read from it. It sends its go
    // first.
    if (passed_ < bands_)
        (void)mpi::send(other_.comm, nullptr, 0, other_.rank, other_.band_tag(), end_, true);
    gone_ = given_up_ = true;
}

MatchedSender::~MatchedSender() {
    if (go_ != MPI_REQUEST_NULL && mpi::cancel(go_) == PIXMPI_SUCCESS)
        MPI_Request_free(&go_);
}

Status MatchedSender::over(bool &yes) {
    if (const Status error = mpi::test(go_, yes); error || yes || !watch_.ended(*peer_))
        return error;
    for (int i = 0; i < 100 && !yes; ++i) // it may have sent it just before
        if (const Status error = mpi::test(go_, yes))
            return error;
    return yes ? PIXMPI_SUCCESS
               : fail(PIXMPI_ERR_PEER, "the receiver, process %d, has ended without a receive", peer_->card.pid);
}

MpiReceiver::MpiReceiver(MpiAddress from, StageMemory &memory, std::shared_ptr<PeerMemory> gpu,
                         std::shared_ptr<Device> device, SlotPlan plan, std::uint64_t pixels, int pixel_bytes,
                         bool send_go)
    : MpiPort(from, plan.bands(pixels).count(), memory, std::move(gpu), GpuHalf::landing_of_mpi, std::move(device),
              plan, false),
      sizes_({plan, pixels, static_cast<std::size_t>(pixel_bytes)}), send_go_(send_go) {}

MpiReceiver::~MpiReceiver() {
    if (go_ != MPI_REQUEST_NULL)
        MPI_Request_free(&go_);
}

void MpiReceiver::give_up() {
    // MPI may still write the bands that are expected: the port is kept, with its memory.
    slots_.cancel();
    given_up_ = true;
}

std::size_t MpiReceiver::most_bytes(std::uint64_t k) const {
    return slots_.plan.lengths_vary ? slots_.plan.slot_bytes : sizes_.of(k);
}

Status MpiReceiver::advance(bool &moved) {
    if (slots_.is_open())
        return PIXMPI_SUCCESS;
    bool opened = false;
    if (const Status error = slots_.open(Claim::receiving, opened))
        return error;
    if (!opened)
        return PIXMPI_SUCCESS;
    moved = true;
    for (std::uint64_t k = 0; k < std::min<std::uint64_t>(slots_.plan.slots, bands_); ++k)
        if (const Status error = slots_.recv(other_, k, most_bytes(k)))
            return error;
    return send_go_ ? mpi::send(other_.comm, nullptr, 0, other_.rank, other_.go_tag(), go_) : PIXMPI_SUCCESS;
}

Status MpiReceiver::ready(std::uint64_t k, Slot &slot, bool &yes) {
    yes = false;
    if (!has_slot(k))
        return PIXMPI_SUCCESS;
    if (k >= arrived_) {
        mpi::Arrival arrival;
        bool came = false;
        if (const Status error = slots_.test(k, came, &arrival))
            return error;
        if (!came)
            return PIXMPI_SUCCESS;
        if (arrival.bytes == 0)
            return fail(PIXMPI_ERR_PEER, "the sender gave the message up");
        sizes_.tell(k, arrival.bytes);
        if (arrival.bytes != sizes_.of(k))
            return fail(PIXMPI_ERR_PEER, "a band has %zu bytes, expected %zu", arrival.bytes, sizes_.of(k));
        arrived_ = k + 1;
        if (k == 0) {
            since_first_ = Wait();
        } else {
            arrivals_.bytes += arrival.bytes;
            arrivals_.seconds = std::chrono::duration<double>(since_first_.waited()).count();
        }
    }
    yes = true;
    slot = slots_.slot(k);
    slot.bytes = sizes_.announced(k);
    return PIXMPI_SUCCESS;
}

Status MpiReceiver::pass(std::uint64_t k, std::size_t) {
    passed_ = k + 1;
    const std::uint64_t next = k + slots_.plan.slots;
    return next < bands_ ? slots_.recv(other_, next, most_bytes(next)) : PIXMPI_SUCCESS;
}

Status MpiReceiver::over(bool &yes) {
    if (const Status error = mpi::test(go_, yes))
        return error;
    yes = yes && (!given_up_ || slots_.idle());
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
