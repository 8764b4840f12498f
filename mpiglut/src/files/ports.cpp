// Ports and local sockets: a host has each of them once, however many ranks run there.

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "children/together.h"
#include "files/overlay.h"
#include "files/served.h"
#include "run/report.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>

namespace {

std::string name_of(const sockaddr *address, socklen_t size) {
    if (address->sa_family == AF_INET && size >= sizeof(sockaddr_in))
        return "port " + std::to_string(ntohs(reinterpret_cast<const sockaddr_in *>(address)->sin_port));
    if (address->sa_family == AF_INET6 && size >= sizeof(sockaddr_in6))
        return "port " + std::to_string(ntohs(reinterpret_cast<const sockaddr_in6 *>(address)->sin6_port));
    if (address->sa_family != AF_UNIX || size <= offsetof(sockaddr_un, sun_path))
        return {};
    const char *path = reinterpret_cast<const sockaddr_un *>(address)->sun_path;
    return "the socket '" + std::string(path, strnlen(path, size - offsetof(sockaddr_un, sun_path))) + "'";
}

/// A port of the program's choice: rank 0 binds it, and receives what comes there (children/receiving.cpp).
bool is_datagram_port(int fd, const sockaddr *address, socklen_t size) {
    int type = 0;
    socklen_t length = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_DGRAM)
        return false;
    return (address->sa_family == AF_INET && size >= sizeof(sockaddr_in) &&
            reinterpret_cast<const sockaddr_in *>(address)->sin_port != 0) ||
           (address->sa_family == AF_INET6 && size >= sizeof(sockaddr_in6) &&
            reinterpret_cast<const sockaddr_in6 *>(address)->sin6_port != 0);
}

int bind_together(int fd, const sockaddr *address, socklen_t size, mpiglut::children::Part part) {
    mpiglut::children::Outcome outcome;
    if (!mpiglut::files::keeps())
        outcome.value = REAL(bind)(fd, address, size);
    outcome.error = outcome.value < 0 ? errno : 0;
    mpiglut::children::tell(part, outcome);
    if (outcome.value == 0)
        mpiglut::children::announce_pipe(fd);
    return static_cast<int>(outcome.value);
}

} // namespace

MPIGLUT_EXPORT int bind(int fd, const sockaddr *address, socklen_t size) noexcept {
    using namespace mpiglut;
    const bool shares = state().options.private_files && children::are_rank_zeros() &&
                        files::serves(__builtin_return_address(0)) && is_datagram_port(fd, address, size);
    if (shares)
        return bind_together(fd, address, size, children::part(__builtin_return_address(0)));
    const int result = REAL(bind)(fd, address, size);
    const int error = errno;
    if (result != 0 && error == EADDRINUSE && files::serves(__builtin_return_address(0)) &&
        state().options.local_ranks > 1)
        if (const std::string name = name_of(address, size); !name.empty())
            report_once(Report::note,
                        name + " is taken: every rank of a host runs the program, and one of them can bind it; let " +
                            "rank 0 do so (mpiglutGetRank), and give the others what comes (mpiglutAgree)");
    errno = error;
    return result;
}
