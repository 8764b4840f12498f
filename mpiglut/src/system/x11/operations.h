// What the operations on recorded sockets share: those that move bytes (transfer.cpp), those that wait (waiting.cpp), and
// waits during which other threads read (handoff.cpp).
#pragma once

#include "system/x11/connections.h"
#include "system/x11/record.h"

#include <algorithm>
#include <cstdint>
#include <poll.h>
#include <signal.h>
#include <span>
#include <vector>

namespace mpiglut::x11 {

/// The descriptor is a connection, or waits for one, and this call is to be recorded or followed. False for a call of
/// the library's own, of a child of the program, and after the end.
bool is_recorded(int fd);

/// The thread holds no order: this many nanoseconds pass, or less; as ppoll(2), which does not say what is ready. It
/// ends early when a descriptor is ready, or input comes to a tile. Messages move on meanwhile.
int wait_awhile(pollfd *descriptors, nfds_t count, std::int64_t ns, const sigset_t *mask);
/// The same where no record follows, at which other ranks would find that the run ends.
int rest_awhile(pollfd *descriptors, nfds_t count, std::int64_t ns, const sigset_t *mask);

template <class T> std::span<const std::byte> bytes_of(const T &values) { return std::as_bytes(std::span(values)); }

/// What of the payload has room there. It may be empty.
template <class T> void copy_payload(const Payload &payload, std::span<T> values) {
    const std::span<std::byte> bytes = std::as_writable_bytes(values);
    std::copy_n(payload.begin(), std::min(payload.size(), bytes.size()), bytes.begin());
}

// --- waiting.cpp ---------------------------------------------------------------------------------------------------
/// Of a wait: what all ranks ask for alike. Descriptors are not, and time-outs are only nearly.
std::int64_t hash_of(const pollfd *descriptors, nfds_t count);

enum class TimeOut : std::uint32_t { none, at_once, some };
TimeOut time_out_of(std::int64_t ns);

/// A wait that may take time ends in another moment on each rank; what counts for the clock is rank 0's. Returns the
/// result and leaves errno as it is.
int ended(std::int64_t ns, int result);

/// Other ranks: what rank 0 has found is what the call returns; waits until the rank's own descriptors are ready, too.
int set_found(pollfd *descriptors, const std::vector<short> &found, std::int64_t ns, const Record &record);

} // namespace mpiglut::x11
