// One run of a program on a wall, from mpiexec's start to the last process's end.
#pragma once

#include "child/guard.h"
#include "child/input_feed.h"
#include "child/loop.h"
#include "child/sink.h"
#include "job/mpi_job.h"
#include "job/placement.h"
#include "link/secret.h"
#include "option/options.h"
#include "session/agents.h"
#include "session/console.h"
#include "session/verdict.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mpiglut::launcher {

class Session {
  public:
    Session(CommandLine command, Placement placement, Mpiexec mpiexec);
    int run();

  private:
    enum class Stage { launching, displays, running, ending, finishing };
    struct Rank {
        bool ended = false, left = false, saving = false;
        bool told_to_end = false;                ///< by a signal: it ends when its frame does
        bool joined = false, dead = false;       ///< has met the other ranks; the wall goes on without it
        bool returning = false;                  ///< it is dead, and has been started again
        int lives = 0;                           ///< how often it has been started again
        int tries = 0;                           ///< how often since it was alive
        Loop::Clock::time_point died;
        Loop::Clock::time_point may_leave_until; ///< it has saved, and is leaving
        std::vector<LinePrefix> lines; ///< of standard output and standard error
    };
    /// An X server of this run's for tiles.
    struct Server {
        int rank = 0; ///< whose agent starts it
        Display display;
    };

    // session_start.cpp: until the programs run
    std::string launch();
    void joined(int rank);
    void launch_failed(const std::string &how);
    void look_for_failed_ssh();
    void start_displays();
    void display_ready(int rank, const Display &display);
    std::optional<std::string> launched_display(int rank) const;
    bool all_displays_ready() const;
    void start_programs();
    Start start_order(int rank) const;
    void describe() const;
    std::string start_console();
    std::string leave_secret();
    std::int64_t still_bytes(const pixmpi::Tile &tile) const;

    // session.cpp
    void received(int rank, Frame &&frame);
    void output(int rank, const Output &output);
    void report(int rank, const ReportLine &line);
    void output_broken(int stream);
    void address(const Address &address);
    void page_gone();
    void attend(std::chrono::milliseconds interval);
    void say(const std::string &line) const;
    void reap();

    // session_death.cpp: the wall goes on without a rank
    bool goes_on_without(int rank) const;
    bool comes_to_its_end(int rank) const;
    void ended_alone(int rank, const Exited &how);
    void lose(int rank, int status, const std::string &how, std::vector<std::string> said = {});
    bool comes_back(int rank) const;
    void start_again(int rank);
    void rejoined(int rank);

    // session_end.cpp
    void ended(int rank, const Exited &how);
    void ended_with_all(int rank, const Exited &how);
    void failed(int rank, const Failed &why);
    void left(int rank);
    void mpiexec_ended(int status);
    void blame();
    void interrupted(int signal);
    void saving(int rank);
    void saved(int rank);
    void let_end();
    void end_now();
    void signal_all(int number);
    void rank_over(int rank);
    void finish();
    void maybe_stop();
    void conclude();

    CommandLine command_;
    Placement placement_;
    Mpiexec mpiexec_;
    Guard guard_;
    Loop loop_;
    mutable Sink out_, err_;
    Verdict verdict_;
    MpiJob job_;
    std::unique_ptr<Agents> agents_;
    mutable Console console_;
    std::chrono::milliseconds live_interval_{0};
    InputFeed input_;
    std::vector<Rank> ranks_;
    std::map<std::string, std::vector<int>> hosts_; ///< the ranks of each, by machine
    std::map<std::pair<std::string, std::string>, Server> servers_; ///< by machine, and launched_display
    Display of_wall_;                   ///< of an X11 program
    std::vector<int> lost_;             ///< whose agents ended before their programs
    std::optional<int> mpiexec_end_;    ///< its status, where that was before the programs' end
    Stage stage_ = Stage::launching;
    RejoinAddress rejoin_address_;                              ///< for ranks that come back; no addresses: none does
    const std::string stack_guard_ = random_token();            ///< (run/options.h); a secret, too
    const std::string message_key_ = random_token();            ///< for what ranks of several hosts send by MPI
    const std::string run_mark_ = random_token().substr(0, 12); ///< of all that the ranks start
    std::string directory_;
    SecretFile secret_file_; ///< until all agents have come
    std::chrono::seconds patience_{30};
    int launch_timer_ = 0;
    bool program_started_ = false, library_seen_ = false;
    bool killing_ = false, interrupted_ = false, ssh_failed_ = false, page_shown_ = false, blamed_ = false;
    std::optional<Loop::Clock::time_point> crashed_; ///< when a rank crashed before it had saved
    Loop::Clock::time_point end_began_;
};

} // namespace mpiglut::launcher
