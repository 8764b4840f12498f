// Which request of this rank's program is another one than rank 0's.
#pragma once

#include "system/x11/requests.h"

#include <cstdint>
#include <span>
#include <string>

namespace mpiglut::x11 {

/// Of requests that one operation has completed, `before` having been complete on the connection; empty where all are
/// the same. Where there are more on one side, the first of these.
std::string first_difference(int connection, std::uint64_t before, std::span<const Requests::Word> mine,
                             std::span<const Requests::Word> theirs);

/// Tells rank 0 of the first one on each connection, which counts as a divergence. The program goes on.
void tell_difference(int connection, std::uint64_t before, std::span<const Requests::Word> mine,
                     std::span<const Requests::Word> theirs);

} // namespace mpiglut::x11
