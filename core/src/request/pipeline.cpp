#include "request/pipeline.h"

#include <algorithm>

namespace pixmpi {

void Pipeline::start(std::uint64_t pixels, int pixel_bytes, bool coded) {
    *this = Pipeline();
    begun_ = true;
    all_ = pixels;
    pixel_bytes_ = static_cast<std::size_t>(pixel_bytes);
    coded_ = coded;
}

Status Pipeline::pass_on(Port &port, Transfer &transfer, std::uint64_t count) {
    passed_ += count;
    return port.pass(next_pass_++, coded_ ? transfer.pop_length() : count * pixel_bytes_);
}

bool Pipeline::may_copy(std::uint64_t count, const Pipeline *before) const {
    return !before || before->over() || before->copied() >= started_ + count;
}

// Other messages hold memory, and give it back when they are through.
bool Pipeline::memory_may_come() {
    constexpr std::chrono::seconds patience{1};
    if (!short_since_)
        short_since_.emplace();
    return short_since_->waited() < patience;
}

namespace {

class Burst {
  public:
    explicit Burst(Transfer &transfer) : transfer_(transfer) { transfer_.burst(true); }
    ~Burst() { transfer_.burst(false); }
    Burst(const Burst &) = delete;
    Burst &operator=(const Burst &) = delete;

  private:
    Transfer &transfer_;
};

} // namespace

Status Pipeline::start_copies(Port &port, Transfer &transfer, const Pipeline *before, bool &moved) {
    constexpr int at_a_time = 8; // of copies by this thread; then others get their turn
    const Burst burst(transfer);
    for (int copied = 0; copied < at_a_time && started_ < all_;) {
        const std::uint64_t count = std::min(port.band_pixels(next_band_), all_ - started_);
        Slot slot;
        bool yes = false;
        if (const Status error = port.ready(next_band_, slot, yes))
            return error;
        if (!yes || !may_copy(count, before)) {
            if (slot.stage && !before && !draining_)
                transfer.prepare(started_, count, *slot.stage, slot.offset);
            return PIXMPI_SUCCESS;
        }
        // Packed pixels have this number of bytes; another process' slot may have fewer.
        if (coded_)
            transfer.expect(slot.bytes);
        else if (!draining_ && slot.bytes != 0 && slot.bytes != count * pixel_bytes_)
            return fail(PIXMPI_ERR_PEER, "a band has %zu bytes, expected %zu", slot.bytes,
                        static_cast<std::size_t>(count * pixel_bytes_));
        if (under_way_.size() == under_way_.capacity()) // now: once a copy has begun, it has to be remembered
            under_way_.reserve(2 * under_way_.size() + 4);
        Ticket ticket = done;
        if (!draining_ && slot.stage)
            if (const Status error = port.copy(transfer, next_band_, started_, count, slot, ticket)) {
                if (error == PIXMPI_ERR_MEMORY && memory_may_come())
                    return PIXMPI_SUCCESS;
                return error;
            }
        short_since_.reset();
        moved = true;
        started_ += count;
        ++next_band_;
        if (ticket == done && under_way_.empty()) {
            ++copied;
            if (const Status error = pass_on(port, transfer, count))
                return error;
        } else {
            under_way_.push_back({ticket, count});
            if (transfer.submits_each())
                return PIXMPI_SUCCESS;
        }
    }
    return PIXMPI_SUCCESS;
}

Status Pipeline::advance(Port &port, Transfer &transfer, bool device_ready, const Pipeline *before, bool &moved) {
    if (const Status error = port.advance(moved))
        return error;
    if (!device_ready && !draining_)
        return PIXMPI_SUCCESS;
    if (const Status error = start_copies(port, transfer, before, moved))
        return error;
    while (!under_way_.empty()) {
        bool over = true;
        if (under_way_.front().ticket != done)
            if (const Status error = transfer.poll(under_way_.front().ticket, over)) {
                if (!draining_)
                    return error;
                over = true; // it cannot be found out any more
            }
        if (!over)
            return PIXMPI_SUCCESS;
        moved = true;
        const std::uint64_t count = under_way_.front().count;
        under_way_.erase(under_way_.begin());
        if (const Status error = pass_on(port, transfer, count))
            return error;
    }
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
