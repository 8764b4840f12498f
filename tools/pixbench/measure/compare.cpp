#include "measure/compare.h"

#include <algorithm>

std::vector<std::byte> pixels_of(Object &object) {
    std::vector<std::byte> pixels(object.bytes());
    object.read(object.whole(), pixels.data());
    return pixels;
}

void put_test_pixels(Object &object, std::uint32_t seed) {
    const std::int64_t pixels = std::int64_t{object.width} * object.height;
    object.write(object.whole(), test_pixels(object.format, pixels, seed).data());
}

std::uint64_t digest(Object &object) {
    std::vector<std::uint64_t> words(object.bytes() / 8 + 1, 0);
    object.read(object.whole(), words.data());
    std::uint64_t hash = 0;
    for (std::uint64_t word : words)
        hash = (hash ^ word) * 0x9e3779b97f4a7c15, hash ^= hash >> 29;
    return hash;
}

std::vector<std::uint64_t> digests(Object &object, const Team &team) {
    const std::uint64_t mine = digest(object);
    std::vector<std::uint64_t> all(static_cast<std::size_t>(team.ranks));
    MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, team.comm);
    return all;
}

std::string difference(Object &object, std::span<const std::byte> sent) {
    const std::vector<std::byte> got = pixels_of(object);
    const auto size = static_cast<std::size_t>(object.pixel_bytes);
    const std::size_t pixels = sent.size() / size, row = static_cast<std::size_t>(object.width);
    const auto differs = [&](std::size_t i) {
        return !std::equal(&sent[i * size], &sent[i * size] + size, &got[i * size]);
    };
    std::size_t count = 0, first = pixels, last = 0;
    for (std::size_t i = 0; i < pixels; ++i)
        if (differs(i)) {
            first = std::min(first, i);
            last = i;
            ++count;
        }
    if (count == 0)
        return " (read again, all are the same)";
    const auto place = [&](std::size_t i) { return std::to_string(i % row) + "," + std::to_string(i / row); };
    return ": " + std::to_string(count) + " of " + std::to_string(pixels) + ", from " + place(first) + " to " +
           place(last);
}
