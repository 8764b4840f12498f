#include "composite/composite_by_hand.h"

#include <bit>
#include <cstdint>
#include <sched.h>

namespace {

constexpr int tag = 21;

// The processor's vector units want loops without branches. (Compiled with -O3.) `result` is one of the other arrays,
// or overlaps none of them; the compiler knows that.

void choose(const std::uint32_t *front, const float *front_depth, const std::uint32_t *back, const float *back_depth,
            std::uint32_t *result, float *result_depth, std::size_t pixels) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < pixels; ++i) {
        const bool nearer = back_depth[i] < front_depth[i];
        const std::uint32_t a = front[i], b = back[i];
        const float c = front_depth[i], d = back_depth[i];
        result[i] = nearer ? b : a;
        result_depth[i] = nearer ? d : c;
    }
}

/// Two channels at a time, 16 bits each; pixels that are multiplied by alpha never exceed 255.
std::uint32_t fading(std::uint32_t channels, std::uint32_t rest) {
    const std::uint32_t product = channels * rest + 0x00800080;
    return (product + (product >> 8 & 0x00ff00ff)) >> 8 & 0x00ff00ff; // rounded, by 255
}

void blend(const std::uint32_t *front, const std::uint32_t *back, std::uint32_t *result, std::size_t pixels) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < pixels; ++i) {
        const std::uint32_t a = front[i], b = back[i], rest = 255 - (a >> 24);
        result[i] = a + (fading(b & 0x00ff00ff, rest) | fading(b >> 8 & 0x00ff00ff, rest) << 8);
    }
}

struct Color {
    float channels[4];
};

void blend(const Color *front, const Color *back, Color *result, std::size_t pixels) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < pixels; ++i) {
        const Color a = front[i], b = back[i];
        const float rest = 1 - a.channels[3];
        for (int k = 0; k < 4; ++k)
            result[i].channels[k] = a.channels[k] + b.channels[k] * rest;
    }
}

template <class T> const T *as(const std::byte *memory) { return reinterpret_cast<const T *>(memory); }
template <class T> T *as(std::byte *memory) { return reinterpret_cast<T *>(memory); }

} // namespace

CompositeByHand::CompositeByHand(Merge merge, std::size_t pixels, const Team &team)
    : merge_(merge), pixels_(pixels), pixel_bytes_(merge == Merge::over_floats ? 16 : 4), team_(team),
      swapping_(static_cast<int>(std::bit_floor(static_cast<unsigned>(team.ranks)))),
      too_many_(team.ranks - swapping_) {
    const std::size_t depths = merge == Merge::nearest ? pixels * sizeof(float) : 0;
    if (team.rank != 0) // it merges into the result
        merged_.assign(pixels * pixel_bytes_, std::byte{1});
    merged_depths_.assign(depths, std::byte{1});
    incoming_.assign(pixels * pixel_bytes_, std::byte{1});
    incoming_depths_.assign(depths, std::byte{1});
}

void CompositeByHand::compose(const std::byte *colors, const std::byte *depths, std::byte *result) {
    out_ = team_.rank == 0 ? result : merged_.data();
    now_ = {colors, depths, 0, pixels_};
    sent_ = 0;
    fold();
    swap();
    gather(result);
}

CompositeByHand::Part CompositeByHand::kept(Part part, int index, int distance) const {
    const std::size_t middle = part.begin + part.pixels() / 2;
    (index & distance ? part.begin : part.end) = middle;
    return part;
}

CompositeByHand::Part CompositeByHand::part_before(int index, int distance) const {
    Part part{nullptr, nullptr, 0, pixels_};
    for (int d = 1; d < distance; d *= 2)
        part = kept(part, index, d);
    return part;
}

void CompositeByHand::send(const Part &part, int rank, bool depth_too) {
    MPI_Isend(part.colors + part.begin * pixel_bytes_, static_cast<int>(part.pixels() * pixel_bytes_), MPI_BYTE, rank,
              tag, team_.comm, &requests_.emplace_back());
    sent_ += static_cast<double>(part.pixels() * pixel_bytes_);
    if (!depth_too || merge_ != Merge::nearest)
        return;
    MPI_Isend(as<float>(part.depths) + part.begin, static_cast<int>(part.pixels()), MPI_FLOAT, rank, tag, team_.comm,
              &requests_.emplace_back());
    sent_ += static_cast<double>(part.pixels() * sizeof(float));
}

