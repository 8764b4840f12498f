#include "request/partitioned.h"

#include <algorithm>
#include <numeric>

namespace pixmpi {

std::uint64_t PartitionedEnd::pixels() const {
    return std::transform_reduce(parts.begin(), parts.end(), std::uint64_t{0}, std::plus(),
                                 [](const auto &part) { return part->pixels; });
}

Partitioned::Partitioned(PartitionedEnd end, std::uint64_t number)
    : end_(std::move(end)), number_(number), pixels_(end_.pixels()) {
    std::shared_ptr<Surface> first, last;
    end_.surface->make_frame(first, last);
    if (!first)
        return;
    opening_ = std::make_shared<Framing>(first, Framing::HandOver{end_.surface, last});
    closing_ = std::make_shared<Framing>(last);
}

Status Partitioned::check_start() const { return lacks() ? fail_for_lack_of(*lacks()) : check_open(*end_.channel); }

Status Partitioned::begin(Runtime &runtime) {
    moving_.clear();
    moving_.reserve(static_cast<std::size_t>(partitions()));
    if (opening_)
        if (const Status failed = start(runtime, opening_))
            return failed;
    begin_parts();
    stage_ = Stage::opening;
    use_.begin(end_.channel);
    state = State::active;
    return PIXMPI_SUCCESS;
}

void Partitioned::advance(Runtime &runtime, bool &moved) {
    if (stage_ == Stage::opening && !(opening_ && opening_->state == State::active)) {
        if (opening_ && opening_->error.code && !error.code)
            error = opening_->error;
        stage_ = Stage::moving;
    }
    if (stage_ == Stage::moving) {
        bool over = false;
        keep_error(without_throwing([&] { return move_parts(runtime, moved, over); }));
        if (!over || (closing_ && !device().usable()))
            return;
        stage_ = Stage::closing;
        if (closing_)
            keep_error(start(runtime, closing_));
    }
    if (stage_ == Stage::closing && !(closing_ && closing_->state == State::active)) {
        moved = true;
        complete();
    }
}

void Partitioned::complete() {
    if (closing_ && closing_->error.code && !error.code)
        error = closing_->error;
    end_.surface->drop_promises();
    state = State::complete;
    use_.end();
}

void Partitioned::await() {
    for (const auto &part : moving_)
        part->await();
}

void Partitioned::set_part(Message &part, std::shared_ptr<const Region> region, std::uint64_t first) const {
    part.traffic = Traffic::schedule;
    part.channel = end_.channel;
    part.rank = end_.rank;
    part.part = {number_, pixels_, first};
    part.surface = end_.surface->once_more();
    if (!part.surface)
        part.surface = end_.surface;
    part.surface->codec = end_.surface->codec;
    part.region = std::move(region);
}

void Partitioned::keep_error(Status failed) {
    if (failed && !error.code)
        error = last_error(failed);
}

void Partitioned::keep_error(const Message &part) {
    if (part.error.code && !error.code)
        error = part.error;
}

namespace {

/// Numbers of collectives count from 0, and so never have this bit.
std::uint64_t next_number(std::map<std::pair<int, int>, std::uint32_t> &made, int rank, int tag) {
    constexpr std::uint64_t partitioned = std::uint64_t{1} << 63;
    return partitioned | std::uint64_t{static_cast<std::uint32_t>(tag)} << 32 | made[{rank, tag}]++;
}

} // namespace

std::shared_ptr<PartitionedSend> PartitionedSend::make(PartitionedEnd end) {
    const auto channel = end.channel;
    const std::uint64_t number = next_number(channel->partitioned_sends, end.rank, end.tag);
    return std::make_shared<PartitionedSend>(std::move(end), number);
}

std::shared_ptr<PartitionedReceive> PartitionedReceive::make(PartitionedEnd end) {
    const auto channel = end.channel;
    const std::uint64_t number = next_number(channel->partitioned_receives, end.rank, end.tag);
    return std::make_shared<PartitionedReceive>(std::move(end), number);
}

/// Parts without pixels are not sent; but of a message without any the first one is, which says so.
PartitionedSend::PartitionedSend(PartitionedEnd end, std::uint64_t number)
    : Partitioned(std::move(end), number), parts_(end_.parts.size()) {
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const auto &region = end_.parts[i];
        if (!is_of_nobody() && (region->pixels > 0 || (pixels_ == 0 && i == 0)))
            parts_[i].message = make_part<Send>(region, first);
        first += region->pixels;
    }
}

Status PartitionedSend::set_codec(const pixMPI_Codec &codec) {
    for (const Part &part : parts_)
        if (part.message)
            part.message->codec = codec;
    return PIXMPI_SUCCESS;
}

void PartitionedSend::begin_parts() {
    for (Part &part : parts_)
        part.ready = part.started = false;
}

void PartitionedSend::set_ready(Runtime &runtime, int partition) {
    parts_[static_cast<std::size_t>(partition)].ready = true;
    bool moved = false;
    if (state == State::active)
        advance(runtime, moved);
}

/// A part that cannot be sent is asked to the receiver, which counts its pixels.
void PartitionedSend::start_part(Runtime &runtime, Part &part) {
    part.started = true;
    if (!part.message)
        return;
    if (const Status failed = start(runtime, part.message)) {
        keep_error(failed);
        keep_error(without_throwing([&] { return notify_receiver(runtime, *part.message); }));
        return;
    }
    moving_.push_back(part.message);
}

bool PartitionedSend::start_ready(Runtime &runtime) {
    bool any = false;
    for (Part &part : parts_) {
        if (!part.ready || part.started)
            continue;
        start_part(runtime, part);
        any = true;
    }
    return any;
}

Status PartitionedSend::move_parts(Runtime &runtime, bool &moved, bool &over) {
    if (device().usable())
        moved = start_ready(runtime) || moved;
    std::erase_if(moving_, [&](const auto &part) {
        if (part->state == State::active)
            return false;
        keep_error(*part);
        moved = true;
        return true;
    });
    const bool all = std::all_of(parts_.begin(), parts_.end(), [](const Part &part) { return part.started; });
    over = moving_.empty() && (all || is_of_nobody());
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
