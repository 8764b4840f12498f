// What the measured program tells wallbench, in one datagram for each display callback and each press of a button.
#pragma once

#include <cstdint>

struct Shown {
    std::int32_t pid;     ///< the process that shows it
    std::int32_t keys;    ///< presses of keys and buttons it had seen
    std::int64_t time_ns; ///< CLOCK_MONOTONIC when the callback began
};
