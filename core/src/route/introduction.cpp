#include "route/introduction.h"

namespace pixmpi {

Introduction::Result Introduction::begin(bool &moved) {
    if (!begun_) {
        begun_ = true;
        const std::uint64_t gpu = once(flow_.gpu);
        same_ = gpu == memory_.device().gpu().hash();
        device_number_ = once(flow_.device);
        if (gpu == 0 || (!same_ && once(flow_.landing_room) == 0) || !memory_.open(process_.options.peer_bytes) ||
            (!same_ && !memory_.reaches_others()))
            return Result::strangers;
    }
    const PeerMemory::Reached reached = memory_.reached(*peer_, device_number_);
    if (reached == PeerMemory::Reached::no)
        return Result::strangers;
    if (!same_) {
        remote_ = memory_.find(*peer_, device_number_);
        return remote_ && remote_->mapped ? Result::other_gpu : ask(Flow::asks_memory, moved);
    }
    if (reached == PeerMemory::Reached::yes)
        return Result::same_gpu;
    switch (memory_.offer(process_.descriptors, process_.card.id, *peer_, device_number_)) {
    case Descriptors::Sent::yes:
        return ask(Flow::asks_reach, moved);
    case Descriptors::Sent::later:
        return Result::later;
    case Descriptors::Sent::never:
        break;
    }
    return Result::strangers;
}

Introduction::Result Introduction::ask(Flow::Opened what, bool &moved) {
    flow_.memory = memory_.number;
    flow_.opened.store(what, std::memory_order_release);
    moved = asked_ = true;
    return Result::later;
}

Introduction::Result Introduction::hear() {
    const std::uint32_t answer = flow_.reached.load(std::memory_order_acquire);
    if (answer == 0) {
        process_.descriptors.look_at_times();
        return Result::later;
    }
    if (answer == 1 && !same_)
        remote_ = memory_.reach(process_, peer_, device_number_);
    const bool yes = answer == 1 && (same_ || (remote_ && remote_->mapped));
    memory_.reached(*peer_, device_number_) = yes ? PeerMemory::Reached::yes : PeerMemory::Reached::no;
    return !yes ? Result::strangers : same_ ? Result::same_gpu : Result::other_gpu;
}

void introduce(const Process &process, const PeerMemory &memory, Flow &flow) {
    flow.gpu = memory.device().gpu().hash();
    flow.device = memory.number;
    flow.landing_room = memory.certain_landing_room(process.options.peer_bytes);
}

void answer(Process &process, PeerMemory *memory, Flow &flow, const std::shared_ptr<Peer> &peer, bool to_reach,
            bool &moved) {
    const std::size_t bytes = process.options.peer_bytes;
    const std::uint32_t number = once(flow.memory);
    bool yes = memory && memory->open(bytes);
    if (yes && to_reach) {
        yes = memory->reach(process, peer, number) != nullptr;
    } else if (yes) {
        const Descriptors::Sent sent = memory->offer(process.descriptors, process.card.id, *peer, number);
        if (sent == Descriptors::Sent::later)
            return;
        yes = sent == Descriptors::Sent::yes;
        flow.landing_room = memory->certain_landing_room(bytes); // more is certain now
    }
    moved = true;
    flow.reached.store(yes ? 1 : 2, std::memory_order_release);
}

} // namespace pixmpi
