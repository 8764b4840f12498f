// Sockets and host names.
#pragma once

#include "child/descriptor.h"

#include <chrono>
#include <string>
#include <vector>

namespace mpiglut::launcher {

struct Listener {
    Descriptor socket;
    int port = 0;
    std::vector<std::string> addresses; ///< where it can be reached, numeric; or the path of a socket of this host
    std::string error;                  ///< why there is no socket
};
/// Where all agents are on this host: in `folder`, which only this user can enter, so that others cannot connect. If the
/// path is too long for a socket, on the loopback. For agents `elsewhere`: on the address that this host reaches all
/// `hosts` from, or on every address where there is none, or no hosts are known.
Listener listen_for_agents(bool elsewhere, const std::vector<std::string> &hosts, const std::string &folder);

/// Tries the addresses one after the other until one answers. An empty descriptor when none has in time.
Descriptor connect_to_any(const std::vector<std::string> &addresses, int port, std::chrono::milliseconds longest);

/// Notices within about ten seconds that the other host has died, and sends small frames at once.
void keep_alive(int socket);

std::string host_name();
/// `localhost`, this host's own names, or a name or address that leads to one of this host's addresses.
bool is_this_host(const std::string &name);
/// Equal for processes that see the same file system, kernel and host name.
std::string machine_identity();

} // namespace mpiglut::launcher
