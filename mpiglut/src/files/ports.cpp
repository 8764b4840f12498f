// Ports and local sockets: a host has each of them once, however many ranks run there.

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
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

} // namespace

MPIGLUT_EXPORT int bind(int fd, const sockaddr *address, socklen_t size) noexcept {
    using namespace mpiglut;
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
