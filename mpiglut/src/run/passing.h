// Hands an open descriptor to the process at the other end of a Unix socket, with a number that says what it is for.
#pragma once

#include <optional>

namespace mpiglut {

struct Passed {
    int number = 0, fd = -1; ///< the descriptor is the receiver's own, closed on exec
};

/// Two connected sockets, closed on exec. False when the system has none left.
bool make_passage(int (&ends)[2]);
/// False when there is no receiver. The descriptor stays open here.
bool pass(int socket, const Passed &what);
/// The next that has come, without waiting.
std::optional<Passed> receive_passed(int socket);

} // namespace mpiglut
