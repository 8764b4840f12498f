#include "route/flow_receiver.h"

#include "process/process.h"
#include "route/introduction.h"

#include <algorithm>

namespace pixmpi {

FlowReceiver::FlowReceiver(Process &process, Incoming message)
    : process_(process), peer_(std::move(message.peer)), flow_(peer_->stage().flow(message.flow)),
      device_(std::move(message.device)), peer_memory_(std::move(message.peer_memory)),
      wish_(std::move(message.wish)), layout_{{}, message.pixels, static_cast<std::size_t>(message.pixel_bytes)} {
    layout_.plan.lengths_vary = message.lengths_vary;
    tell(wish_, flow_);
    if (peer_memory_ && message.by_peer)
        introduce(process_, *peer_memory_, flow_);
    if (message.seen && flow_.decide(Flow::accepted))
        open_in_place(std::move(message.seen));
    flow_.matched.store(1, std::memory_order_release);
}

FlowReceiver::~FlowReceiver() {
    if (FlowReceiver::must_drain() && !flow_.sender_gave_up.load(std::memory_order_acquire))
        slots_->rest(); // the sender has ended
}

Status FlowReceiver::advance(bool &moved) {
    if (opened_)
        return copies_ ? copy_bands(moved) : PIXMPI_SUCCESS;
    const std::uint32_t said = flow_.opened.load(std::memory_order_acquire);
    if (said == Flow::not_yet) {
        if (peer_memory_)
            process_.descriptors.look_at_times();
        return PIXMPI_SUCCESS;
    }
    if (!device_->usable())
        return PIXMPI_SUCCESS;
    if (said == Flow::slots_here || said == Flow::slots_there) {
        const Status error = open(said == Flow::slots_here);
        moved = moved || opened_;
        return error;
    }
    if (flow_.reached.load(std::memory_order_relaxed) == 0)
        answer(process_, peer_memory_.get(), flow_, peer_, said == Flow::asks_reach, moved);
    return PIXMPI_SUCCESS;
}

Status FlowReceiver::open(bool here) {
    SlotPlan &plan = layout_.plan;
    plan.band_pixels = once(flow_.band_pixels);
    plan.slot_bytes = once(flow_.slot_bytes);
    plan.slots = once(flow_.slots);
    plan.steps = once(flow_.steps);
    plan.together = !here && plan.slots == 0;
    if (plan.together)
        plan.slots = 1;
    slots_at_ = once(flow_.slots_at);
    const std::uint32_t memory = once(flow_.memory);
    if (const Status error = adopt(wish_, here && memory == 0, layout_))
        return error;
    if (!here)
        return open_landing();
    if (memory)
        return open_imported(peer_memory_ ? peer_memory_->find(*peer_, memory) : nullptr);
    return open_host();
}

/// Whether the allocation that the sender names is one, within `bytes`, and the lengths of its bands are there.
Status FlowReceiver::check_slots(std::size_t bytes) {
    const SlotPlan &plan = layout_.plan;
    const std::uint64_t most = layout_.most_pixels(), pixels = plan.together ? layout_.pixels : most;
    const bool fits = plan.lengths_vary ? !plan.together : pixels <= plan.slot_bytes / layout_.pixel_bytes;
    if (plan.slots == 0 || most == 0 || !fits || plan.slot_bytes == 0 || plan.slot_bytes > bytes / plan.slots ||
        slots_at_ > bytes - plan.bytes())
        return fail(PIXMPI_ERR_PEER, "the sender's stage memory holds no valid slots");
    if (!plan.lengths_vary)
        return PIXMPI_SUCCESS;
    const StageMap &map = peer_->stage();
    const std::uint64_t at = once(flow_.lengths);
    if (at == 0 || at % sizeof(std::uint64_t) != 0 || at > map.bytes || Lengths::bytes(plan.slots) > map.bytes - at)
        return fail(PIXMPI_ERR_PEER, "the sender's stage memory holds no valid lengths");
    lengths_ = Lengths(map.base + at, plan.slots);
    return PIXMPI_SUCCESS;
}

Status FlowReceiver::open_host() {
    const StageMap &map = peer_->stage();
    const SlotPlan &plan = layout_.plan;
    if (const Status error = check_slots(map.bytes))
        return error;
    // The sender does not know how much may land here.
    if (peer_memory_ && PeerMemory::needs_copies(*device_, layout_.bytes()) &&
        peer_memory_->open(process_.options.peer_bytes) && plan.bytes() <= peer_memory_->room(GpuHalf::landing)) {
        CudaStream *const stream = peer_memory_->host_stream(Direction::unpack);
        if (const std::uint64_t base = stream ? peer_memory_->address_of(map, peer_) : 0)
            return open_copied(*stream, base + slots_at_);
    }
    if (const Status error = slots_.use_host().open(*device_, map.base + slots_at_, plan.bytes()))
        return error;
    opened();
    return PIXMPI_SUCCESS;
}

Status FlowReceiver::open_copied(CudaStream &stream, std::uint64_t from) {
    auto slots = std::make_unique<CopiedSlots>(peer_memory_, Direction::unpack, layout_, &stream, from);
    bool yes = false;
    if (const Status error = slots->open(layout_.plan.bytes(), yes); error || !yes)
        return error; // and again, when others have given memory back
    slots_.use(std::move(slots));
    opened();
    return PIXMPI_SUCCESS;
}

Status FlowReceiver::open_imported(std::shared_ptr<RemoteMemory> memory) {
    if (!memory || !memory->memory)
        return fail(PIXMPI_ERR_PEER, "the sender names GPU memory that this rank does not reach");
    if (const Status error = check_slots(memory->bytes))
        return error;
    auto slots = std::make_unique<ImportedSlots>();
    if (const Status error = slots->open(std::move(memory), slots_at_, layout_.plan.bytes()))
        return error;
    slots->stage().same_gpu = true;
    slots_.use(std::move(slots));
    opened();
    return PIXMPI_SUCCESS;
}

// Copies from a GPU are faster than copies to one, and begin sooner, so that the sender makes them.
Status FlowReceiver::open_landing() {
    if (!peer_memory_ || !peer_memory_->open(process_.options.peer_bytes))
        return fail(PIXMPI_ERR_PEER, "the sender wants GPU memory that this rank does not have");
    slots_at_ = 0; // the receiver's
    if (const Status error = check_slots(peer_memory_->room(GpuHalf::landing)))
        return error;
    auto slots = std::make_unique<LandingSlots>(peer_memory_);
    bool yes = false;
    if (const Status error = slots->open(layout_.plan.bytes(), yes); error || !yes)
        return error; // and again, when others have given memory back
    const std::uint64_t place = slots->offset();
    slots_.use(std::move(slots));
    opened();
    flow_.landing_place.store(1 + place, std::memory_order_release);
    return PIXMPI_SUCCESS;
}

void FlowReceiver::open_in_place(std::unique_ptr<Stage> pixels) {
    in_place_ = true;
    layout_.plan = one_band(layout_.pixels, layout_.pixel_bytes);
    slots_.use(std::make_unique<SeenSlots>(std::move(pixels)));
    opened();
}

void FlowReceiver::opened() {
    opened_ = true;
    copies_ = slots_->copies();
    count_ = layout_.count();
    places_ = layout_.places();
    sizes_ = BandSizes(layout_);
}

Status FlowReceiver::ready(std::uint64_t k, Slot &slot, bool &yes) {
    if (opened_ && !copies_ && k >= arrived_) {
        if (const Status error = look())
            return error;
        arrived_ = seen_;
    }
    yes = opened_ && k < arrived_;
    if (!yes)
        if (const Status error = check_sender(k))
            return error;
    if (opened_ && (yes || !lengths_))
        slot = {&slots_->stage(), layout_.place(k), sizes_.announced(k)};
    return PIXMPI_SUCCESS;
}

/// Sees what the sender has packed since, as far as there are places for it, and reads how long the bands are.
Status FlowReceiver::look() {
    const std::uint64_t packed = std::min(flow_.packed.load(std::memory_order_acquire), passed_ + places_);
    for (; lengths_ && seen_ < packed; ++seen_) {
        const std::uint64_t bytes = lengths_.get(seen_);
        if (bytes == 0 || bytes > layout_.plan.slot_bytes)
            return fail(PIXMPI_ERR_PEER, "the sender says that a band has %llu bytes, expected 1 to %zu",
                        static_cast<unsigned long long>(bytes), layout_.plan.slot_bytes);
        sizes_.tell(seen_, bytes);
    }
    seen_ = packed;
    return PIXMPI_SUCCESS;
}

/// The sender's slots are free once their bands have been copied, and its flow may serve another message after the last
/// one.
Status FlowReceiver::copy_bands(bool &moved) {
    if (arrived_ == count_)
        return PIXMPI_SUCCESS;
    if (const Status error = look())
        return error;
    if (seen_ > count_)
        return fail(PIXMPI_ERR_PEER, "the sender has packed more than it announced");
    if (const Status error = slots_->start_copies(seen_, sizes_, moved))
        return error;
    std::uint64_t over = 0;
    if (const Status error = slots_->copies_over(over))
        return error;
    if (over != arrived_) {
        arrived_ = over;
        flow_.consumed.store(over, std::memory_order_release);
        moved = true;
    }
    return PIXMPI_SUCCESS;
}

/// Whether the sender has packed band `k`. Before it opens its slots it only counts what it offers, which another
/// receiver could have accepted.
bool FlowReceiver::is_packed(std::uint64_t k) const {
    return (in_place_ || flow_.opened.load(std::memory_order_acquire) != Flow::not_yet) &&
           k < flow_.packed.load(std::memory_order_acquire);
}

/// An error when band `k` will never come.
Status FlowReceiver::check_sender(std::uint64_t k) {
    if (is_packed(k))
        return PIXMPI_SUCCESS;
    if (flow_.sender_gave_up.load(std::memory_order_acquire))
        return fail(PIXMPI_ERR_PEER, "the sender gave the message up");
    // What it packed before it ended is there for good, so look again after it has ended.
    if (watch_.ended(*peer_) && !is_packed(k))
        return fail(PIXMPI_ERR_PEER, "the sender, process %d, has ended", peer_->card.pid);
    return PIXMPI_SUCCESS;
}

Status FlowReceiver::pass(std::uint64_t k, std::size_t) {
    if (in_place_ && flow_.sender_gave_up.load(std::memory_order_acquire)) // and may have written there
        return fail(PIXMPI_ERR_PEER, "the sender gave the message up");
    passed_ = k + 1;
    if (!copies_)
        flow_.consumed.store(passed_, std::memory_order_release);
    return PIXMPI_SUCCESS;
}

Status FlowReceiver::over(bool &yes) {
    yes = true;
    return PIXMPI_SUCCESS;
}

void FlowReceiver::give_up() {
    const bool all = opened_ && (copies_ ? arrived_ : passed_) == count_;
    if (!all) // else the flow may serve another message already
        flow_.receiver_gave_up.store(1, std::memory_order_release);
}

} // namespace pixmpi
