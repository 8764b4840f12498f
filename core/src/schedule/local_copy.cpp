#include "schedule/local_copy.h"

#include "device/combining_transfer.h"
#include "device/planes.h"

#include <algorithm>
#include <utility>

namespace pixmpi {
namespace {

constexpr std::chrono::seconds patience{5}; // with threads that have the context of an end

} // namespace

LocalCopy::LocalCopy(End from, End to, const Combination &how, Of of)
    : surfaces_{std::move(from.surface), std::move(to.surface)}, regions_{std::move(from.region), std::move(to.region)},
      combination_(how), of_(of) {}

// A program's copy lacks a device only when no thread that has it has called for some time.
const Device *LocalCopy::lacks() const {
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
                StraightCopy::make({surfaces_[0], regions_[0]}, {surfaces_[1], regions_[1]}, straight_)) {
            if (!straight_)
                return failed;
            error = last_error(failed);
        }
    const std::uint64_t pixels = regions_[0]->pixels;
    if (!straight_)
        slots_ = std::make_unique<CopySlots>(runtime.stage, surfaces_, *regions_[0], here);
    const bool file = device(0).keeps_files() || device(1).keeps_files();
    way_ = file ? PIXMPI_WAY_FILE : PIXMPI_WAY_STRAIGHT;
    reported_ = of_ != Of::program;
    if (file || straight_)
        report_way();
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

void LocalCopy::report_way() {
    if (!std::exchange(reported_, true))
        log_line(PIXMPI_LOG_DEBUG, "copy of %llu pixels of %d bytes from %s (%s) to %s (%s): %s",
                 static_cast<unsigned long long>(regions_[0]->pixels), surfaces_[0]->pixel_bytes, device(0).api(),
                 device(0).name(), device(1).api(), device(1).name(), pixMPI_Way_name(way_));
}

void LocalCopy::undo(Runtime &) {
    give_up();
    for (Half &half : halves_)
        if (half.begun)
            half.transfer->settled(); // what it had promised is done now, not at its next start
    slots_.reset();
}

void LocalCopy::give_up() {
    straight_.reset();
    for (Half &half : halves_)
        if (!std::exchange(half.ended, true) && half.begun)
            half.transfer->give_up();
    if (slots_)
        slots_->end();
}

void LocalCopy::fail_with(Status failed) {
    error = last_error(failed);
    give_up();
    settling_ = true;
}

Status LocalCopy::move(bool &moved) {
    if (const Status failed = slots_->advance(moved))
        return failed;
    for (std::size_t i = 0; i < 2; ++i) {
        Half &half = halves_[i];
        if (half.ended || !device(i).usable())
            continue;
        half.away.reset();
        if (!half.begun)
            if (const Status failed = begin_half(i))
                return failed;
        bool open = false;
        if (const Status failed = slots_->open(i, open, moved))
            return failed;
        if (!open)
            continue;
        if (way_ != PIXMPI_WAY_FILE)
            way_ = slots_->way();
        report_way();
        CopySide side(*slots_, i, halves_[0].pipeline.begun());
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
    bool over = false;
    if (!error.code)
        if (const Status failed = without_throwing([&] { return straight_->advance(moved, over); }))
            error = last_error(failed);
    if (error.code)
        over = straight_->settled();
    moved = moved || over;
    if (over)
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
            fail_with(failed);
        settling_ = halves_[0].ended && halves_[1].ended;
    }
    if (settling_)
        settle(runtime);
}

void LocalCopy::settle(Runtime &runtime) {
    for (std::size_t i = 0; i < 2; ++i)
        if (!keep_promises(i) || (halves_[i].begun && !halves_[i].transfer->settled()))
            return;
    complete(runtime);
}

/// An end that has not begun does what its surface was promised, in a thread that has its context. False as long as it
/// waits for one.
bool LocalCopy::keep_promises(std::size_t i) {
    Half &half = halves_[i];
    if (half.begun || !surfaces_[i]->has_promises())
        return true;
    if (!device(i).usable())
        return half.away.waited() > patience;
    half.begun = without_throwing([&] { return need_transfer(i); }) == PIXMPI_SUCCESS;
    if (half.begun) {
        half.transfer->start();
        half.transfer->give_up();
    }
    return true;
}

void LocalCopy::complete(Runtime &runtime) {
    for (std::size_t i = 0; i < 2; ++i)
        if (!halves_[i].begun)
            surfaces_[i]->drop_promises();
    straight_.reset();
    slots_.reset();
    state = State::complete;
    if (error.code || arrival.cancelled || (of_ != Of::program && way_ != PIXMPI_WAY_FILE))
        return;
    const std::uint64_t bytes = regions_[0]->pixels * static_cast<std::uint64_t>(surfaces_[0]->pixel_bytes);
    ++runtime.stats.copies;
    runtime.stats.bytes_by_way[way_] += bytes;
}

// What combines may need the CPU in between, and a watch looks at the pages when the copy is over.
bool LocalCopy::is_queued(const Device &one) const {
    const bool submitted = straight_ ? straight_->is_queued()
                                     : slots_ && slots_->in_order() &&
                                           std::all_of(halves_.begin(), halves_.end(), [](const Half &half) {
                                               return half.begun && half.pipeline.all_begun();
                                           });
    return state == State::active && !error.code && submitted && one.has_one_queue() && &device(0) == &one &&
           combination_.operation == Operation::replace && !is_watched(*surfaces_[1]);
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
