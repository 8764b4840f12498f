// Words in memory that a running dispatch and the CPU share: each says that what was written before it is there.
#pragma once

#include <atomic>
#include <cstdint>
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace pixmpi {

/// Stores to a GPU's memory are gathered by the CPU, and leave it in any order.
inline void order_stores() {
#ifdef __x86_64__
    _mm_sfence();
#endif
}
inline void store(std::uint32_t &word, std::uint32_t value) {
    std::atomic_ref(word).store(value, std::memory_order_release);
}
/// A word that says that what lies before it is there.
inline void publish(std::uint32_t &word, std::uint32_t value) {
    order_stores();
    store(word, value);
    order_stores();
}
inline std::uint32_t look_at(std::uint32_t &word) { return std::atomic_ref(word).load(std::memory_order_acquire); }

} // namespace pixmpi
