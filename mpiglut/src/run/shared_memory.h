// Memory without a name that a rank's program and its agent share by a descriptor.
#pragma once

#include <cstddef>

namespace mpiglut {

/// New memory, full of zeroes: its descriptor, closed on exec, and where it is mapped. Null when that fails.
void *make_shared_memory(const char *name, std::size_t bytes, int &fd);
/// The memory behind this descriptor, and how much it is; null when there is none, or less than `least`.
void *map_shared_memory(int fd, std::size_t least, std::size_t &bytes);

} // namespace mpiglut
