#include "request/local_copy.h"

#include "memory/combining_transfer.h"
#include "memory/lane.h"
#include "memory/peer_memory.h"

#include <algorithm>
#include <utility>

namespace pixmpi {

namespace {

constexpr std::size_t most_at_once = 64 << 20; ///< of a band that stays on a card

/// Memory of the card that two contexts of it both see: one of them lets the other have it, as on the route peer.
class CardMemory {
  public:
    /// Where the contexts of both surfaces are current in this thread. False where there is no such memory, or none
    /// now.
    bool take(const std::array<std::shared_ptr<Surface>, 2> &surfaces, std::uint64_t bytes) {
        const Device &from = *surfaces[0]->device, &to = *surfaces[1]->device;
        if (!process().options.peer || &from == &to || !from.gpu() || from.gpu() != to.gpu() || from.near_host() ||
            to.near_host())
            return false;
        const std::array memories{PeerMemory::of(surfaces[0]->device), PeerMemory::of(surfaces[1]->device)};
        return memories[0] && memories[1] && (take(memories, 0, bytes) || take(memories, 1, bytes));
    }
    Status make_stage(std::size_t side, std::size_t bytes, std::unique_ptr<Stage> &stage) const {
        return seen_[side]->make_stage(lane_.offset(), bytes, stage);
    }
    std::size_t bytes() const { return bytes_; }

  private:
    bool take(const std::array<std::shared_ptr<PeerMemory>, 2> &memories, std::size_t owner, std::uint64_t bytes) {
        PeerMemory &own = *memories[owner];
        if (!own.open(process().options.peer_bytes))
            return false;
        seen_[owner] = &own.memory();
        seen_[1 - owner] = memories[1 - owner]->see(own);
        constexpr std::size_t slots = 2;
        bytes_ = std::min<std::uint64_t>({slots * most_at_once, own.room(GpuHalf::sending), bytes});
        return seen_[1 - owner] && lane_.take(own, GpuHalf::sending, bytes_);
    }
    GpuLane lane_;
    std::size_t bytes_ = 0;
    std::array<DeviceMemory *, 2> seen_{};
};

/// All of it and what the slots' alignment adds.
std::uint64_t room_for(const Surface &surface, std::uint64_t pixels) {
    constexpr std::uint64_t alignment = 4096;
    return (pixels * static_cast<std::uint64_t>(surface.pixel_bytes) + alignment - 1) / alignment * alignment;
}

} // namespace

/// Where the bands lie between the two ends: memory of the card where both are on one, else part of the process' stage
/// memory, which all devices take.
class LocalCopy::Between {
  public:
    Between(StageMemory &memory, const std::array<std::shared_ptr<Surface>, 2> &surfaces, std::uint64_t pixels,
            bool here)
        : memory_(memory), from_(*surfaces[0]->device), to_(*surfaces[1]->device), pixels_(pixels),
          on_card_(here && card_.take(surfaces, room_for(*surfaces[0], pixels))),
          in_order(&from_ == &to_ && from_.copies_in_order()),
          plan(make_plan(surfaces[0]->pixel_bytes, band_bytes(*surfaces[0], *surfaces[1], here), here ? 4 : 8)) {}

    /// One side's slots, in a thread that has its device. False in `yes` when there is no memory now.
    Status open(std::size_t side, bool &yes) {
        yes = stages_[side] != nullptr;
        if (yes)
            return PIXMPI_SUCCESS;
        return on_card_ ? open_on_card(side, yes) : within_device() ? open_local(yes) : open_shared(side, yes);
    }
    /// Whether pixels stay in the memory of one card.
    bool within_device() const { return on_card_ || in_order || (&from_ == &to_ && !from_.near_host()); }
    Slot slot(std::size_t side, std::uint64_t k) const {
        return {stages_[side].get(), k % plan.slots * plan.slot_bytes};
    }

