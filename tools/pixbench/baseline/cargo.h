// What two processes hand to each other through a ring in shared memory, piece by piece; see shared_ring.h. Both ends
// make the same one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

class Cargo {
  public:
    virtual ~Cargo() = default;
    /// The sizes of pieces, numbers of slots and ways to copy that may be tried; one of them is used. See
    /// choose_fastest().
    virtual std::size_t choices() const = 0;
    virtual void use(std::size_t choice) = 0;

    virtual std::uint64_t pieces() const = 0;
    virtual std::size_t piece_bytes() const = 0; ///< of the largest: from slot to slot
    virtual std::size_t slots() const = 0;
    virtual void put(std::uint64_t k, std::byte *slot) = 0;
    virtual void get(std::uint64_t k, std::byte *slot) = 0;
};

/// Memory of the process' own: what memcpy takes.
class MemoryCargo final : public Cargo {
  public:
    /// `bytes` from and to memory that begins a page as drivers' does: rows that do not begin a cache line are copied
    /// more slowly.
    MemoryCargo(const std::byte *from, std::byte *to, std::size_t bytes) : from_(from), to_(to), bytes_(bytes) {
        for (std::size_t piece : {4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20})
            if (piece < bytes && bytes / piece <= 1024)
                for (std::size_t slots : {2, 4})
                    choices_.push_back({piece, slots});
        if (bytes <= std::size_t{1} << 20 || choices_.empty())
            choices_.push_back({bytes, 1});
    }

    std::size_t choices() const override { return choices_.size(); }
    void use(std::size_t choice) override { now_ = choices_[choice]; }
    std::uint64_t pieces() const override { return (bytes_ + now_.bytes - 1) / now_.bytes; }
    std::size_t piece_bytes() const override { return now_.bytes; }
    std::size_t slots() const override { return now_.slots; }
    void put(std::uint64_t k, std::byte *slot) override { std::memcpy(slot, from_ + k * now_.bytes, length(k)); }
    void get(std::uint64_t k, std::byte *slot) override { std::memcpy(to_ + k * now_.bytes, slot, length(k)); }

  private:
    struct Choice {
        std::size_t bytes, slots;
    };
    std::size_t length(std::uint64_t k) const { return std::min(now_.bytes, bytes_ - k * now_.bytes); }

    const std::byte *from_;
    std::byte *to_;
    const std::size_t bytes_;
    std::vector<Choice> choices_;
    Choice now_{1, 1};
};
