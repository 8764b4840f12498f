// The program's threads, named by the path of their creation: the n-th thread that this thread has made. So a thread has
// the same name on all ranks, whatever its number, and whatever else the library and the drivers have started.
#pragma once

#include <cstdint>
#include <string>

namespace mpiglut::x11 {

/// This thread's. 0: main()'s. `unnamed_thread`: none of the program's.
std::uint32_t thread_name();
inline constexpr std::uint32_t unnamed_thread = UINT32_MAX;

/// For people: "the main thread", "thread 2.1".
std::string describe_thread(std::uint32_t name);

} // namespace mpiglut::x11
