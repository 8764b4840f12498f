#include "door.h"
#include "net.h"
#include "secret.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

namespace mpiglut::launcher {

namespace {

constexpr std::size_t longest_hello = 4096, most_strangers = 128;
constexpr std::chrono::seconds patience(5);

} // namespace

Door::Door(Loop &loop, int ranks, bool elsewhere, const std::vector<std::string> &hosts, const std::string &folder,
           std::function<void(int, Descriptor)> admit)
    : loop_(loop), ranks_(ranks), admit_(std::move(admit)) {
    auto [socket, port, addresses, why] = listen_for_agents(elsewhere, hosts, folder);
    if (!socket) {
        error_ = "cannot open a socket for ranks that come back: " + why;
        return;
    }
    socket_ = std::move(socket);
    at_.port = port;
    at_.addresses = addresses;
    at_.secret = random_token();
    key_ = listener_key(at_.secret);
    loop_.watch(socket_.get(), POLLIN, [this](short) { accept(); });
}

Door::~Door() {
    if (socket_)
        loop_.forget(socket_.get());
    for (const auto *list : {&strangers_, &guests_})
        for (const Guest &guest : *list) {
            loop_.cancel(guest.timer);
            guest.link->close();
        }
}

void Door::accept() {
    Descriptor socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket)
        return;
    keep_alive(socket.get());
    const GuestRef guest = strangers_.emplace(strangers_.end());
    guest->link = Link::open(
        loop_, std::move(socket), key_, [this, guest](const Frame &frame) { received(guest, frame); },
        [this, guest] { guest->relay ? guest->relay->link_closed() : drop(guest); });
    guest->link->limit(longest_hello);
    guest->timer = loop_.after(patience, [this, guest] { drop(guest); });
    if (strangers_.size() > most_strangers)
        drop(strangers_.begin());
}

void Door::drop(GuestRef guest) {
    const auto keep = guest->link; // this may be called by it
    const auto relay = std::move(guest->relay);
    keep->close();
    loop_.cancel(guest->timer);
    (relay ? guests_ : strangers_).erase(guest);
}

void Door::received(GuestRef guest, const Frame &frame) {
    if (!guest->relay)
        greet(guest, frame);
    else if (frame.type == Type::relayed)
        guest->relay->take(frame.payload);
}

void Door::greet(GuestRef guest, const Frame &frame) {
    const auto hello = frame.type == Type::hello ? unpack<Hello>(frame.payload) : std::nullopt;
    if (!hello || hello->rank <= 0 || hello->rank >= ranks_)
        return drop(guest);
    auto relay = std::make_unique<Relay>(loop_, guest->link, [this, guest] { drop(guest); });
    Descriptor socket = relay->take_program_end();
    if (!socket)
        return drop(guest);
    loop_.cancel(guest->timer);
    guest->relay = std::move(relay);
    guest->link->limit(Unframer::longest_default);
    guests_.splice(guests_.end(), strangers_, guest);
    guest->link->send(Type::welcome);
    admit_(static_cast<int>(hello->rank), std::move(socket));
}

Knock::Knock(Loop &loop, const DoorAt &door, const Hello &hello, Done done) : loop_(loop), done_(std::move(done)) {
    Descriptor socket = connect_to_any(door.addresses, static_cast<int>(door.port), patience);
    if (!socket) {
        timer_ = loop_.after(std::chrono::milliseconds(0), [this] { give_up("cannot reach rank 0"); });
        return;
    }
    keep_alive(socket.get());
    link_ = Link::open(
        loop_, std::move(socket), caller_key(door.secret), [this](const Frame &frame) { received(frame); },
        [this] { closed(); });
    link_->limit(longest_hello);
    link_->send(hello);
    timer_ = loop_.after(patience, [this] { give_up("rank 0's agent does not answer"); });
}

Knock::~Knock() {
    loop_.cancel(timer_);
    if (link_)
        link_->close();
}

void Knock::received(const Frame &frame) {
    if (relay_ && frame.type == Type::relayed)
        return relay_->take(frame.payload);
    if (relay_ || frame.type != Type::welcome)
        return;
    loop_.cancel(timer_);
    link_->limit(Unframer::longest_default);
    relay_ = std::make_unique<Relay>(loop_, link_, [] {});
    Descriptor socket = relay_->take_program_end();
    const std::string error = socket ? "" : std::string("cannot make a socket: ") + std::strerror(errno);
    std::exchange(done_, {})(std::move(socket), error);
}

void Knock::closed() {
    if (relay_)
        return relay_->link_closed();
    give_up(link_->is_stranger() ? "what answers in the place of rank 0's agent does not know the door's secret"
                                 : "rank 0's agent does not open");
}

void Knock::give_up(const std::string &error) {
    loop_.cancel(timer_);
    if (link_)
        link_->close();
    if (done_)
        std::exchange(done_, {})({}, error);
}

} // namespace mpiglut::launcher
