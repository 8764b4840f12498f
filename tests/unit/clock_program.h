// What the parts of clock_program share.
#pragma once

#include <ctime>

/// The machine's CLOCK_MONOTONIC, from the library's clock.
long long real_ns();
/// A reading as programs make it.
long long now(clockid_t id);

void instants();
