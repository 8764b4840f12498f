#include "door.h"
#include "net.h"
#include "proof.h"

#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <utility>

namespace mpiglut::launcher {

namespace {

constexpr std::size_t longest_hello = 4096, most_guests = 128;
constexpr std::chrono::seconds patience(5);

/// One frame of a blocking socket.
std::optional<Frame> next_frame(int socket) {
    Unframer unframer;
    unframer.limit(longest_hello);
    for (char byte; !unframer.broken();) { // no further than the frame's end: what follows is the program's
        if (::recv(socket, &byte, 1, 0) != 1)
            return {};
        unframer.feed({&byte, 1});
        if (auto frame = unframer.next())
            return frame;
    }
    return {};
}

} // namespace

Door::Door(Loop &loop, std::string token, bool elsewhere, const std::vector<std::string> &hosts,
           const std::string &folder, std::function<void(int, Descriptor)> admit)
    : loop_(loop), token_(std::move(token)), admit_(std::move(admit)) {
    auto [socket, port, addresses, why] = listen_for_agents(elsewhere, hosts, folder);
    if (!socket) {
        error_ = "cannot open a socket for ranks that come back: " + why;
        return;
    }
    socket_ = std::move(socket);
    at_.port = port;
    at_.addresses = addresses;
    loop_.watch(socket_.get(), POLLIN, [this](short) { accept(); });
}

Door::~Door() {
    if (socket_)
        loop_.forget(socket_.get());
    for (const Guest &guest : guests_)
        loop_.cancel(guest.timer);
}

void Door::accept() {
    Descriptor socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket)
        return;
    keep_alive(socket.get());
    const GuestRef guest = guests_.emplace(guests_.end());
    guest->challenge.nonce = random_token();
    guest->link = Link::open(
        loop_, std::move(socket), [this, guest](Frame &&frame) { greet(guest, frame); },
        [this, guest] { drop(guest); });
    guest->link->limit(longest_hello);
    guest->timer = loop_.after(patience, [this, guest] { drop(guest); });
    guest->link->send(guest->challenge);
    if (guests_.size() > most_guests)
        drop(guests_.begin());
}

void Door::drop(GuestRef guest) {
    const auto keep = guest->link; // this may be called by it
    keep->close();
    loop_.cancel(guest->timer);
    guests_.erase(guest);
}

void Door::greet(GuestRef guest, const Frame &frame) {
    const auto hello = frame.type == Type::hello ? unpack<Hello>(frame.payload) : std::nullopt;
    const auto keep = guest->link;
    if (hello && is_genuine(token_, guest->challenge, *hello)) {
        keep->send(signed_welcome(token_, guest->challenge, *hello));
        if (Descriptor socket = keep->release())
            admit_(static_cast<int>(hello->rank), std::move(socket));
    }
    drop(guest);
}

Descriptor knock(const DoorAt &door, const std::string &token, Hello hello, std::string &error) {
    Descriptor socket = connect_to_any(door.addresses, static_cast<int>(door.port), patience);
    error = "cannot reach rank 0";
    if (!socket)
        return {};
    keep_alive(socket.get());
    const timeval longest{patience.count(), 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    ::fcntl(socket.get(), F_SETFL, ::fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK);
    auto frame = next_frame(socket.get());
    const auto challenge =
        frame && frame->type == Type::challenge ? unpack<Challenge>(frame->payload) : std::optional<Challenge>();
    if (!challenge)
        return {};
    hello.nonce = random_token();
    hello = signed_hello(token, *challenge, std::move(hello));
    const std::string bytes = encode(Hello::type, pack(hello));
    if (::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
        return {};
    frame = next_frame(socket.get());
    const auto welcome =
        frame && frame->type == Type::welcome ? unpack<Welcome>(frame->payload) : std::optional<Welcome>();
    if (!welcome || !is_genuine(token, *challenge, hello, *welcome)) {
        error = "what answers in the place of rank 0's agent does not know the token";
        return {};
    }
    error.clear();
    return socket;
}

} // namespace mpiglut::launcher
