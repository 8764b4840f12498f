#include "composite/scheme.h"

#include "region/slice.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace pixmpi {
namespace {

/// Factors of `count`: as near to `radix` as they can be without being more, but primes as they are.
std::vector<int> factors_of(int count, int radix) {
    std::vector<int> factors;
    while (count > 1) {
        int factor = std::min(radix, count);
        while (factor > 1 && count % factor != 0)
            --factor;
        if (factor == 1) // the least prime in it
            for (factor = radix + 1; count % factor != 0;)
                ++factor;
        factors.push_back(factor);
        count /= factor;
    }
    return factors;
}

/// All with all is one round, in which each link is used. Of many ranks the messages become too small for that.
pixMPI_Strategy chosen(pixMPI_Strategy wish, int places, int places_on_host) {
    constexpr int most_at_once = 16;
    if (wish == PIXMPI_STRATEGY_HOSTS || wish == PIXMPI_STRATEGY_AUTO)
        if (places_on_host > 1 && places_on_host < places)
            return PIXMPI_STRATEGY_HOSTS;
    if (wish == PIXMPI_STRATEGY_HOSTS || wish == PIXMPI_STRATEGY_AUTO)
        return places <= most_at_once ? PIXMPI_STRATEGY_DIRECT : PIXMPI_STRATEGY_RADIX;
    return wish;
}

} // namespace

std::pair<int, int> rows_of_member(const Share &before, std::size_t member, std::size_t members) {
    const auto rows = static_cast<std::uint64_t>(before.bottom - before.top);
    const auto begin = [&](std::size_t k) {
        return before.top + static_cast<int>(part_begins(rows, static_cast<int>(k), static_cast<int>(members)));
    };
    return {begin(member), begin(member + 1)};
}

Scheme::Scheme(int places, const Wish &wish) : places_(places) {
    constexpr int usual_radix = 4;
    switch (chosen(wish.strategy, places, wish.places_on_host)) {
    case PIXMPI_STRATEGY_TREE:
        add_tree();
        break;
    case PIXMPI_STRATEGY_SWAP: {
        const int pairs = static_cast<int>(std::bit_floor(static_cast<unsigned>(places)));
        hand_over_to_neighbours(places - pairs);
        for (int count = pairs; count > 1; count /= 2)
            add_split(2);
        break;
    }
    case PIXMPI_STRATEGY_RADIX:
        for (const int factor : factors_of(places, wish.radix ? wish.radix : usual_radix))
            add_split(factor);
        break;
    case PIXMPI_STRATEGY_HOSTS:
        add_split(wish.places_on_host);
        add_split(places / wish.places_on_host);
        break;
    default:
        if (places > 1)
            add_split(places);
    }
}

std::vector<int> Scheme::participants() const {
    std::vector<char> out(static_cast<std::size_t>(places_));
    for (const std::vector<Group> &round : groups_)
        for (const Group &group : round)
            for (std::size_t i = 1; !group.splits && i < group.places.size(); ++i)
                out[static_cast<std::size_t>(group.places[i])] = 1;
    std::vector<int> all;
    for (int place = 0; place < places_; ++place)
        if (!out[static_cast<std::size_t>(place)])
            all.push_back(place);
    return all;
}

/// The first places, by twos, until so many have no picture any more.
void Scheme::hand_over_to_neighbours(int count) {
    if (count == 0)
        return;
    std::vector<Group> round;
    for (int i = 0; i < count; ++i)
        round.push_back({{2 * i, 2 * i + 1}, false});
    groups_.push_back(std::move(round));
}

/// Groups of members that have the same rows, and of which each has merged the places right behind those of the one
/// before.
void Scheme::add_split(int radix) {
    const std::vector<int> members = participants();
    const auto stride = static_cast<std::size_t>(stride_), k = static_cast<std::size_t>(radix);
    std::vector<Group> round;
    for (std::size_t first = 0; first < members.size(); first += stride * k)
        for (std::size_t offset = 0; offset < stride; ++offset) {
            Group group;
            for (std::size_t i = 0; i < k; ++i)
                group.places.push_back(members[first + offset + i * stride]);
            round.push_back(std::move(group));
        }
    groups_.push_back(std::move(round));
    stride_ *= radix;
}

void Scheme::add_tree() {
    for (std::vector<int> left = participants(); left.size() > 1; left = participants()) {
        std::vector<Group> round;
        for (std::size_t i = 0; i + 1 < left.size(); i += 2)
            round.push_back({{left[i], left[i + 1]}, false});
        groups_.push_back(std::move(round));
    }
}

const Group *Scheme::group_of(int place, std::size_t round) const {
    for (const Group &group : groups_[round])
        if (std::find(group.places.begin(), group.places.end(), place) != group.places.end())
            return &group;
    return nullptr;
}

std::vector<Share> Scheme::shares(int rows, std::size_t round) const {
    std::vector<Share> all(static_cast<std::size_t>(places_));
    for (int place = 0; place < places_; ++place)
        all[static_cast<std::size_t>(place)] = {place, place + 1, 0, rows};
    for (std::size_t r = 0; r < round; ++r)
        for (const Group &group : groups_[r]) {
            const int front = all[static_cast<std::size_t>(group.places.front())].front;
            const int back = all[static_cast<std::size_t>(group.places.back())].back;
            for (std::size_t i = 0; i < group.places.size(); ++i) {
                Share &share = all[static_cast<std::size_t>(group.places[i])];
                if (group.splits)
                    std::tie(share.top, share.bottom) = rows_of_member(share, i, group.places.size());
                else if (i > 0)
                    share.takes_part = false;
                if (share.takes_part) {
                    share.front = front;
                    share.back = back;
                }
            }
        }
    return all;
}

} // namespace pixmpi
