// How a run ends. Whatever the reason, the way is: signals to the programs that still run, until each is over; then
// every agent cleans up its host and leaves; then mpiexec ends. Each step has a limit, all of them together less than
// two seconds. Ranks that have come to the program's end together get more: to write files, and then to leave MPI and
// run the program's exit handlers. So do ranks that a signal has reached, until their frame is over.
#include "child/spawn.h"
#include "session/session.h"

#include <algorithm>
#include <csignal>
#include <sys/wait.h>

namespace mpiglut::launcher {

namespace {

using namespace std::chrono_literals;

constexpr auto grace = 1000ms; ///< for the others, once one has ended
constexpr auto term_to_kill = 300ms;
constexpr auto kill_to_give_up = 300ms;
constexpr auto clean_up = 900ms; ///< for the agents
constexpr auto between_ends_of_agents = 100ms; ///< and of mpiexec, where one is the other's cause
constexpr auto longest_saving = 30s;
constexpr auto longest_leaving = 10s; ///< longer than the library gives MPI_Finalize
constexpr auto longest_frame = 3s;    ///< after a signal of ours

/// Not by a signal that ends programs in an orderly way, or that we send.
bool crashed(int status) {
    if (!WIFSIGNALED(status))
        return false;
    const int number = WTERMSIG(status);
    return number != SIGINT && number != SIGTERM && number != SIGHUP && number != SIGKILL;
}

} // namespace

void Session::ended(int rank, const Exited &how) {
    if (ranks_[static_cast<std::size_t>(rank)].returning && stage_ != Stage::running) {
        rank_over(rank);
        return maybe_stop();
    }
    if (goes_on_without(rank))
        ended_alone(rank, how);
    else
        ended_with_all(rank, how);
}

void Session::ended_with_all(int rank, const Exited &how) {
    if (ranks_[static_cast<std::size_t>(rank)].ended)
        return;
    auto status = static_cast<int>(how.status);
    console_.send(TileState{rank, agents_->hello(rank).host, {}, "ended", status});
    say(verdict_.ended(rank, status, how.by_us != 0, how.said));
    rank_over(rank);
    const bool has_saved = ranks_[static_cast<std::size_t>(rank)].may_leave_until != Loop::Clock::time_point();
    if (crashed(status) && !has_saved && !crashed_)
        crashed_ = Loop::Clock::now();
    if (stage_ >= Stage::ending)
        return maybe_stop();
    if (WIFSIGNALED(status))
        end_now();
    else
        let_end();
}

void Session::failed(int rank, const Failed &why) {
    if (ranks_[static_cast<std::size_t>(rank)].returning && goes_on_without(rank))
        return lose(rank, 1 << 8, why.why);
    say(verdict_.failed(rank, static_cast<int>(why.status), why.why));
    rank_over(rank);
    end_now();
}

void Session::left(int rank) {
    Rank &r = ranks_[static_cast<std::size_t>(rank)];
    r.left = true;
    if (goes_on_without(rank) && outlives_agents(mpiexec_.flavour)) {
        loop_.after(between_ends_of_agents, [this, rank] { // if mpiexec has died, it takes rank 0 along, too
            if (goes_on_without(rank))
                lose(rank, 1, "its agent ended or cannot be reached any more");
        });
    } else if (!r.ended && stage_ != Stage::finishing) {
        lost_.push_back(rank);
        loop_.after(between_ends_of_agents, [this] { blame(); });
        rank_over(rank);
        end_now();
    }
    maybe_stop();
}

void Session::mpiexec_ended(int status) {
    job_.ended();
    const std::string said = most_telling_line(job_.printed());
    if (!agents_->complete() && stage_ != Stage::finishing) {
        blamed_ = true;
        say(verdict_.trouble("mpiexec could not start the ranks (" + describe_status(status) + ")" +
                             (said.empty() ? "" : ": " + said)));
    } else if (stage_ < Stage::ending || !lost_.empty()) {
        mpiexec_end_ = status;
        loop_.after(between_ends_of_agents, [this] { blame(); });
    }
    end_now();
    maybe_stop();
}

/// Agents die of mpiexec's death, and mpiexec and the other agents of one agent's. News of both come in any order, and
/// on a busy machine one long after the other; one line says what was first. Only a signal that we did not send tells
/// that it was mpiexec.
void Session::blame() {
    if (blamed_ || (lost_.empty() && !mpiexec_end_))
        return;
    blamed_ = true;
    if (mpiexec_end_ && (lost_.empty() || WIFSIGNALED(*mpiexec_end_)))
        return say(verdict_.trouble("mpiexec ended before the program did (" + describe_status(*mpiexec_end_) + ")"));
    std::string line = verdict_.lost(*std::ranges::min_element(lost_));
    if (command_.run.on_death != OnDeath::end && !outlives_agents(mpiexec_.flavour))
        line += std::string("; ") + name(mpiexec_.flavour) + "'s launcher ends all ranks with one agent";
    say(line);
}

void Session::interrupted(int signal) {
    if (interrupted_) // again: somebody is in a hurry
        return signal_all(SIGKILL);
    interrupted_ = true;
    verdict_.interrupted(signal);
    if (stage_ < Stage::running)
        return end_now();
    signal_all(signal);
    let_end();
}

/// A rank writes files before it ends. If that takes for ever, it does not end by itself, and no other rank either.
void Session::saving(int rank) {
    ranks_[static_cast<std::size_t>(rank)].saving = true;
    loop_.after(longest_saving, [this, rank] {
        if (!ranks_[static_cast<std::size_t>(rank)].saving || ranks_[static_cast<std::size_t>(rank)].ended)
            return;
        say(verdict_.trouble(verdict_.who(rank) + ": could not save its files within 30 seconds"));
        end_now();
    });
}

/// Other ranks may be over already, and this one is not late: MPI and exit handlers take their time.
void Session::saved(int rank) {
    Rank &r = ranks_[static_cast<std::size_t>(rank)];
    r.saving = false;
    r.may_leave_until = Loop::Clock::now() + longest_leaving;
}

/// Time for the programs to end by themselves, then none.
void Session::let_end() {
    if (stage_ == Stage::finishing)
        return;
    if (stage_ < Stage::ending) {
        stage_ = Stage::ending;
        end_began_ = Loop::Clock::now();
    }
    for (int rank = 0; rank < placement_.ranks; ++rank)
        if (ranks_[static_cast<std::size_t>(rank)].returning)
            agents_->send(rank, Signal{SIGKILL}); // it does not know of the end yet
    maybe_stop();
    loop_.after(grace, [this] {
        auto now = Loop::Clock::now();
        const bool in_frame = interrupted_ && now - end_began_ < longest_frame;
        bool saving = std::ranges::any_of(
            ranks_, [=](const Rank &rank) { return (rank.saving || (rank.told_to_end && in_frame)) && !rank.ended; });
        bool leaving =
            std::ranges::any_of(ranks_, [now](const Rank &rank) { return now < rank.may_leave_until && !rank.ended; });
        // After a bad end two seconds are all there is to save: the others may wait for a rank that is gone.
        bool well = !verdict_.bad() && !(crashed_ && now - *crashed_ > 2 * grace) && now - end_began_ < longest_saving;
        if (leaving || (saving && well))
            return let_end();
        end_now();
    });
}

void Session::end_now() {
    if (killing_ || stage_ == Stage::finishing)
        return;
    killing_ = true;
    stage_ = Stage::ending;
    signal_all(SIGTERM);
    maybe_stop();
    loop_.after(term_to_kill, [this] { signal_all(SIGKILL); });
    loop_.after(term_to_kill + kill_to_give_up, [this] { finish(); });
}

void Session::signal_all(int number) {
    for (int rank = 0; rank < placement_.ranks; ++rank)
        if (!ranks_[static_cast<std::size_t>(rank)].ended)
            agents_->send(rank, Signal{number});
}

void Session::rank_over(int rank) {
    ranks_[static_cast<std::size_t>(rank)].ended = true;
    input_.drop(rank);
}

void Session::finish() {
    if (stage_ == Stage::finishing)
        return;
    stage_ = Stage::finishing;
    loop_.cancel(launch_timer_);
    agents_->pause(false);
    for (int rank = 0; rank < placement_.ranks; ++rank)
        agents_->send(rank, Type::end);
    // Agents that never came find nobody to connect to and end by themselves, unless mpiexec's end comes first.
    loop_.after(agents_->complete() ? clean_up : 0ms, [this] { job_.finish(); });
    loop_.after(clean_up + 700ms, [this] { loop_.stop(); });
    maybe_stop();
}

/// Takes the next step when its time has come.
void Session::maybe_stop() {
    bool all_over = std::ranges::all_of(ranks_, [](const Rank &rank) { return rank.ended; });
    if (stage_ == Stage::ending && all_over)
        return finish();
    if (stage_ != Stage::finishing || !agents_->all_left())
        return;
    if (!job_.running())
        return loop_.stop();
    job_.finish();
}

void Session::conclude() {
    blame();
    console_.send(Over{verdict_.exit_status()});
    for (Rank &rank : ranks_) {
        out_.write(rank.lines[0].rest());
        err_.write(rank.lines[1].rest());
    }
    for (const std::string &line : verdict_.remarks())
        say(line);
    if (command_.run.system == System::x11 && program_started_ && !library_seen_)
        say("note: '" + command_.program[0] +
            "' made no connection to an X server by the C library: it ended before that, or it talks to the server by "
            "system calls of its own, or it uses no X11");
    else if (command_.run.system == System::glut && verdict_.exit_status() == 0 && !library_seen_)
        say("note: '" + command_.program[0] +
            "' did not use GLUT, or has it linked statically, so every rank ran it on its own");
    // After a signal nobody may be there to read; otherwise what the program printed is worth waiting for.
    auto patience = std::chrono::milliseconds(verdict_.exit_status() > 128 ? 300 : -1);
    out_.flush(patience);
    err_.flush(patience);
}

} // namespace mpiglut::launcher
