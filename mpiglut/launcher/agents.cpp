#include "agents.h"

#include <algorithm>
#include <poll.h>
#include <sys/socket.h>

namespace mpiglut::launcher {

namespace {

constexpr std::size_t longest_hello = 4096;
constexpr std::chrono::seconds patience_with_strangers(5);
/// In addition to one for each rank. An agent proves itself within a round trip, so the oldest stranger is most likely
/// none; an agent that has to go all the same comes again.
constexpr std::size_t most_strangers = 128;

} // namespace

Agents::Agents(Loop &loop, const Placement &placement, const std::string &folder, std::chrono::seconds patience,
               Listener listener, std::string &error)
    : loop_(loop), listener_(std::move(listener)), peers_(static_cast<std::size_t>(placement.ranks)) {
    auto [socket, port, addresses, why] = listen_for_agents(!placement.all_here, placement.host_of_rank, folder);
    if (!socket) {
        error = "cannot open a socket for the agents: " + why;
        return;
    }
    socket_ = std::move(socket);
    control_ = {port, static_cast<int>(patience.count()), addresses};
    loop_.watch(socket_.get(), POLLIN, [this](short) { accept(); });
}

Agents::~Agents() { shut(); }

void Agents::shut() {
    if (socket_)
        loop_.forget(socket_.get());
    socket_.reset();
    while (!strangers_.empty())
        drop(strangers_.front());
}

void Agents::accept() {
    Descriptor socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket)
        return;
    keep_alive(socket.get());
    auto peer = std::make_shared<Peer>();
    std::weak_ptr<Peer> weak = peer; // the link belongs to the peer
    peer->link = Link::open(
        loop_, std::move(socket), key_,
        [this, weak](Frame &&frame) {
            auto self = weak.lock();
            if (self && self->rank >= 0)
                listener_.received(self->rank, std::move(frame));
            else if (self)
                greet(self, frame);
        },
        [this, weak] {
            auto self = weak.lock();
            if (self && self->rank >= 0)
                listener_.left(self->rank);
            else if (self)
                drop(self);
        });
    peer->link->limit(longest_hello);
    peer->timer = loop_.after(patience_with_strangers, [this, weak] {
        if (auto self = weak.lock())
            drop(self);
    });
    strangers_.push_back(peer);
    if (strangers_.size() > most_strangers + peers_.size())
        drop(strangers_.front());
}

void Agents::drop(const PeerRef &peer) {
    PeerRef keep = peer;
    loop_.cancel(keep->timer);
    keep->link->close();
    std::erase(strangers_, keep);
}

void Agents::greet(const PeerRef &peer, const Frame &frame) {
    auto hello = frame.type == Type::hello ? unpack<Hello>(frame.payload) : std::nullopt;
    if (!hello || hello->rank < 0 || hello->rank >= ranks() || joined(static_cast<int>(hello->rank)))
        return drop(peer);
    peer->link->send(Type::welcome);
    loop_.cancel(peer->timer);
    peer->link->limit(Unframer::longest_default);
    peer->rank = static_cast<int>(hello->rank);
    peer->hello = std::move(*hello);
    peers_[static_cast<std::size_t>(peer->rank)] = peer;
    std::erase(strangers_, peer);
    if (complete())
        shut();
    listener_.joined(peer->rank);
}

bool Agents::complete() const {
    return std::ranges::all_of(peers_, [](const PeerRef &peer) { return peer != nullptr; });
}

bool Agents::all_left() const {
    return std::ranges::none_of(peers_, [](const PeerRef &peer) { return peer && peer->link->is_open(); });
}

void Agents::send(int rank, Type type, const std::string &payload) {
    if (at(rank))
        at(rank)->link->send(type, payload);
}

void Agents::pause(bool paused) {
    for (const PeerRef &peer : peers_)
        if (peer)
            peer->link->pause(paused);
}

} // namespace mpiglut::launcher
