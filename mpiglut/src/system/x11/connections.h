// Which descriptors of this process are connections to the wall's X server, and which epoll descriptors wait for them.
// Connections are numbered in the order in which rank 0's program has made them; descriptors may differ between ranks.
//
// They mostly do not: what the program may wait for has the same numbers on all ranks, whatever a rank has inherited
// and opens for itself. Toolkits list what they wait for by number, and a wait's result is by places in that list.
#pragma once

#include "system/x11/requests.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <sys/epoll.h>
#include <vector>

namespace mpiglut::x11 {

/// From any thread, at any time, without a lock.
enum class What : std::uint8_t {
    other,
    connection,
    epoll, ///< waits for a connection, among others
};
What what_is(int fd);
/// Of a connection, or of an epoll descriptor that waits for one.
int number_of(int fd);
/// This process may record and follow: it is the rank, and its run is not over. A child of the program is none.
bool at_work();

/// This thread has made the connection.
void add(int fd, int number);
/// main()'s thread has made it, and not one that has it for itself.
bool is_of_main(int number);
/// It has made one.
bool main_has_connected();
void forget(int fd);
/// There is one.
bool has_connections();
void duplicate(int from, int to);

/// What the program has written to a connection. For whoever holds the order (record.h).
Requests &requests_of(int number);

/// What an epoll descriptor waits for, in the order in which the program has said so.
struct Watched {
    int fd = -1;
    epoll_event event{};
};
std::vector<Watched> watched_by(int epoll);
void note_watched(int epoll, int what, int fd, const epoll_event *event);

} // namespace mpiglut::x11
