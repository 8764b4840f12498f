// One message's way through a transfer, in bands of random sizes.
#include "suite.h"

#include "base/wait.h"

#include <algorithm>

namespace device_suite {
namespace {

constexpr std::byte gap{0x5a};

bool wait_for(pixmpi::Transfer &transfer, pixmpi::Ticket ticket) {
    if (ticket == pixmpi::done)
        return true;
    pixmpi::Wait wait;
    for (bool over = false; wait.waited() < std::chrono::seconds(20); wait.pause()) {
        if (transfer.poll(ticket, over) != PIXMPI_SUCCESS)
            return false;
        if (over)
            return true;
    }
    return false;
}

/// Memory that several bands share, each with a gap around it.
class Slots {
  public:
    struct Slot {
        std::size_t offset = 0, bytes = 0;
        std::uint64_t first = 0;
        pixmpi::Ticket ticket = pixmpi::done;
    };

    /// Room for one band of up to `bytes` in each of `count` slots.
    void make(DeviceRig &rig, std::size_t bytes, std::size_t count, Random &random) {
        room_ = bytes + 64 + 4 * rig.offset_unit();
        room_ += rig.offset_unit() - room_ % rig.offset_unit();
        const std::size_t all = room_ * count;
        const bool shared = random.below(2) == 0;
        std::byte *memory = shared && random.below(4) != 0 ? rig.shared_memory(all) : nullptr;
        if (shared && !memory) {
            given_.resize(all + 4096);
            // What a route hands over begins at a page.
            const std::uintptr_t page = (reinterpret_cast<std::uintptr_t>(given_.data()) + 4095) / 4096 * 4096;
            memory = reinterpret_cast<std::byte *>(page);
        }
        ASSERT_EQ(rig.device().make_stage(shared ? pixmpi::StageKind::shared : pixmpi::StageKind::mapped, memory, all,
                                          stage),
                  PIXMPI_SUCCESS)
            << pixMPI_Error_text();
        ASSERT_NE(stage->host, nullptr);
        slots.resize(count);
    }

    /// A place for a band in the i'th slot.
    Slot &place(DeviceRig &rig, std::size_t i, std::uint64_t first, std::size_t bytes, Random &random) {
        Slot &slot = slots[i];
        slot.offset = room_ * i + rig.offset_unit() * (1 + random.below(3));
        slot.bytes = bytes;
        slot.first = first;
        std::fill_n(begin(i), room_, gap);
        return slot;
    }

    std::byte *begin(std::size_t i) const { return stage->host + room_ * i; }

    bool gaps_are_whole(std::size_t i) const {
        const auto is_gap = [](std::byte b) { return b == gap; };
        const std::byte *band = stage->host + slots[i].offset;
        return std::all_of(begin(i), stage->host + slots[i].offset, is_gap) &&
               std::all_of(band + slots[i].bytes, static_cast<const std::byte *>(begin(i) + room_), is_gap);
    }

    std::unique_ptr<pixmpi::Stage> stage;
    std::vector<Slot> slots;

  private:
    std::size_t room_ = 0;
    Bytes given_;
};

/// Copies all bands in order, up to as many at a time as there are slots. before(slot) and after(slot): the CPU's part.
template <class Before, class After>
void copy_bands(DeviceRig &rig, pixmpi::Transfer &transfer, std::size_t pixel_bytes, std::uint64_t pixels,
                Random &random, Before before, After after) {
    // Hundreds of tiny bands take most of the time, and find no more than a dozen: they are rare.
    const std::uint64_t least = random.below(8) == 0 ? 1 : 1 + pixels / 12;
    const std::uint64_t most = random.below(4) == 0 ? pixels : least + random.below(pixels / 3 + 2);
    const std::size_t count = 1 + random.below(4);
    Slots slots;
    ASSERT_NO_FATAL_FAILURE(slots.make(rig, most * pixel_bytes, count, random));
    transfer.start();
    ASSERT_EQ(transfer.begin(pixels), PIXMPI_SUCCESS) << pixMPI_Error_text();
    std::uint64_t started = 0, begun = 0, ended = 0;
    while (started < pixels || ended < begun) {
        if (started < pixels && begun - ended < count) {
            const std::uint64_t band = std::min(pixels - started, random.below(5) == 0 ? 1 + random.below(most) : most);
            auto &slot = slots.place(rig, begun % count, started, band * pixel_bytes, random);
            before(slots, slot);
            ASSERT_EQ(transfer.copy(started, band, *slots.stage, slot.offset, slot.ticket), PIXMPI_SUCCESS)
                << pixMPI_Error_text();
            started += band;
            ++begun;
            continue;
        }
        const auto &slot = slots.slots[ended % count];
        ASSERT_TRUE(wait_for(transfer, slot.ticket)) << pixMPI_Error_text();
        after(slots, slot);
        EXPECT_TRUE(slots.gaps_are_whole(ended % count)) << "written beside the band at pixel " << slot.first;
        ++ended;
    }
    ASSERT_EQ(transfer.end(), PIXMPI_SUCCESS) << pixMPI_Error_text();
}

} // namespace

void pack_all(DeviceRig &rig, pixmpi::Transfer &transfer, std::size_t pixel_bytes, std::uint64_t pixels, Random &random,
              Bytes &packed) {
    packed.assign(pixels * pixel_bytes, gap);
    copy_bands(
        rig, transfer, pixel_bytes, pixels, random, [](const Slots &, const Slots::Slot &) {},
        [&](const Slots &slots, const Slots::Slot &slot) {
            std::copy_n(slots.stage->host + slot.offset, slot.bytes,
                        packed.begin() + static_cast<std::ptrdiff_t>(slot.first * pixel_bytes));
        });
}

void unpack_all(DeviceRig &rig, pixmpi::Transfer &transfer, std::size_t pixel_bytes, const Bytes &packed,
                Random &random) {
    copy_bands(
        rig, transfer, pixel_bytes, packed.size() / pixel_bytes, random,
        [&](const Slots &slots, const Slots::Slot &slot) {
            std::copy_n(packed.begin() + static_cast<std::ptrdiff_t>(slot.first * pixel_bytes), slot.bytes,
                        slots.stage->host + slot.offset);
        },
        [](const Slots &, const Slots::Slot &) {});
}

} // namespace device_suite
