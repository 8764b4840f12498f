// The GPUs of tests: the machine's own, or those that tests make believe in. PIXMPI_TEST_GPUS says how many of these
// there are, and rank r draws on number r modulo that. The interposer of Vulkan and the stand-in for CUDA know them by
// the same UUIDs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace test_gpus {

/// 0: none, the device is what it is.
inline int count() {
    const char *text = std::getenv("PIXMPI_TEST_GPUS");
    return text ? std::atoi(text) : 0;
}

/// Which of the machine's GPUs a rank draws on, counted modulo their number: the one of the rank's number, or the one
/// that PIXMPI_TEST_CARD says for all.
inline int card_of(int rank) {
    const char *text = std::getenv("PIXMPI_TEST_CARD");
    return text ? std::atoi(text) : rank;
}

inline void write_uuid(int gpu, std::uint8_t *sixteen) {
    constexpr char name[] = "pixmpi test GPU";
    std::copy_n(name, 15, sixteen);
    sixteen[15] = static_cast<std::uint8_t>(gpu);
}

/// The name of the files that the stand-in makes; they are known by it.
constexpr char memory_name[] = "pixmpi-test-gpu-memory";

} // namespace test_gpus