void CompositeByHand::receive(const Part &part, int rank) {
    MPI_Irecv(incoming_.data() + part.begin * pixel_bytes_, static_cast<int>(part.pixels() * pixel_bytes_), MPI_BYTE,
              rank, tag, team_.comm, &requests_.emplace_back());
    if (merge_ == Merge::nearest)
        MPI_Irecv(as<float>(incoming_depths_.data()) + part.begin, static_cast<int>(part.pixels()), MPI_FLOAT, rank,
                  tag, team_.comm, &requests_.emplace_back());
}

/// Another rank may need the core meanwhile, which MPI_Waitall would keep.
void CompositeByHand::wait() {
    const int count = static_cast<int>(requests_.size());
    int over = 0;
    for (MPI_Testall(count, requests_.data(), &over, MPI_STATUSES_IGNORE); !over;
         MPI_Testall(count, requests_.data(), &over, MPI_STATUSES_IGNORE))
        sched_yield();
    requests_.clear();
}

CompositeByHand::Part CompositeByHand::merged_with_incoming(const Part &mine, bool incoming_in_front) {
    const Part incoming{incoming_.data(), incoming_depths_.data(), mine.begin, mine.end};
    const Part &front = incoming_in_front ? incoming : mine, &back = incoming_in_front ? mine : incoming;
    const std::size_t at = mine.begin, pixels = mine.pixels(), bytes = at * pixel_bytes_;
    switch (merge_) {
    case Merge::nearest:
        choose(as<std::uint32_t>(front.colors) + at, as<float>(front.depths) + at, as<std::uint32_t>(back.colors) + at,
               as<float>(back.depths) + at, as<std::uint32_t>(out_) + at, as<float>(merged_depths_.data()) + at,
               pixels);
        break;
    case Merge::over_bytes:
        blend(as<std::uint32_t>(front.colors) + at, as<std::uint32_t>(back.colors) + at, as<std::uint32_t>(out_) + at,
              pixels);
        break;
    case Merge::over_floats:
        blend(as<Color>(front.colors + bytes), as<Color>(back.colors + bytes), as<Color>(out_ + bytes), pixels);
        break;
    }
    return {out_, merged_depths_.data(), mine.begin, mine.end};
}

/// The first ranks, by twos: the second one's picture goes to the first one.
void CompositeByHand::fold() {
    if (team_.rank >= 2 * too_many_)
        return;
    if (team_.rank % 2 == 1)
        send(now_, team_.rank - 1, true);
    else
        receive(now_, team_.rank + 1);
    wait();
    if (team_.rank % 2 == 0)
        now_ = merged_with_incoming(now_, false);
}

/// Halves with the next rank, quarters with the next but one, and so on: what a rank has merged is always of ranks that
/// follow each other.
void CompositeByHand::swap() {
    const bool folded = team_.rank < 2 * too_many_;
    if (folded && team_.rank % 2 == 1)
        return;
    const int index = folded ? team_.rank / 2 : team_.rank - too_many_;
    for (int distance = 1; distance < swapping_; distance *= 2) {
        const int other = index ^ distance;
        const Part mine = kept(now_, index, distance);
        receive(mine, rank_of(other));
        send(kept(now_, other, distance), rank_of(other), true);
        wait();
        now_ = merged_with_incoming(mine, other < index);
    }
}

void CompositeByHand::gather(std::byte *result) {
    const bool swaps = team_.rank >= 2 * too_many_ || team_.rank % 2 == 0;
    if (team_.rank != 0) {
        if (swaps)
            send(now_, 0, false);
        return wait();
    }
    for (int index = 1; index < swapping_; ++index) {
        const Part part = part_before(index, swapping_);
        MPI_Irecv(result + part.begin * pixel_bytes_, static_cast<int>(part.pixels() * pixel_bytes_), MPI_BYTE,
                  rank_of(index), tag, team_.comm, &requests_.emplace_back());
    }
    wait();
    if (team_.ranks == 1)
        std::memcpy(result, now_.colors, pixels_ * pixel_bytes_);
}
