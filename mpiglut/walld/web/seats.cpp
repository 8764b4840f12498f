#include "web/seats.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace mpiglut::walld {

namespace {

constexpr std::size_t share_of_lookers(std::size_t all) { return all - (all + 3) / 4; }

} // namespace

void Seats::count(const Seat &seat, int by) {
    const auto change = static_cast<std::size_t>(by); // -1 wraps around, and so do the sums
    Count &own = of_address_[seat.address];
    for (Count *count : {&own, &total_}) {
        count->all += change;
        count->proved += seat.proved ? change : 0;
        count->sockets += seat.socket ? change : 0;
        count->looking += seat.proved && seat.looks ? change : 0;
        count->looking_sockets += seat.socket && seat.looks ? change : 0;
    }
    if (own.all == 0)
        of_address_.erase(seat.address);
}

void Seats::change(Guest guest, bool proved, bool socket, bool looks) {
    const auto found = seats_.find(guest);
    if (found == seats_.end())
        return;
    Seat changed = found->second;
    changed.proved = proved;
    changed.socket = socket;
    changed.looks = looks;
    count(changed, 1);
    count(found->second, -1);
    found->second = std::move(changed);
}

bool Seats::come(Guest guest, const std::string &address) {
    const auto own = of_address_.find(address);
    if (total_.proved >= limits_.all || (own != of_address_.end() && own->second.proved >= limits_.of_address))
        return false;
    count(seats_[guest] = {address}, 1);
    return true;
}

void Seats::prove(Guest guest, bool operates) {
    const auto found = seats_.find(guest);
    if (found == seats_.end())
        return;
    const Count &own = of_address_[found->second.address];
    if (operates ||
        (total_.looking < share_of_lookers(limits_.all) && own.looking < share_of_lookers(limits_.of_address)))
        change(guest, true, false, !operates);
}

void Seats::release(Guest guest) { change(guest, false, false, false); }

bool Seats::become_socket(Guest guest, bool operates) {
    const auto found = seats_.find(guest);
    if (found == seats_.end())
        return false;
    const Count &own = of_address_[found->second.address];
    if (total_.sockets >= limits_.all_sockets || own.sockets >= limits_.sockets_of_address)
        return false;
    if (!operates && (total_.looking_sockets >= share_of_lookers(limits_.all_sockets) ||
                      own.looking_sockets >= share_of_lookers(limits_.sockets_of_address)))
        return false;
    change(guest, true, true, !operates);
    return true;
}

void Seats::leave(Guest guest) {
    if (const auto gone = seats_.extract(guest))
        count(gone.mapped(), -1);
}

std::vector<Seats::Guest> Seats::give_way(Guest below) {
    const auto too_many = [this](const auto &one) { return one.second.all > limits_.of_address; };
    if (total_.all <= limits_.all && std::ranges::none_of(of_address_, too_many))
        return {};
    std::map<std::string, std::deque<Guest>> may_go; ///< by address, the oldest first
    for (auto seat = seats_.begin(); seat != seats_.lower_bound(below); ++seat)
        if (!seat->second.proved)
            may_go[seat->second.address].push_back(seat->first);
    std::vector<Guest> gone;
    for (;;) {
        std::deque<Guest> *most = nullptr;
        for (auto &[address, guests] : may_go)
            if (!guests.empty() && (total_.all > limits_.all || of_address_[address].all > limits_.of_address) &&
                (!most || guests.size() > most->size()))
                most = &guests;
        if (!most)
            return gone;
        gone.push_back(most->front());
        most->pop_front();
        leave(gone.back());
    }
}

} // namespace mpiglut::walld
