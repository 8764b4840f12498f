// What a sender says in shared memory: the receiver refuses it, or unpacks from within that memory.
#include "entries.h"

#include "host/host_device.h"
#include "request/envelope.h"
#include "request/runtime.h"
#include "route/flow_receiver.h"

#include <algorithm>
#include <cstring>

using namespace pixmpi;

namespace {

struct Announced {
    std::uint64_t pixels;
    std::uint8_t pixel_bytes, kind; ///< kind: bit 0: the receiver also takes strips; 1: the bands' lengths vary
};

struct Sender {
    Sender() {
        peer = std::make_shared<Peer>(make_card());
        fuzz::require(memory.open(std::size_t{1} << 20, peer->card.id) == PIXMPI_SUCCESS, "there is stage memory");
        peer->map(&memory.map());
    }
    StageMemory memory;
    std::shared_ptr<Peer> peer;
};

Wish wish_for(const Announced &message) {
    Wish wish;
    if (message.kind & 1) {
        Region region;
        for (int i = 0; i < 40; ++i)
            region.add({3 * i, i, 2, 50});
        region.commit();
        wish.strips = std::make_shared<const Strips>(cut_into_strips(region, message.pixel_bytes));
    }
    return wish;
}

/// All of the slot is there.
void read(const StageMap &map, const Slot &slot, std::uint64_t pixels, std::uint8_t pixel_bytes) {
    const std::uint64_t bytes = pixels * pixel_bytes;
    fuzz::require(slot.stage && slot.stage->host, "a slot has memory");
    const std::byte *const first = slot.stage->host + slot.offset;
    const auto offset = static_cast<std::size_t>(first - map.base);
    fuzz::require(first >= map.base && offset <= map.bytes && bytes <= map.bytes - offset,
                  "a slot lies in the sender's memory");
    volatile std::byte seen{};
    for (std::uint64_t i = 0; i < bytes; i += 512)
        seen = first[i];
    (void)seen;
}

} // namespace

void fuzz::flow(Input input) {
    static Sender sender;
    Announced message;
    if (input.size() < sizeof message)
        return;
    std::memcpy(&message, input.data(), sizeof message);
    input = input.subspan(sizeof message);
    message.pixel_bytes = static_cast<std::uint8_t>(1 + message.pixel_bytes % most_pixel_bytes);
    message.pixels = std::max<std::uint64_t>(1, message.pixels % (most_bytes / message.pixel_bytes));
    const Wish wish = wish_for(message);
    FlowAllocation allocation;
    require(allocation.allocate(sender.memory), "a flow is free");
    const StageMap &map = sender.memory.map();
    Flow &flow = map.flow(allocation.index());
    const Lock lock;
    FlowReceiver receiver(runtime(), {sender.peer, allocation.index(), host_device(), nullptr, false, message.pixels,
                                      message.pixel_bytes, (message.kind & 2) != 0, wish});
    const std::size_t said = std::min<std::size_t>(input.size(), 64);
    std::memcpy(static_cast<void *>(&flow), input.data(), said);
    // What follows lies at the memory's end: lengths may be there.
    input = input.subspan(said);
    const std::size_t behind = std::min<std::size_t>(input.size(), 64);
    std::memcpy(map.base + map.bytes - 64, input.data(), behind);
    bool moved = false;
    for (std::uint64_t k = 0; k < 6; ++k) {
        if (receiver.advance(moved))
            break;
        const bool strips = wish.strips && flow.band_pixels == 0 && (message.kind & 2) == 0;
        const std::uint64_t count = strips ? wish.strips->largest : std::min(receiver.band_pixels(k), message.pixels);
        Slot slot;
        bool yes = false;
        if (receiver.ready(k, slot, yes) || !yes)
            break;
        require((slot.bytes != 0) == ((message.kind & 2) != 0), "a length is told where lengths vary");
        slot.bytes ? read(map, slot, slot.bytes, 1) : read(map, slot, count, message.pixel_bytes);
        if (receiver.pass(k, 0))
            break;
    }
    receiver.give_up();
}
