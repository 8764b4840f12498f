#include "sync/returning.h"

#include "base/real.h"
#include "clock/clock.h"
#include "run/death_counts.h"
#include "run/packing.h"
#include "run/passing.h"
#include "run/report.h"
#include "sync/log.h"
#include "sync/stream.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace mpiglut::comm {
namespace {

constexpr std::size_t piece = 256u << 10;
/// How long the wall waits in each tick for ranks that catch up.
constexpr std::int64_t longest_wait_ns = 250'000'000;

struct Returning {
    bool fed = false; ///< it has asked for the log
    std::uint64_t sent = 0;
    std::uint64_t tick = 0;   ///< so far it has come
    std::uint64_t waited = 0; ///< so far it had come when the wall waited for it last
};

struct Returns {
    // rank 0
    std::unique_ptr<transport::Log> log; ///< null: no rank comes back
    int rejoin_fd = -1;
    DeathCounts *death_counts = nullptr;
    std::uint32_t rejoin_requests = 0;
    std::map<int, Returning> on_their_way;
    std::map<int, std::uint64_t> awaited; ///< by dead rank: the tick of its death
    // a rank that comes back
    bool comes_back = false;
    std::optional<Place> joins_from;
};
Returns &returns() {
    static Returns *const the_returns = new Returns; // as comm's inbox
    return *the_returns;
}

void welcome(int rank) {
    Header header{Type::welcome};
    header.tick = static_cast<std::uint64_t>(clock::real_monotonic_ns());
    transport::send(rank, header, to_bytes<Bytes>(hosts()));
    returns().on_their_way[rank].fed = true;
}

void feed(int rank, Returning &one, bool all) {
    while (one.fed && one.sent < returns().log->size() && (all || transport::queued(rank) < piece)) {
        const Bytes bytes = returns().log->read(one.sent, piece);
        if (bytes.empty())
            return refuse_returns("the log of the run cannot be read");
        one.sent += bytes.size();
        transport::send_encoded(rank, bytes);
    }
}

} // namespace

void prepare_returns(const Membership &who) {
    Returns &r = returns();
    r.comes_back = who.stream_fd >= 0;
    if (rank() != 0 || !who.come_back || size() == 1)
        return;
    const char *folder = std::getenv("TMPDIR");
    r.log = std::make_unique<transport::Log>(folder && *folder ? folder : "/tmp", who.most_log_bytes);
    r.rejoin_fd = who.rejoin_fd;
    ::fcntl(r.rejoin_fd, F_SETFD, FD_CLOEXEC); // not for what the program starts
    r.death_counts = who.death_counts;
    if (!transport::began_mpi())
        refuse_returns("the program uses MPI itself");
}

void keep(const Header &header, std::span<const std::byte> payload) {
    std::string error;
    if (returns().log && !returns().log->add(transport::encode(header, payload), error))
        refuse_returns(error);
}

void refuse_returns(const std::string &why) {
    if (!returns().log)
        return;
    returns().log.reset();
    for (const auto &[rank, one] : returns().on_their_way)
        transport::forget(rank);
    returns().on_their_way.clear();
    report(Report::note, std::string(no_rejoining) + why);
}

bool is_rejoin_asked() {
    Returns &r = returns();
    const std::uint32_t before = r.rejoin_requests;
    r.rejoin_requests = r.death_counts ? r.death_counts->rejoin_requests() : 0;
    return r.rejoin_requests != before;
}

void accept_rejoins() {
    while (const auto passed = receive_passed(returns().rejoin_fd)) {
        const int rank = passed->number;
        if (rank <= 0 || rank >= size() || lives(rank) || !returns().log) {
            ::close(passed->fd);
            continue;
        }
        transport::admit(rank, passed->fd);
        returns().on_their_way[rank] = {};
    }
}

void feed_returning() {
    Returns &r = returns();
    for (auto one = r.on_their_way.begin(); r.log && one != r.on_their_way.end();) {
        const auto here = one++;
        feed(here->first, here->second, false);
    }
}

void forget_returning(int rank) {
    returns().on_their_way.erase(rank);
    returns().awaited[rank] = sequence(0).here.tick;
}

void hear_returning(int rank, const Message &message) {
    const auto found = returns().on_their_way.find(rank);
    if (found == returns().on_their_way.end())
        return;
    if (message.header.type == Type::hello)
        welcome(rank);
    else if (message.header.type == Type::done)
        found->second.tick = message.header.tick;
}

void readmit(std::uint64_t last) {
    const Locked locked;
    Returns &r = returns();
    for (auto one = r.on_their_way.begin(); one != r.on_their_way.end();) {
        const auto here = one++;
        const int rank = here->first;
        if (here->second.tick == 0 || here->second.tick + 1 < last)
            continue;
        feed(rank, here->second, true);
        if (!r.log)
            return;
        const Place from = sequence(0).here;
        transport::send(rank, header(Type::join, sequence(0), from), {});
        r.on_their_way.erase(here);
        r.awaited.erase(rank);
        revive(rank, last);
    }
}

namespace {

/// Tests say MPIGLUT_REJOIN=N: N ticks after a death the wall stands still until the rank is back.
void wait_for_awaited(std::uint64_t last) {
    static const int ticks = [] { // the program may write where that text is
        const char *const patience = std::getenv("MPIGLUT_REJOIN");
        return patience ? std::atoi(patience) : -1;
    }();
    if (ticks < 0 || !returns().log)
        return;
    const std::int64_t deadline = clock::real_monotonic_ns() + longest_absence_ns;
    wait_until([&] {
        readmit(last);
        return clock::real_monotonic_ns() > deadline || std::ranges::none_of(returns().awaited, [&](const auto &one) {
                   return one.second + static_cast<std::uint64_t>(ticks) <= last;
               });
    });
}

} // namespace

void wait_for_returning(std::uint64_t last) {
    wait_for_awaited(last);
    const std::int64_t deadline = clock::real_monotonic_ns() + longest_wait_ns;
    const auto waits = [&] {
        for (const auto &[rank, one] : returns().on_their_way)
            if (one.tick > 0 && one.tick < one.waited + 2 && one.tick + 1 < last)
                return true;
        return false;
    };
    {
        const Locked locked;
        if (returns().on_their_way.empty())
            return;
    }
    wait_until([&] { return !waits() || clock::real_monotonic_ns() > deadline; });
    const Locked locked;
    for (auto &[rank, one] : returns().on_their_way)
        one.waited = one.tick;
}

void join_from(Place place) { returns().joins_from = place; }

bool is_muted(Place place) {
    const Returns &r = returns();
    return r.comes_back && !(r.joins_from && place >= *r.joins_from);
}

bool catching_up() { return returns().comes_back && is_muted(sequence(0).here); }

bool never_comes(const std::map<Place, Message> &messages, Place here) {
    return is_muted(here) && (!messages.empty() || ticks_beyond(here.tick));
}

void send_up(const Header &header, Place place, std::span<const std::byte> payload) {
    if (!is_muted(place))
        transport::send(0, header, payload);
    else if (header.type == Type::done)
        transport::send(0, header, {}); // rank 0 sees how far this rank has come
}

} // namespace mpiglut::comm
