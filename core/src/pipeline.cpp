#include "pipeline.h"

#include <algorithm>

namespace pixmpi {

void Pipeline::start(std::uint64_t pixels, int pixel_bytes) {
    *this = Pipeline();
    begun_ = true;
    pixels_ = pixels;
    pixel_bytes_ = static_cast<std::size_t>(pixel_bytes);
}

Status Pipeline::pass_on(Port &port, std::uint64_t pixels) {
    passed_ += pixels;
    return port.pass(next_pass_++, pixels * pixel_bytes_);
}

// Other messages hold memory, and give it back when they are through.
bool Pipeline::memory_may_come() {
    constexpr std::chrono::seconds patience{1};
    if (!short_since_)
        short_since_.emplace();
    return short_since_->waited() < patience;
}

Status Pipeline::start_copies(Port &port, Transfer &transfer, const Pipeline *before, bool &moved) {
    constexpr int at_a_time = 8; // then others get their turn
    for (int i = 0; i < at_a_time && started_ < pixels_; ++i) {
        const std::uint64_t count = std::min(port.band_pixels(), pixels_ - started_);
        Slot slot;
        bool yes = false;
        if (const Status error = port.ready(next_band_, slot, yes))
            return error;
        if (!yes || (slot.partly && (discarding_ || !transfer.takes_parts(started_, count))) ||
            (before && !before->finished() && before->copied() < started_ + count))
            return PIXMPI_SUCCESS;
        Ticket ticket = done;
        if (!discarding_)
            if (const Status error = transfer.copy(started_, count, *slot.stage, slot.offset, ticket)) {
                if (error == PIXMPI_ERR_MEMORY && memory_may_come())
                    return PIXMPI_SUCCESS;
                return error;
            }
        short_since_.reset();
        moved = true;
        started_ += count;
        ++next_band_;
        if (ticket == done && under_way_.empty()) {
            if (const Status error = pass_on(port, count))
                return error;
        } else {
            under_way_.push_back({ticket, count});
        }
    }
    return PIXMPI_SUCCESS;
}

Status Pipeline::advance(Port &port, Transfer &transfer, bool device_ready, const Pipeline *before, bool &moved) {
    if (const Status error = port.advance(moved))
        return error;
    if (!device_ready && !discarding_)
        return PIXMPI_SUCCESS;
    if (const Status error = start_copies(port, transfer, before, moved))
        return error;
    while (!under_way_.empty()) {
        bool over = true;
        if (under_way_.front().ticket != done)
            if (const Status error = transfer.poll(under_way_.front().ticket, over))
                return error;
        if (!over)
            return PIXMPI_SUCCESS;
        moved = true;
        const std::uint64_t count = under_way_.front().pixels;
        under_way_.erase(under_way_.begin());
        if (const Status error = pass_on(port, count))
            return error;
    }
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
