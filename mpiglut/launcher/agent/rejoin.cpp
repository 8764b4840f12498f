#include "agent/rejoin.h"
#include "link/net.h"
#include "link/secret.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace mpiglut::launcher {

RejoinServer::RejoinServer(Loop &loop, int ranks, bool elsewhere, const std::vector<std::string> &hosts,
                           const std::string &folder, std::function<void(int, Descriptor)> admit)
    : loop_(loop), ranks_(ranks), admit_(std::move(admit)) {
    auto place = listen_for_agents(elsewhere, hosts, folder);
    if (!place.socket) {
        error_ = "cannot open a socket for ranks that come back: " + place.error;
        return;
    }
    at_.port = place.port;
    at_.addresses = place.addresses;
    at_.secret = random_token();
    reception_ = std::make_unique<Reception>(
        loop_, std::move(place), at_.secret, Reception::most_strangers,
        [this](const std::shared_ptr<Link> &link, const Hello &hello) { return this->admit(link, hello); });
}

bool RejoinServer::admit(const std::shared_ptr<Link> &link, const Hello &hello) {
    if (hello.rank <= 0 || hello.rank >= ranks_)
        return false;
    const auto guest = guests_.emplace(guests_.end());
    *guest = std::make_unique<Relay>(loop_, link, [this, guest] {
        const auto over = std::move(*guest); // this is called by it
        guests_.erase(guest);
    });
    Relay *const relay = guest->get();
    Descriptor socket = relay->release_program_end();
    if (!socket) {
        guests_.erase(guest);
        return false;
    }
    link->limit(Unframer::longest_default);
    link->hand_over(
        [relay](const Frame &frame) {
            if (frame.type == Type::relayed)
                relay->receive(frame.payload);
        },
        [relay] { relay->link_closed(); });
    link->send(Type::welcome);
    admit_(static_cast<int>(hello.rank), std::move(socket));
    return true;
}

RejoinClient::RejoinClient(Loop &loop, const RejoinAddress &server, const Hello &hello, Done done)
    : loop_(loop), done_(std::move(done)) {
    Descriptor socket = connect_to_any(server.addresses, static_cast<int>(server.port), Reception::patience);
    if (!socket) {
        timer_ = loop_.after(std::chrono::milliseconds(0), [this] { give_up("cannot reach rank 0"); });
        return;
    }
    keep_alive(socket.get());
    link_ = Link::open(
        loop_, std::move(socket), caller_key(server.secret), [this](const Frame &frame) { received(frame); },
        [this] { closed(); });
    link_->limit(Reception::longest_hello);
    link_->send(hello);
    timer_ = loop_.after(Reception::patience, [this] { give_up("rank 0's agent does not answer"); });
}

RejoinClient::~RejoinClient() {
    loop_.cancel(timer_);
    if (link_)
        link_->close();
}

void RejoinClient::received(const Frame &frame) {
    if (relay_ && frame.type == Type::relayed)
        return relay_->receive(frame.payload);
    if (relay_ || frame.type != Type::welcome)
        return;
    loop_.cancel(timer_);
    link_->limit(Unframer::longest_default);
    relay_ = std::make_unique<Relay>(loop_, link_, [] {});
    Descriptor socket = relay_->release_program_end();
    const std::string error = socket ? "" : std::string("cannot make a socket: ") + std::strerror(errno);
    std::exchange(done_, {})(std::move(socket), error);
}

void RejoinClient::closed() {
    if (relay_)
        return relay_->link_closed();
    give_up(link_->is_stranger() ? "what answers in the place of rank 0's agent does not know its secret"
                                 : "rank 0's agent does not open");
}

void RejoinClient::give_up(const std::string &error) {
    loop_.cancel(timer_);
    if (link_)
        link_->close();
    if (done_)
        std::exchange(done_, {})({}, error);
}

} // namespace mpiglut::launcher
