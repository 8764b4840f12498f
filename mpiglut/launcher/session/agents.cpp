#include "session/agents.h"

#include <algorithm>
#include <utility>

namespace mpiglut::launcher {

Agents::Agents(Loop &loop, const Placement &placement, const std::string &folder, std::chrono::seconds patience,
               Listener listener, std::string &error)
    : listener_(std::move(listener)), peers_(static_cast<std::size_t>(placement.ranks)) {
    auto place = listen_for_agents(!placement.all_here, placement.host_of_rank, folder);
    if (!place.socket) {
        error = "cannot open a socket for the agents: " + place.error;
        return;
    }
    control_ = {place.port, static_cast<int>(patience.count()), place.addresses};
    reception_ = std::make_unique<Reception>(
        loop, std::move(place), secret_, Reception::most_strangers + peers_.size(),
        [this](const std::shared_ptr<Link> &link, Hello &&hello) { return admit(link, std::move(hello)); });
}

bool Agents::admit(const std::shared_ptr<Link> &link, Hello &&hello) {
    const auto rank = static_cast<int>(hello.rank);
    if (hello.rank < 0 || hello.rank >= ranks() || joined(rank))
        return false;
    link->send(Type::welcome);
    link->limit(Unframer::longest_default);
    link->hand_over([this, rank](Frame &&frame) { listener_.received(rank, std::move(frame)); },
                    [this, rank] { listener_.left(rank); });
    peers_[static_cast<std::size_t>(rank)] = {link, std::move(hello)};
    if (complete())
        reception_->shut();
    listener_.joined(rank);
    return true;
}

bool Agents::complete() const {
    return std::ranges::all_of(peers_, [](const Peer &peer) { return peer.link != nullptr; });
}

bool Agents::all_left() const {
    return std::ranges::none_of(peers_, [](const Peer &peer) { return peer.link && peer.link->is_open(); });
}

void Agents::send(int rank, Type type, const std::string &payload) {
    if (joined(rank))
        at(rank).link->send(type, payload);
}

void Agents::pause(bool paused) {
    for (const Peer &peer : peers_)
        if (peer.link)
            peer.link->pause(paused);
}

} // namespace mpiglut::launcher
