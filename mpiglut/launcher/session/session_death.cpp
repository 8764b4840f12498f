// How a run goes on when a rank dies (--on-death continue), or until it comes back (--on-death rejoin). Every living
// rank's agent marks the death in the counts that it shares with its program (run/death_counts.h), so that no rank
// waits for the dead. Rank 0 cannot be done without: its death ends the run, and so does one before all ranks have met,
// which MPI's beginning would wait for.
#include "child/spawn.h"
#include "session/session.h"

#include <algorithm>
#include <sys/wait.h>
#include <utility>

namespace mpiglut::launcher {

namespace {

using namespace std::chrono_literals;

constexpr auto between_ends = 300ms; ///< of a rank that ends with all others, and the news that rank 0 does

} // namespace

bool Session::goes_on_without(int rank) const {
    return command_.run.on_death != OnDeath::end && rank != 0 && stage_ == Stage::running &&
           std::ranges::all_of(ranks_, &Rank::joined) && !ranks_[static_cast<std::size_t>(rank)].ended;
}

bool Session::comes_to_its_end(int rank) const {
    const Rank &r = ranks_[static_cast<std::size_t>(rank)];
    return r.saving || r.ended || r.may_leave_until != Loop::Clock::time_point{};
}

/// A program that ends by itself does so on all ranks together, and a rank that has come to its end says that first.
void Session::ended_alone(int rank, const Exited &how) {
    const auto status = static_cast<int>(how.status);
    const bool returning = ranks_[static_cast<std::size_t>(rank)].returning; // then it ends when it has lost rank 0
    if (WIFSIGNALED(status) || (!comes_to_its_end(rank) && !returning))
        return lose(rank, status, describe_status(status), how.said);
    loop_.after(comes_to_its_end(0) ? 0ms : between_ends, [this, rank, how, status] {
        if (goes_on_without(rank) && !comes_to_its_end(0))
            return lose(rank, status, describe_status(status), how.said);
        ended_with_all(rank, how);
    });
}

void Session::lose(int rank, int status, const std::string &how, std::vector<std::string> said) {
    Rank &r = ranks_[static_cast<std::size_t>(rank)];
    const bool on_its_way = std::exchange(r.returning, false), again = comes_back(rank);
    if (!r.dead)
        r.died = Loop::Clock::now();
    r.dead = true;
    console_.send(TileState{rank, agents_->hello(rank).host, {}, "dead", status});
    say(verdict_.died(rank, status, how + (on_its_way ? ", on its way back" : ""),
                      again ? "the wall goes on without it until it is back" : "the wall goes on without it",
                      std::move(said)));
    rank_over(rank);
    for (int other = 0; other < placement_.ranks; ++other)
        agents_->send(other, Dead{rank});
    if (again)
        start_again(rank);
}

/// What ends it again and again on its way does so every time.
bool Session::comes_back(int rank) const {
    constexpr int most_tries = 2;
    const Rank &r = ranks_[static_cast<std::size_t>(rank)];
    return !rejoin_address_.addresses.empty() && !r.left && r.tries < most_tries && stage_ == Stage::running &&
           !comes_to_its_end(0);
}

void Session::start_again(int rank) {
    Rank &r = ranks_[static_cast<std::size_t>(rank)];
    r.returning = true;
    r.ended = r.saving = r.told_to_end = false;
    r.may_leave_until = {};
    ++r.lives;
    ++r.tries;
    console_.send(TileState{rank, agents_->hello(rank).host, {}, "returning", 0});
    agents_->send(rank, start_order(rank));
}

void Session::rejoined(int rank) {
    Rank &r = ranks_[static_cast<std::size_t>(rank)];
    if (!r.returning)
        return;
    r.returning = r.dead = false;
    r.tries = 0;
    console_.send(TileState{rank, agents_->hello(rank).host, {}, "started", 0});
    say(verdict_.back(rank, Loop::Clock::now() - r.died));
}

} // namespace mpiglut::launcher
