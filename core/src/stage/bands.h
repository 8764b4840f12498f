// How the pixels of a message, in packed order, are cut into bands: of `most` each, the last of what is left. With
// `steps` the first bands grow and the last ones shrink, by doubling: the next step of their way begins soon, and
// little is left to do after the last.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pixmpi {

struct Bands {
    std::uint64_t pixels = 0, most = 1;
    std::uint32_t steps = 0; ///< most >> steps pixels are in the first and in the last band
    bool together = false;   ///< they follow each other in one slot, or alternate between several slots

    /// Whether there are pixels enough for all steps, and every band has some.
    bool valid() const {
        return most > 0 && (steps == 0 || (steps < 32 && most >> steps > 0 && pixels / 2 >= in_steps(steps)));
    }
    std::uint64_t count() const { return 2 * std::uint64_t{steps} + (middle() + most - 1) / most; }
    /// Pixels before band `k`, which may be count().
    std::uint64_t first(std::uint64_t k) const {
        const std::uint64_t bands = count();
        if (k < steps)
            return in_steps(k);
        if (k >= bands - steps)
            return pixels - in_steps(bands - k);
        return std::min(in_steps(steps) + (k - steps) * most, pixels - in_steps(steps));
    }
    std::uint64_t size(std::uint64_t k) const { return first(k + 1) - first(k); }
    /// The same, if there are so many left.
    std::uint64_t at_most(std::uint64_t k) const { return steps ? size(k) : most; }

  private:
    /// Of the first or the last `n` bands that are smaller.
    std::uint64_t in_steps(std::uint64_t n) const {
        std::uint64_t sum = 0;
        for (std::uint64_t i = 0; i < n; ++i)
            sum += most >> (steps - i);
        return sum;
    }
    std::uint64_t middle() const { return pixels - 2 * in_steps(steps); }
};

} // namespace pixmpi