  private:
    /// Between two drivers that work on the host's cores bands stay in the caches; where two threads hand them over to
    /// each other they are as large as they may be, and more of them, since each change of threads takes
    /// time. A disk never has to wait.
    static std::size_t band_bytes(const Surface &from, const Surface &to, bool here) {
        constexpr std::size_t in_cache = 1 << 20;
        const std::size_t suits = std::max(from.device->band_bytes(), to.device->band_bytes());
        const bool disk = from.on_disk() || to.on_disk();
        if (disk || !from.device->near_host() || !to.device->near_host())
            return suits;
        return here ? std::min(suits, in_cache) : in_cache;
    }
    /// What is unpacked as soon as it has been told to be packed needs no bands, but memory for all of it.
    LanePlan make_plan(int pixel_bytes, std::size_t bytes, std::uint32_t most_slots) const {
        constexpr std::uint32_t slots = 2;
        const auto at_once = [&](std::size_t most) {
            return std::clamp<std::uint64_t>(most / static_cast<std::size_t>(pixel_bytes), 1, pixels_);
        };
        if (in_order)
            return fit_lane(slots * most_at_once, at_once(most_at_once), pixels_, pixel_bytes, slots);
        if (on_card_)
            return fit_lane(card_.bytes(), at_once(std::min(most_at_once, card_.bytes())), pixels_, pixel_bytes, slots);
        const std::size_t largest = StageMemory::largest(memory_.map().bytes);
        const std::uint64_t band = std::min(bytes, largest) / static_cast<std::size_t>(pixel_bytes);
        return fit_lane(largest, std::clamp<std::uint64_t>(band, 1, pixels_), pixels_, pixel_bytes, most_slots);
    }
    Status open_on_card(std::size_t side, bool &yes) {
        std::unique_ptr<Stage> stage;
        const Status error = card_.make_stage(side, plan.bytes(), stage);
        stages_[side] = std::move(stage);
        yes = !error;
        return error;
    }
    Status open_local(bool &yes) {
        std::unique_ptr<Stage> stage;
        const Status error = from_.make_stage(StageKind::local, nullptr, plan.bytes(), stage);
        stages_[0] = stages_[1] = std::move(stage);
        yes = !error;
        return error;
    }
    Status open_shared(std::size_t side, bool &yes) {
        yes = lane_ || lane_.take(memory_, plan.bytes(), Claim::wanted);
        if (!yes)
            return PIXMPI_SUCCESS;
        std::unique_ptr<Stage> stage;
        Device &device = side == 0 ? from_ : to_;
        const Status error = device.make_stage(StageKind::shared, lane_.base(), plan.bytes(), stage);
        stages_[side] = std::move(stage);
        return error;
    }

    StageMemory &memory_;
    Device &from_, &to_;
    const std::uint64_t pixels_;
    CardMemory card_;
    const bool on_card_;

  public:
    const bool in_order;

  private:
    HostLane lane_;
    std::array<std::shared_ptr<Stage>, 2> stages_;

  public:
    const LanePlan plan;
    std::uint64_t filled = 0, freed = 0; ///< bands, since the beginning
};

/// The slots as one of the two pipelines sees them.
class LocalCopy::Side final : public Port {
  public:
    /// `begun`: bands that the other one has told its device to copy.
    Side(Between &slots, bool fills, std::uint64_t begun) : between_(slots), fills_(fills), begun_(begun) {}
    Status advance(bool &) override { return PIXMPI_SUCCESS; }
    std::uint64_t band_pixels(std::uint64_t) const override { return between_.plan.band_pixels; }
    Status ready(std::uint64_t k, Slot &slot, bool &yes) override {
        const std::uint64_t there = between_.in_order ? begun_ : between_.filled;
        yes = fills_ ? k < between_.freed + between_.plan.slots : k < there;
        slot = between_.slot(fills_ ? 0 : 1, k);
        return PIXMPI_SUCCESS;
    }
    Status pass(std::uint64_t k, std::size_t) override {
        (fills_ ? between_.filled : between_.freed) = k + 1;
        return PIXMPI_SUCCESS;
    }
    Status over(bool &yes) override {
        yes = true;
        return PIXMPI_SUCCESS;
    }
    void give_up() override {}

