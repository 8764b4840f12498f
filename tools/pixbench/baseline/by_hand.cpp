#include "baseline/by_hand.h"

#include "baseline/shared_ring.h"

#include <algorithm>

namespace {

/// A rectangle's rows within those of the box that it lies in, and the same packed without gaps or in another box:
/// copy(place in the box, place there, bytes of a row).
template <class Copy>
void for_each_row(const pixMPI_Rect &rect, const pixMPI_Rect &box, std::byte *in_box, std::size_t pixel_bytes,
                  std::byte *other, std::size_t other_row, Copy copy) {
    const std::size_t row = static_cast<std::size_t>(box.width) * pixel_bytes;
    const std::size_t width = static_cast<std::size_t>(rect.width) * pixel_bytes;
    in_box += static_cast<std::size_t>(rect.y - box.y) * row + static_cast<std::size_t>(rect.x - box.x) * pixel_bytes;
    for (int i = 0; i < rect.height; ++i, in_box += row, other += other_row)
        copy(in_box, other, width);
}

std::byte *within(const pixMPI_Rect &rect, const pixMPI_Rect &box, std::byte *memory, std::size_t pixel_bytes) {
    return memory + (static_cast<std::size_t>(rect.y - box.y) * static_cast<std::size_t>(box.width) +
                     static_cast<std::size_t>(rect.x - box.x)) *
                        pixel_bytes;
}

bool is_plain(const Strip &strip) { return strip.parts.size() == 1; } // then the part is all of the box

} // namespace

ByHand::ByHand(const std::vector<pixMPI_Rect> &rects, Object &source, Object &dest)
    : source_(source), dest_(dest), pixel_bytes_(static_cast<std::size_t>(source.pixel_bytes)) {
    const pixMPI_Rect all = around(rects);
    const std::size_t row = source.bytes_of({0, 0, all.width, 1}), whole = source.bytes_of(all);
    std::vector<std::size_t> sizes;
    for (std::size_t parts = 1; parts <= 16; parts *= 2)
        sizes.push_back(whole / parts);
    for (std::size_t bytes = 64 << 10; bytes <= std::size_t{1} << 20 && bytes < whole; bytes *= 2)
        sizes.push_back(bytes);
    const int grid = rects.size() > 1 ? rects[rects.size() / 2].height : 1; // which is not cut where it need not be
    std::vector<int> heights;
    for (const std::size_t size : sizes) {
        const int rows = static_cast<int>(std::clamp<std::size_t>(size / row, 1, static_cast<std::size_t>(all.height)));
        const int height = rows < grid ? std::min(grid, all.height) : rows - rows % grid;
        if (source.bytes_of({0, 0, all.width, height}) <= SharedRing::most_bytes / (height < all.height ? 2 : 1))
            heights.push_back(height);
    }
    std::sort(heights.begin(), heights.end());
    heights.erase(std::unique(heights.begin(), heights.end()), heights.end());
    std::size_t most = 0;
    for (const int height : heights) {
        cuts_.push_back(cut_into_strips(rects, height, pixel_bytes_));
        for (const Strip &strip : cuts_.back())
            most = std::max(most, source.bytes_of(strip.box));
        add_choices(static_cast<int>(cuts_.size()) - 1);
    }
    scratch_.assign(most, std::byte{1});
    old_.assign(most, std::byte{1});
    use(0);
}

void ByHand::add_choices(int cut) {
    const std::vector<Strip> &strips = cuts_[static_cast<std::size_t>(cut)];
    const bool plain = std::all_of(strips.begin(), strips.end(), is_plain);
    for (const std::size_t slots : {1, 2, 4}) {
        if ((slots == 1) != (strips.size() == 1) || slots > strips.size())
            continue;
        choices_.push_back({cut, slots, Out::calls, In::calls});
        if (plain)
            continue;
        choices_.push_back({cut, slots, Out::calls, In::strip});
        choices_.push_back({cut, slots, Out::strip, In::calls});
        choices_.push_back({cut, slots, Out::strip, In::strip});
        choices_.push_back({cut, slots, Out::box, In::box});
    }
    std::erase_if(choices_, [&](const Choice &choice) {
        use_choice(choice);
        return piece_bytes_ * slots_ > SharedRing::most_bytes;
    });
}

void ByHand::use_choice(const Choice &choice) {
    strips_ = &cuts_[static_cast<std::size_t>(choice.cut)];
    slots_ = choice.slots;
    out_ = choice.out;
    in_ = choice.in;
    piece_bytes_ = 0;
    for (const Strip &strip : *strips_)
        piece_bytes_ = std::max(piece_bytes_, bytes_of(strip));
    piece_bytes_ = (piece_bytes_ + 63) / 64 * 64;
}

std::size_t ByHand::bytes_of(const Strip &strip) const {
    return out_ == Out::box ? source_.bytes_of(strip.box) : strip.bytes;
}

void ByHand::put(std::uint64_t k, std::byte *slot) {
    const Strip &strip = (*strips_)[k];
    if (out_ == Out::box)
        return source_.read(strip.box, slot);
    if (out_ == Out::calls || is_plain(strip)) {
        for (const Part &part : strip.parts)
            source_.read(part.rect, slot + part.packed);
        return;
    }
    source_.read(strip.box, scratch_.data());
    for (const Part &part : strip.parts)
        for_each_row(
            part.rect, strip.box, scratch_.data(), pixel_bytes_, slot + part.packed,
            source_.bytes_of({0, 0, part.rect.width, 1}),
            [](std::byte *in_strip, std::byte *packed, std::size_t bytes) { copy_bytes(packed, in_strip, bytes); });
}

void ByHand::get(std::uint64_t k, std::byte *slot) {
    const Strip &strip = (*strips_)[k];
    if (in_ == In::box) {
        keep_holes(strip, slot);
        return dest_.write(strip.box, slot);
    }
    if (in_ == In::calls || is_plain(strip)) {
        for (const Part &part : strip.parts)
            dest_.write(part.rect, slot + part.packed);
        return;
    }
    keep_holes(strip, scratch_.data());
    for (const Part &part : strip.parts)
        for_each_row(
            part.rect, strip.box, scratch_.data(), pixel_bytes_, slot + part.packed,
            dest_.bytes_of({0, 0, part.rect.width, 1}),
            [](std::byte *in_strip, std::byte *packed, std::size_t bytes) { copy_bytes(in_strip, packed, bytes); });
    dest_.write(strip.box, scratch_.data());
}

/// What the destination has where nothing comes.
void ByHand::keep_holes(const Strip &strip, std::byte *box) {
    if (strip.holes.empty())
        return;
    const pixMPI_Rect &old = strip.around_holes;
    if (in_ == In::strip && old.width == strip.box.width && old.height == strip.box.height)
        return dest_.read(strip.box, box);
    dest_.read(old, old_.data());
    for (const pixMPI_Rect &hole : strip.holes)
        for_each_row(hole, strip.box, box, pixel_bytes_, within(hole, old, old_.data(), pixel_bytes_),
                     dest_.bytes_of({0, 0, old.width, 1}),
                     [](std::byte *in_box, std::byte *kept, std::size_t bytes) { copy_bytes(in_box, kept, bytes); });
}
