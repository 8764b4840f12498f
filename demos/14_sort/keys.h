// The keys that are sorted.
#pragma once

#include <cstdint>

/// Key number n, as if by chance.
inline std::uint32_t key_at(std::uint64_t n) {
    n += 0x9e3779b97f4a7c15;
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9;
    n = (n ^ (n >> 27)) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>((n ^ (n >> 31)) >> 32);
}
