// Rings of ranks that add up words. A ring has a part of the words, in a block for each rank, and a block travels in
// chunks. In turn t rank r takes what has come of block r - t, adds its own words to it, and passes it on, until turn
// ranks - 1 (reduce-scatter). From then on the block has the sum (allgather). So block b is summed from rank b on, and
// a rank adds a chunk while the next one travels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// One of `parts` parts of words, alike except for one word; some may have none.
struct Piece {
    std::uint32_t first, count;
    Piece part(std::uint32_t which, std::uint32_t parts) const {
        const std::uint32_t each = count / parts, rest = count % parts;
        return {first + which * each + (which < rest ? which : rest), each + (which < rest)};
    }
};

/// As ring.comp has it, for one rank.
struct Rings {
    std::uint32_t words, ranks, rank, rings, chunks; ///< chunks of a block
    std::uint32_t turns() const { return 2 * ranks - 1; }
    bool adds(std::uint32_t turn) const { return turn > 0 && turn < ranks; }
    bool passes_on(std::uint32_t turn) const { return turn + 1 < turns(); }
    /// Whether the next rank has to add the words.
    bool to_be_added(std::uint32_t turn) const { return turn + 1 < ranks; }
    Piece block(std::uint32_t ring, std::uint32_t which) const {
        return Piece{0, words}.part(ring, rings).part(which, ranks);
    }
    /// What rank has in hand in that turn.
    Piece chunk(std::uint32_t ring, std::uint32_t turn, std::uint32_t which) const {
        return block(ring, (rank + 2 * ranks - turn) % ranks).part(which, chunks);
    }
};

/// Word `i` of a rank in a round. Sums of these depend on their order.
inline float word_of(std::uint32_t rank, std::uint32_t round, std::uint32_t i) {
    std::uint32_t x = i * 2654435761u + rank * 40503u + round * 2246822519u;
    x = (x ^ x >> 15) * 2246822519u;
    x = (x ^ x >> 13) * 3266489917u;
    return static_cast<float>(static_cast<std::int32_t>(x ^ x >> 16)) * 0x1p-31f;
}

/// The sum that the CPU finds, from rank `first` on.
inline float sum_of(std::uint32_t first, std::uint32_t ranks, std::uint32_t round, std::uint32_t i) {
    float sum = word_of(first, round, i);
    for (std::uint32_t k = 1; k < ranks; ++k)
        sum += word_of((first + k) % ranks, round, i);
    return sum;
}

/// Says which word is not the sum of round `round`, or nothing. `rings.rings` 0: words are summed from rank 0 on.
inline std::string wrong_word(const Rings &rings, std::uint32_t round, const std::vector<float> &sums) {
    const auto differs = [&](Piece piece, std::uint32_t from) -> std::string {
        for (std::uint32_t i = piece.first; i < piece.first + piece.count; ++i)
            if (const float expected = sum_of(from, rings.ranks, round, i); !(sums[i] == expected))
                return "word " + std::to_string(i) + " is " + std::to_string(sums[i]) + ", expected " +
                       std::to_string(expected);
        return "";
    };
    if (rings.rings == 0)
        return differs({0, rings.words}, 0);
    for (std::uint32_t ring = 0; ring < rings.rings; ++ring)
        for (std::uint32_t b = 0; b < rings.ranks; ++b)
            if (const std::string wrong = differs(rings.block(ring, b), b); !wrong.empty())
                return wrong;
    return "";
}
