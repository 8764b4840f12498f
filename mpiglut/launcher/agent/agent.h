// mpiglutrun's hand on one rank: runs the program there, and makes sure that nothing of it stays.
#pragma once

#include "agent/beside.h"
#include "agent/dashboard_reader.h"
#include "agent/last_words.h"
#include "agent/rejoin.h"
#include "child/child.h"
#include "child/control.h"
#include "child/guard.h"
#include "child/loop.h"
#include "link/link.h"
#include "program/wayland.h"
#include "program/x_server.h"
#include "run/death_counts.h"

#include <memory>
#include <optional>

namespace mpiglut::launcher {

struct UnmapDeathCounts {
    int ranks = 0; ///< the memory may say something else by now
    void operator()(DeathCounts *death_counts) const { DeathCounts::unmap(death_counts, ranks); }
};

class Agent {
  public:
    Agent(const Control &control, const std::string &secret, int rank)
        : control_(control), key_(caller_key(secret)), rank_(rank) {}
    /// The agent's own exit status.
    int run();

  private:
    static constexpr std::size_t most_queued = 256u << 10; ///< for mpiglutrun: then output and pictures wait

    // agent.cpp: what mpiglutrun says, and how it ends
    bool connect();
    void come_again();
    void received(Frame &&frame);
    bool make_directory();
    bool has_directory(); ///< or says why not
    void want_display(const WantDisplay &what);
    void start_server(bool of_wall, const std::string &folder, ServerCommand command);
    void forward(int stream, std::string_view bytes);
    void fail(std::int64_t status, const std::string &why);
    void input(const std::string &bytes);
    void signal(int number);
    void reap();
    bool server_ended(pid_t pid, int status);
    void look_for_death();
    void child_ended(int status);
    void handle_end(int signal);
    void wind_up();

    // agent_start.cpp: how the program starts
    void check_display(const Start &what);
    void start(const Start &what, const Descriptor &to_rank_0);
    bool make_dashboard(const Start &what);
    bool make_death_counts(const Start &what);
    bool make_rejoin_server(const Start &what);
    void reach_rank_0(const Start &what);

    Control control_;
    TlsKeyRef key_;
    int rank_;
    Guard guard_;
    Loop loop_;
    std::shared_ptr<Link> link_;
    Hello hello_;
    bool admitted_ = false; ///< by mpiglutrun
    int stranger_timer_ = 0;
    std::string directory_; ///< for what this rank's programs and its X server leave lying about; empty: not yet made
    std::optional<XServer> tile_server_, wall_server_; ///< of tiles, and of an X11 program's windows
    std::optional<Beside> beside_;                     ///< on the wall's server, of rank 0
    std::unique_ptr<WaylandSession> session_;          ///< where the tiles' server shows its screen
    std::optional<Start> order_;
    pid_t checking_ = -1;
    std::unique_ptr<Child> child_;
    std::unique_ptr<DashboardReader> dashboard_; ///< where the wall has an operator
    Descriptor death_counts_fd_;
    std::unique_ptr<DeathCounts, UnmapDeathCounts> death_counts_; ///< where the wall outlives its ranks
    LastWords last_words_;                  ///< of a program with output that is not shown
    std::string input_;                     ///< that no program has been given, or, where ranks come back, all of it
    std::unique_ptr<RejoinServer> rejoin_server_; ///< of rank 0, where ranks come back
    Descriptor to_program_, from_agent_;    ///< rank 0's program gets connections by them
    std::unique_ptr<RejoinClient> rejoin_client_; ///< to rank 0's agent
    bool input_ended_ = false, input_lost_ = false, cancelled_ = false, winding_up_ = false;
    int death_timer_ = 0;
};

} // namespace mpiglut::launcher
