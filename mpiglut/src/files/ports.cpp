// Ports and local sockets: a host has each of them once, however many ranks run there. A local socket with a path is a
// file: the other ranks' are their own, and their program finds these.

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
#include <fcntl.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

std::string path_of(const sockaddr *address, socklen_t size) {
    if (!address || size <= offsetof(sockaddr_un, sun_path) || address->sa_family != AF_UNIX)
        return {};
    const char *const path = reinterpret_cast<const sockaddr_un *>(address)->sun_path;
    return {path, strnlen(path, size - offsetof(sockaddr_un, sun_path))};
}

std::string name_of(const sockaddr *address, socklen_t size) {
    if (address->sa_family == AF_INET && size >= sizeof(sockaddr_in))
        return "port " + std::to_string(ntohs(reinterpret_cast<const sockaddr_in *>(address)->sin_port));
    if (address->sa_family == AF_INET6 && size >= sizeof(sockaddr_in6))
        return "port " + std::to_string(ntohs(reinterpret_cast<const sockaddr_in6 *>(address)->sin6_port));
    std::string path = path_of(address, size);
    constexpr auto first = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path));
    if (path.empty() && address->sa_family == AF_UNIX && size > first + 1) // a name that is none of the file system
        path = "@" + std::string(reinterpret_cast<const sockaddr_un *>(address)->sun_path + 1, size - first - 1);
    return path.empty() ? path : "the socket '" + path + "'";
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

/// The address of a socket that lies elsewhere on this rank. Names of sockets are short, and paths may be longer.
class Elsewhere {
  public:
    explicit Elsewhere(const std::string &path) {
        std::string name = path;
        if (name.size() >= sizeof address_.sun_path) {
            const auto slash = path.rfind('/');
            folder_ = REAL(open)(path.substr(0, slash).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
            name = "/proc/self/fd/" + std::to_string(folder_) + path.substr(slash);
        }
        fits_ = name.size() < sizeof address_.sun_path;
        address_.sun_family = AF_UNIX;
        name.copy(address_.sun_path, sizeof address_.sun_path - 1);
    }
    ~Elsewhere() {
        const int error = errno;
        if (folder_ >= 0)
            REAL(close)(folder_);
        errno = error;
    }
    Elsewhere(const Elsewhere &) = delete;
    Elsewhere &operator=(const Elsewhere &) = delete;

    /// Calls call(address, size), or fails with ENAMETOOLONG: the last part of the path alone is too long.
    template <class Call> int use(Call call) const {
        if (fits_)
            return call(reinterpret_cast<const sockaddr *>(&address_), socklen_t{sizeof address_});
        errno = ENAMETOOLONG;
        return -1;
    }

  private:
    bool fits_ = true;
    sockaddr_un address_{};
    int folder_ = -1;
};

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

int mpiglut::files::connect(const void *caller, int fd, const sockaddr *address, socklen_t size) {
    const std::string path = path_of(address, size);
    if (path.empty() || !path.front() || !serves(caller))
        return REAL(connect)(fd, address, size);
    const std::string own = for_looking(AT_FDCWD, path.c_str());
    if (own.empty())
        return REAL(connect)(fd, address, size);
    return Elsewhere(own).use([fd](const sockaddr *there, socklen_t length) { return REAL(connect)(fd, there, length); });
}

MPIGLUT_EXPORT int bind(int fd, const sockaddr *address, socklen_t size) noexcept {
    using namespace mpiglut;
    const bool shares = state().options.private_files && children::are_rank_zeros() &&
                        files::serves(__builtin_return_address(0)) && is_datagram_port(fd, address, size);
    if (shares)
        return bind_together(fd, address, size, children::part(__builtin_return_address(0)));
    if (const std::string path = path_of(address, size);
        !path.empty() && path.front() && files::serves(__builtin_return_address(0)))
        if (const auto own = files::for_opening(AT_FDCWD, path.c_str(), O_WRONLY | O_CREAT | O_EXCL); !own.empty()) {
            return Elsewhere(own).use(
                [fd](const sockaddr *there, socklen_t length) { return REAL(bind)(fd, there, length); });
        }
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
