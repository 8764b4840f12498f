#include "link/net.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace mpiglut::launcher {

namespace {

using AddressInfo = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

AddressInfo resolve(const std::string &name, const char *port, int flags) {
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    ::getaddrinfo(name.c_str(), port, &hints, &found);
    return {found, &::freeaddrinfo};
}

std::string numeric(const sockaddr *address) {
    char text[NI_MAXHOST] = "";
    socklen_t size = address->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    ::getnameinfo(address, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    return text;
}

std::vector<std::string> own_addresses(bool loopback) {
    std::vector<std::string> addresses;
    ifaddrs *list = nullptr;
    if (::getifaddrs(&list) != 0)
        return addresses;
    for (const ifaddrs *entry = list; entry; entry = entry->ifa_next) {
        if (!entry->ifa_addr || !(entry->ifa_flags & IFF_UP) || (!loopback && (entry->ifa_flags & IFF_LOOPBACK)))
            continue;
        int family = entry->ifa_addr->sa_family;
        if (family != AF_INET && family != AF_INET6)
            continue;
        std::string text = numeric(entry->ifa_addr);
        if (text.find('%') == std::string::npos) // link-local: means nothing on another host
            addresses.push_back(text);
    }
    ::freeifaddrs(list);
    // IPv4 first: where both exist it is the one that firewalls were made for.
    std::stable_partition(addresses.begin(), addresses.end(),
                          [](const std::string &a) { return a.find(':') == std::string::npos; });
    return addresses;
}

int bound_port(int socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    ::getsockname(socket, reinterpret_cast<sockaddr *>(&address), &size);
    return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6 &>(address).sin6_port
                                               : reinterpret_cast<sockaddr_in &>(address).sin_port);
}

Descriptor bind_to(const addrinfo &address) {
    Descriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket)
        return {};
    int off = 0;
    if (address.ai_family == AF_INET6)
        ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (::bind(socket.get(), address.ai_addr, address.ai_addrlen) != 0 || ::listen(socket.get(), 1024) != 0)
        return {};
    return socket;
}

/// False where the path is too long, or would come apart on its way to the agents.
bool address_of_path(const std::string &path, sockaddr_un &address) {
    address = {};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path || path.find_first_of(" \t\r\n") != path.npos)
        return false;
    path.copy(address.sun_path, path.size());
    return true;
}

bool listen_at(const std::string &path, Descriptor &socket) {
    sockaddr_un address{};
    if (!address_of_path(path, address))
        return false;
    socket.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (socket && ::bind(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0 &&
        ::listen(socket.get(), 4096) == 0)
        return true;
    socket.reset();
    return false;
}

Descriptor connect_at(const std::string &path) {
    sockaddr_un address{};
    if (!address_of_path(path, address))
        return {};
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (socket && ::connect(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
        socket.reset();
    return socket;
}

bool connect_within(int socket, const addrinfo &address, std::chrono::milliseconds longest) {
    if (::connect(socket, address.ai_addr, address.ai_addrlen) == 0)
        return true;
    if (errno != EINPROGRESS)
        return false;
    pollfd wait{socket, POLLOUT, 0};
    if (::poll(&wait, 1, static_cast<int>(longest.count())) != 1)
        return false;
    int error = 0;
    socklen_t size = sizeof error;
    return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

/// This host's address on the way to all of these hosts; empty when there are several, or none is known. No packet is
/// sent: the kernel looks the way up.
std::string address_towards(const std::vector<std::string> &hosts) {
    std::string common;
    for (const std::string &host : hosts) {
        if (is_this_host(host))
            continue;
        std::string own;
        auto found = resolve(host, "9", AI_ADDRCONFIG);
        for (const addrinfo *address = found.get(); address && own.empty(); address = address->ai_next) {
            Descriptor socket(::socket(address->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
            sockaddr_storage name{};
            socklen_t size = sizeof name;
            if (socket && ::connect(socket.get(), address->ai_addr, address->ai_addrlen) == 0 &&
                ::getsockname(socket.get(), reinterpret_cast<sockaddr *>(&name), &size) == 0)
                own = numeric(reinterpret_cast<sockaddr *>(&name));
        }
        if (own.empty() || own.find('%') != std::string::npos || (!common.empty() && own != common))
            return {};
        common = own;
    }
    return common;
}

} // namespace

Listener listen_for_agents(bool elsewhere, const std::vector<std::string> &hosts, const std::string &folder) {
    Listener listener;
    const std::string path = folder + "/agents";
    if (!elsewhere && !folder.empty() && listen_at(path, listener.socket)) {
        listener.addresses = {path};
        return listener;
    }
    const std::string towards = elsewhere ? address_towards(hosts) : "";
    const bool everywhere = elsewhere && towards.empty();
    std::vector<std::string> names{"127.0.0.1", "::1"};
    if (everywhere)
        names = {"::", "0.0.0.0"};
    else if (elsewhere)
        names = {towards};
    for (const std::string &name : names) {
        auto address = resolve(name, "0", AI_NUMERICHOST);
        if (!address)
            continue;
        listener.socket = bind_to(*address);
        if (!listener.socket) {
            listener.error = std::strerror(errno);
            continue;
        }
        listener.port = bound_port(listener.socket.get());
        listener.addresses = everywhere ? own_addresses(false) : std::vector<std::string>{name};
        if (everywhere)
            listener.addresses.push_back("127.0.0.1"); // for the ranks on this host, should it have no network
        return listener;
    }
    return listener;
}

Descriptor connect_to_any(const std::vector<std::string> &addresses, int port, std::chrono::milliseconds longest) {
    auto end = std::chrono::steady_clock::now() + longest;
    for (const std::string &name : addresses) {
        if (name.starts_with('/')) {
            if (Descriptor socket = connect_at(name))
                return socket;
            continue;
        }
        auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        auto address = resolve(name, std::to_string(port).c_str(), AI_NUMERICHOST);
        if (!address || left.count() <= 0)
            continue;
        Descriptor socket(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        // An address of another network may swallow packets; leave time for the ones after it.
        if (socket && connect_within(socket.get(), *address, std::min(left, std::chrono::milliseconds(3000))))
            return socket;
    }
    return {};
}

void keep_alive(int socket) {
    auto set = [socket](int level, int name, int value) { ::setsockopt(socket, level, name, &value, sizeof value); };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 4);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 2);
    set(IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(IPPROTO_TCP, TCP_NODELAY, 1);
}

std::string host_name() {
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    return name[0] ? name : "localhost";
}

bool is_this_host(const std::string &name) {
    std::string own = host_name();
    if (name == "localhost" || name == own || name == own.substr(0, own.find('.')))
        return true;
    auto own_list = own_addresses(true);
    auto found = resolve(name, nullptr, 0);
    for (const addrinfo *address = found.get(); address; address = address->ai_next) {
        std::string text = numeric(address->ai_addr);
        if (text.starts_with("127.") || std::ranges::find(own_list, text) != own_list.end())
            return true;
    }
    return false;
}

std::string machine_identity() {
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    char space[64] = "";
    [[maybe_unused]] ssize_t size = ::readlink("/proc/self/ns/mnt", space, sizeof space - 1);
    return host_name() + "|" + boot + "|" + space;
}

} // namespace mpiglut::launcher