  private:
    Between &between_;
    const bool fills_;
    const std::uint64_t begun_;
};

LocalCopy::LocalCopy(End from, End to, const Combination &how, Of of)
    : surfaces_{std::move(from.surface), std::move(to.surface)}, regions_{std::move(from.region), std::move(to.region)},
      combination_(how), of_(of) {}

// A program's copy lacks a device only when no thread that has it has called for some time.
const Device *LocalCopy::lacks() const {
    constexpr std::chrono::seconds patience{5};
    for (std::size_t i = 0; i < 2; ++i)
        if (!device(i).usable() && (of_ == Of::schedule || (!halves_[i].ended && halves_[i].away.waited() > patience)))
            return &device(i);
    return nullptr;
}

Status LocalCopy::check_start() const {
    return of_ == Of::schedule && lacks() ? fail_for_lack_of(*lacks()) : PIXMPI_SUCCESS;
}

Status LocalCopy::need_transfer(std::size_t i) {
    return halves_[i].transfer ? PIXMPI_SUCCESS
                               : make_transfer(i == 0 ? Direction::pack : Direction::unpack, combination_, surfaces_[i],
                                               regions_[i], halves_[i].transfer);
}

Status LocalCopy::begin_half(std::size_t i) {
    if (const Status failed = need_transfer(i))
        return failed;
    Half &half = halves_[i];
    half.begun = true;
    half.transfer->start();
    if (blocking)
        half.transfer->await();
    return half.transfer->begin(regions_[i]->pixels);
}

Status LocalCopy::begin(Runtime &runtime) {
    settling_ = false;
    arrival = mpi::nothing();
    const bool here = all_usable();
    if (combination_.operation == Operation::replace && here)
        if (const Status failed =
                StraightCopy::make({surfaces_[0], regions_[0]}, {surfaces_[1], regions_[1]}, straight_))
            return failed;
    const std::uint64_t pixels = regions_[0]->pixels;
    if (!straight_)
        between_ = std::make_shared<Between>(runtime.stage, surfaces_, std::max<std::uint64_t>(pixels, 1), here);
    const bool file = device(0).keeps_files() || device(1).keeps_files();
    way_ = file                        ? PIXMPI_WAY_FILE
           : straight_                 ? PIXMPI_WAY_STRAIGHT
           : between_->within_device() ? PIXMPI_WAY_DEVICE
                                       : PIXMPI_WAY_HOST;
    if (of_ == Of::program)
        log_line(PIXMPI_LOG_DEBUG, "copy of %llu pixels of %d bytes from %s (%s) to %s (%s): %s",
                 static_cast<unsigned long long>(pixels), surfaces_[0]->pixel_bytes, device(0).api(), device(0).name(),
                 device(1).api(), device(1).name(), pixMPI_Way_name(way_));
    for (Half &half : halves_) {
        half.begun = half.ended = false;
        half.away.reset();
        half.pipeline.start(pixels, surfaces_[0]->pixel_bytes);
    }
    state = State::active;
    if (!straight_ && here)
        for (std::size_t i = 0; i < 2; ++i)
            if (const Status failed = begin_half(i))
                return failed;
    return PIXMPI_SUCCESS;
}

void LocalCopy::undo(Runtime &) {
    give_up();
    for (Half &half : halves_)
        if (half.begun)
            half.transfer->settled(); // what it had promised is done now, not at its next start
    between_.reset();
}

void LocalCopy::give_up() {
    straight_.reset();
    for (Half &half : halves_)
        if (!std::exchange(half.ended, true) && half.begun)
            half.transfer->give_up();
}

void LocalCopy::abandon(Status failed) {
    error = last_error(failed);
    give_up();
    settling_ = true;
}

Status LocalCopy::move(bool &moved) {
    for (std::size_t i = 0; i < 2; ++i) {
        Half &half = halves_[i];
        if (half.ended || !device(i).usable())
            continue;
        half.away.reset();
        if (!half.begun)
            if (const Status failed = begin_half(i))
                return failed;
        bool open = false;
        if (const Status failed = between_->open(i, open))
            return failed;
        if (!open)
            continue;
        Side side(*between_, i == 0, halves_[0].pipeline.begun());
        if (!half.pipeline.over())
            if (const Status failed = half.pipeline.advance(side, *half.transfer, true, nullptr, moved))
                return failed;
        half.ended = half.pipeline.over();
        if (half.ended)
            if (const Status failed = half.transfer->end())
                return failed;
    }
    return PIXMPI_SUCCESS;
}

void LocalCopy::advance_straight(Runtime &runtime, bool &moved) {
    if (!all_usable())
        return;
    for (Half &half : halves_)
        half.away.reset();
    moved = true;
    bool over = false;
    const Status failed = without_throwing([&] { return straight_->advance(over); });
    if (failed)
        error = last_error(failed);
    if (failed || over)
        complete(runtime);
}

void LocalCopy::advance(Runtime &runtime, bool &moved) {
    if (straight_)
        return advance_straight(runtime, moved);
    if (!settling_ && of_ == Of::schedule && lacks())
        return;
    if (!settling_) {
        const Status failed = without_throwing([&] { return move(moved); });
        if (failed)
            abandon(failed);
        settling_ = halves_[0].ended && halves_[1].ended;
    }
    if (settling_)
        settle(runtime);
}

void LocalCopy::settle(Runtime &runtime) {
    for (Half &half : halves_)
        if (half.begun && !half.transfer->settled())
            return;
    complete(runtime);
}

void LocalCopy::complete(Runtime &runtime) {
    straight_.reset();
    between_.reset();
    state = State::complete;
    if (error.code || arrival.cancelled || (of_ != Of::program && way_ != PIXMPI_WAY_FILE))
        return;
    const std::uint64_t bytes = regions_[0]->pixels * static_cast<std::uint64_t>(surfaces_[0]->pixel_bytes);
    ++runtime.stats.copies;
    runtime.stats.bytes_by_way[way_] += bytes;
}

void LocalCopy::await() {
    for (Half &half : halves_) {
        half.away.reset();
        if (half.transfer)
            half.transfer->await();
    }
}

// As a receive that nothing has matched: what both ends have begun comes to its end.
Status LocalCopy::cancel() {
    if (of_ == Of::schedule)
        return fail(PIXMPI_ERR_REQUEST, "request: a step of a collective cannot be cancelled");
    if (state != State::active || straight_ || settling_ || (halves_[0].begun && halves_[1].begun))
        return PIXMPI_SUCCESS;
    arrival.cancelled = true;
    give_up();
    settling_ = true;
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
