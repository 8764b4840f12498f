// What the operations on recorded sockets share.
#pragma once

#include "system/x11/connections.h"
#include "system/x11/record.h"

#include <cstdint>
#include <poll.h>
#include <span>

namespace mpiglut::x11 {

/// The descriptor is a connection, or waits for one, and this call is to be recorded or followed. False for a call of
/// the library's own, of a child of the program, and after the end.
bool is_recorded(int fd);

/// Rank 0, which holds no order: this many nanoseconds pass, or a descriptor is ready; as ppoll(2). Messages to the
/// other ranks move on meanwhile.
int wait_awhile(pollfd *descriptors, nfds_t count, std::int64_t ns, const sigset_t *mask);

template <class T> std::span<const std::byte> bytes_of(const T &values) { return std::as_bytes(std::span(values)); }

} // namespace mpiglut::x11
