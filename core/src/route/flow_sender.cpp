#include "route/flow_sender.h"

#include "process/process.h"

#include <algorithm>
#include <utility>

namespace pixmpi {
FlowSender::FlowSender(Process &process, std::vector<Receiver> receivers, Outgoing message)
    : process_(process), receivers_(std::move(receivers)), device_(std::move(message.device)),
      peer_memory_(std::move(message.peer_memory)), by_peer_(message.by_peer), row_pixels_(message.row_pixels),
      each_alone_(message.each_alone), shows_(message.transfer),
      way_(peer_memory_ ? Way::undecided : Way::host), layout_{message.plan, message.pixels,
                                                               static_cast<std::size_t>(message.pixel_bytes)},
      count_(layout_.count()) {
    for (Receiver &one : receivers_)
        one.flow = &process_.stage.map().flow(one.allocated_flow.index());
    if (shows_)
        offer(message.shown);
}

void FlowSender::offer(const ShownPixels &shown) {
    Flow &flow = *receivers_.front().flow;
    flow.shown = shown;
    offered_ = true;
}

/// The receiver may read what it has accepted as soon as the program's work on it is over.
Status FlowSender::look_at_order() {
    bool over = false;
    if (const Status error = shows_->look_at_order(over); error || !over)
        return error;
    shows_ = nullptr;
    receivers_.front().flow->packed.store(1, std::memory_order_release);
    return PIXMPI_SUCCESS;
}

/// False as long as it is open whether the receiver takes the pixels where they are. Few pixels do not wait for a
/// receiver: it finds what is offered soon, or when they are packed.
bool FlowSender::conclude_offer(bool &moved) {
    constexpr std::chrono::microseconds patience{10}; // as long as to pack them
    const Receiver &one = receivers_.front();
    const bool in_vain = one.matched() || (!peer_memory_ && offered_since_.waited() > patience);
    if (!in_vain && one.flow->offer.load(std::memory_order_acquire) == Flow::offered)
        return false;
    moved = true;
    offered_ = false;
    if (one.flow->decide(Flow::withdrawn)) {
        shows_ = nullptr;
        one.flow->packed.store(0, std::memory_order_relaxed);
        way_ = peer_memory_ ? Way::undecided : Way::host;
        return true;
    }
    way_ = Way::in_place;
    layout_.plan = one_band(layout_.pixels, layout_.pixel_bytes);
    count_ = 1;
    opened_ = true;
    return true;
}

void FlowSender::agree(const PlanRequest &request) { agreement_.emplace(*receivers_.front().flow, request); }

Status FlowSender::advance(bool &moved) {
    if (offered_ && !conclude_offer(moved))
        return shows_ ? look_at_order() : PIXMPI_SUCCESS;
    if (way_ == Way::in_place)
        return shows_ ? look_at_order() : PIXMPI_SUCCESS;
    if (opened_ && far_ && !far_->is_there() && sent_ < count_)
        return device_->usable() ? far_->look(*device_, moved) : PIXMPI_SUCCESS;
    if (opened_)
        return is_copying() ? copy_bands(moved) : PIXMPI_SUCCESS;
    if (way_ == Way::undecided) {
        if (!device_ || !all_matched() || !device_->usable())
            return PIXMPI_SUCCESS;
        way_ = choose(moved);
        moved = moved || way_ != Way::undecided;
    }
    if (!device_ || way_ == Way::undecided)
        return PIXMPI_SUCCESS;
    const Status error = way_ == Way::host ? open_host() : open_gpu();
    moved = moved || opened_;
    return error;
}

bool FlowSender::all_matched() const {
    return std::all_of(receivers_.begin(), receivers_.end(),
                       [](const Receiver &one) { return one.left_out || one.matched(); });
}

FlowSender::Way FlowSender::choose(bool &moved) {
    if (!by_peer_)
        return without_peer();
    bool same = true;
    for (Receiver &one : receivers_) {
        if (one.left_out)
            continue;
        if (!one.introduction)
            one.introduction.emplace(process_, *peer_memory_, *one.flow, one.peer);
        const Introduction::Result result = one.introduction->go_on(moved);
        if (result == Introduction::Result::later)
            return Way::undecided;
        if (result == Introduction::Result::other_gpu && receivers_.size() == 1)
            return gains_by_host() ? Way::host : Way::to_gpu;
        same = same && result == Introduction::Result::same_gpu;
    }
    return same ? Way::same_gpu : without_peer();
}

// A copy engine has to be asked to copy to another GPU, and asked whether it has. Meanwhile GPUs write some hundred KB
// to the host's memory and read them: measured where copies are commands in a queue. How many is a multiple of what
// does not ask for another GPU at all.
bool FlowSender::gains_by_host() const {
    const std::uint64_t most = 4 * std::uint64_t{process_.options.eager_bytes}; // 256 KB
    return process_.options.shm && device_->reaches_shared() && device_->copies_in_order() &&
           !device_->packs_to_other_gpus() && layout_.bytes() <= most;
}

FlowSender::Way FlowSender::without_peer() {
    const bool copies = way_ != Way::through_host && PeerMemory::needs_copies(*device_, layout_.bytes()) &&
                        peer_memory_->open(process_.options.peer_bytes) && peer_memory_->host_stream(Direction::pack) &&
                        peer_memory_->address_of(process_.stage.map(), nullptr);
    return copies ? Way::through_host : Way::host;
}

Status FlowSender::open_host() {
    const bool matched = all_matched();
    if (agreement_ && !agreement_->conclude(matched, layout_))
        return PIXMPI_SUCCESS;
    agreement_.reset();
    count_ = layout_.count();
    const SlotPlan &plan = layout_.plan;
    if (!allocate(plan, plan.bytes(), matched ? Claim::wanted : Claim::speculative))
        return PIXMPI_SUCCESS;
    if (const Status error = slots_.use_host().open(*device_, allocation_.base(), plan.bytes()))
        return error;
    if (receivers_.size() == 1)
        slots_->stage().packed = &receivers_.front().flow->packed;
    announce(0, allocation_.offset());
    return PIXMPI_SUCCESS;
}

/// Memory that all receivers have mapped: for the slots, and for lengths behind them.
bool FlowSender::allocate(const SlotPlan &plan, std::size_t slots_bytes, Claim claim) {
    const std::size_t lengths = plan.lengths_vary ? Lengths::bytes(plan.slots) : 0;
    if (slots_bytes + lengths == 0)
        return true;
    if (!allocation_.allocate(process_.stage, slots_bytes + lengths, claim))
        return false;
    lengths_place_ = lengths ? allocation_.offset() + slots_bytes : 0;
    lengths_ = plan.lengths_vary ? Lengths(allocation_.base() + slots_bytes, plan.slots) : Lengths();
    return true;
}

SlotPlan FlowSender::plan_for_gpu() const {
    const GpuRequest request{*peer_memory_, process_.options, layout_.pixels, layout_.pixel_bytes, row_pixels_};
    const bool vary = layout_.plan.lengths_vary;
    const std::size_t half = peer_memory_->half();
    if (way_ == Way::same_gpu)
        return vary ? fit_gpu(layout_.plan, half) : plan_same_gpu(request);
    const std::size_t room = way_ == Way::to_gpu ? once(receivers_.front().flow->landing_room)
                                                 : StageMemory::largest(process_.stage.map().bytes);
    if (vary)
        return fit_gpu(layout_.plan, std::min(room, half));
    return way_ == Way::to_gpu ? plan_to_gpu(request, room) : plan_through_host(request, room);
}

Status FlowSender::open_gpu() {
    if (!device_->usable())
        return PIXMPI_SUCCESS;
    const Layout layout{plan_for_gpu(), layout_.pixels, layout_.pixel_bytes};
    const SlotPlan &plan = layout.plan;
    if (plan.slots == 0) { // the receiver has no room after all
        way_ = without_peer();
        return PIXMPI_SUCCESS;
    }
    if (way_ == Way::to_gpu && device_->packs_to_other_gpus() && !plan.lengths_vary) {
        open_far(layout);
        return PIXMPI_SUCCESS;
    }
    if (!allocate(plan, way_ == Way::through_host ? plan.bytes() : 0, Claim::wanted))
        return PIXMPI_SUCCESS;
    std::unique_ptr<GpuSlots> slots = make_gpu_slots(layout);
    bool yes = false;
    if (const Status error = slots->open(plan.bytes(), yes))
        return error;
    if (!yes) {
        allocation_.free();
        return PIXMPI_SUCCESS;
    }
    layout_ = layout;
    count_ = layout.bands().count();
    if (way_ == Way::to_gpu)
        groups_ = group_bands(*peer_memory_, layout, each_alone_);
    const std::uint64_t place = way_ == Way::through_host ? allocation_.offset() : slots->offset();
    const std::uint32_t memory = way_ == Way::through_host ? 0 : peer_memory_->number;
    slots_.use(std::move(slots));
    announce(memory, place, way_ == Way::to_gpu ? Flow::slots_there : Flow::slots_here);
    return PIXMPI_SUCCESS;
}

/// Nothing is packed before the receiver has room for it.
void FlowSender::open_far(const Layout &layout) {
    const Receiver &one = receivers_.front();
    layout_ = layout;
    count_ = layout.bands().count();
    auto slots = std::make_unique<FarSlots>(one.introduction->remote(), *one.flow, layout.plan.bytes());
    far_ = slots.get();
    slots_.use(std::move(slots));
    announce(peer_memory_->number, 0, Flow::slots_there);
}

std::unique_ptr<GpuSlots> FlowSender::make_gpu_slots(const Layout &layout) const {
    switch (way_) {
    case Way::through_host:
        return std::make_unique<CopiedSlots>(
            peer_memory_, Direction::pack, layout, peer_memory_->host_stream(Direction::pack),
            peer_memory_->address_of(process_.stage.map(), nullptr) + allocation_.offset());
    case Way::to_gpu: {
        const Receiver &one = receivers_.front();
        return std::make_unique<ToGpuSlots>(peer_memory_, layout, one.introduction->remote(), *one.flow);
    }
    default:
        return std::make_unique<GpuSlots>(peer_memory_, GpuHalf::sending);
    }
}

/// The slots are there, `slots_at` bytes into the memory of that number (0: the stage memory).
void FlowSender::announce(std::uint32_t memory, std::uint64_t slots_at, Flow::Opened how) {
    opened_ = true;
    copies_ = slots_->copies();
    sizes_ = BandSizes(layout_);
    const SlotPlan &plan = layout_.plan;
    for (const Receiver &one : receivers_) {
        Flow &flow = *one.flow;
        flow.memory = memory;
        flow.slots_at = slots_at;
        flow.lengths = lengths_place_;
        flow.band_pixels = plan.band_pixels;
        flow.slot_bytes = plan.slot_bytes;
        flow.slots = static_cast<std::uint16_t>(plan.together ? 0 : plan.slots);
        flow.steps = static_cast<std::uint16_t>(plan.steps);
        flow.opened.store(how, std::memory_order_release);
    }
}

std::uint64_t FlowSender::band_pixels(std::uint64_t k) const {
    if (groups_.empty())
        return layout_.band_pixels(k);
    const Bands bands = layout_.bands();
    return bands.first(groups_[k]) - bands.first(group_begins(k));
}

Status FlowSender::ready(std::uint64_t k, Slot &slot, bool &yes) {
    const SlotPlan &plan = layout_.plan;
    if (!groups_.empty()) {
        yes = true;
        slot = {&slots_->stage(), layout_.place(group_begins(k))};
        return PIXMPI_SUCCESS;
    }
    if (offered_ || way_ == Way::in_place) { // it may have read what is offered before this end knows
        yes = !offered_ && receivers_.front().consumed() > 0;
        return yes ? PIXMPI_SUCCESS : leave_out();
    }
    std::uint64_t consumed = 0;
    if (const Status error = consumed_by_all(k, consumed))
        return error;
    yes = opened_ && slots_->is_there() && (plan.together || k < consumed + plan.slots);
    if (opened_ && slots_->is_there())
        slot = {&slots_->stage(), layout_.place(k)};
    return yes ? PIXMPI_SUCCESS : leave_out();
}

/// How many bands have been consumed by all receivers that take part, when `k` have been packed.
Status FlowSender::consumed_by_all(std::uint64_t k, std::uint64_t &consumed) const {
    consumed = k;
    for (const Receiver &one : receivers_) {
        const std::uint64_t by_one = one.left_out ? k : one.consumed();
        if (by_one > k)
            return fail(PIXMPI_ERR_PEER, "the receiver says that it has read bands that have not been sent");
        consumed = std::min(consumed, by_one);
    }
    return PIXMPI_SUCCESS;
}

/// Of the receivers that the others wait for: one that has given up, or ended, takes part no longer. An error when none
/// is left, and the last one has ended.
Status FlowSender::leave_out() {
    std::size_t left = 0;
    const Peer *ended = nullptr;
    for (Receiver &one : receivers_) {
        if (!one.left_out && one.watch.ended(*one.peer))
            ended = one.peer.get();
        one.left_out = one.left_out || ended == one.peer.get() || one.gave_up();
        left += !one.left_out;
    }
    if (ended && left == 0)
        return fail(PIXMPI_ERR_PEER, "the receiver, process %d, has ended", ended->card.pid);
    return PIXMPI_SUCCESS;
}

Status FlowSender::pass(std::uint64_t k, std::size_t bytes) {
    packed_ = groups_.empty() ? k + 1 : groups_[k];
    if (lengths_) {
        if (const Status error = check_length(layout_.plan, bytes))
            return error;
        sizes_.tell(k, bytes);
        lengths_.set(k, bytes);
    }
    if (copies_) {
        bool moved = false;
        return slots_->start_copies(packed_, sizes_, moved);
    }
    publish(packed_);
    return PIXMPI_SUCCESS;
}

/// So many bands are where the receivers find them.
void FlowSender::publish(std::uint64_t bands) {
    sent_ = bands;
    for (const Receiver &one : receivers_)
        if (one.flow->packed.load(std::memory_order_relaxed) < bands) // else the device has counted it, and more
            one.flow->packed.store(bands, std::memory_order_release);
    if (bands == count_)
        release_device(); // now, while it is at hand; the memory stays until the receivers have it all
}

Status FlowSender::copy_bands(bool &moved) {
    std::uint64_t over = 0;
    if (const Status error = slots_->start_copies(packed_, sizes_, moved))
        return error;
    if (const Status error = slots_->copies_over(over))
        return error;
    if (over != sent_) {
        moved = true;
        publish(over);
    }
    return PIXMPI_SUCCESS;
}

void FlowSender::release_device() {
    if (is_copying())
        return; // they still read the device's memory
    if (given_up_ && may_write_there())
        notify_receivers_of_giving_up(); // the transfer has settled
    if (slots_)
        slots_->release_device();
    shows_ = nullptr;
    offered_ = false;
    for (Receiver &one : receivers_)
        one.introduction.reset();
    peer_memory_.reset();
    device_.reset();
}

bool FlowSender::other_gave_up() const {
    return std::all_of(receivers_.begin(), receivers_.end(),
                       [](const Receiver &one) { return one.left_out || one.gave_up(); });
}

Status FlowSender::over(bool &yes) {
    bool moved = false;
    if (is_copying())
        if (const Status error = copy_bands(moved))
            return error;
    yes = std::all_of(receivers_.begin(), receivers_.end(), [&](Receiver &one) {
        return one.left_out || one.gave_up() || one.consumed() >= count_ || one.watch.ended(*one.peer);
    });
    return PIXMPI_SUCCESS;
}

// Over when the receivers have seen it, and have also given up; or when they have all bands, as a device that counts
// bands may have gone on. Copies under way end first: a receiver gives the memory to others then.
void FlowSender::give_up() {
    if (slots_)
        slots_->end_copies();
    if (std::exchange(offered_, false))
        (void)receivers_.front().flow->decide(Flow::withdrawn);
    shows_ = nullptr;
    given_up_ = true;
    if (!may_write_there()) // else release_device() does
        notify_receivers_of_giving_up();
}

void FlowSender::notify_receivers_of_giving_up() {
    for (const Receiver &one : receivers_)
        one.flow->sender_gave_up.store(1, std::memory_order_release);
}

} // namespace pixmpi
