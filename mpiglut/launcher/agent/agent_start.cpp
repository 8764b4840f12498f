// An agent starts its rank's program: first it checks what the program needs, and makes what the two share.
#include "agent/agent.h"
#include "program/display_check.h"
#include "program/program_environment.h"
#include "run/options.h"
#include "run/passing.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <utility>
#include <vector>

namespace mpiglut::launcher {

namespace {

/// What the run is to write, rank 0 writes. Empty when it can.
std::string unwritable_output(const std::string &json) {
    std::string error;
    const auto run = from_json(json, error);
    if (!run)
        return error;
    std::vector<std::pair<const char *, std::string>> outputs{{"--record", run->record}, {"--stats", run->stats}};
    for (const Capture &capture : run->captures)
        outputs.emplace_back("--capture", capture.file);
    for (const auto &[option, path] : outputs) {
        const bool there = ::access(path.c_str(), F_OK) == 0;
        const std::string directory = path.substr(0, path.rfind('/') + 1);
        std::error_code ignored;
        if (path.empty())
            continue;
        if (std::filesystem::is_directory(path, ignored))
            return std::string(option) + ": expected the name of a file, '" + path + "' is a directory";
        if (::access(there ? path.c_str() : directory.c_str(), W_OK) != 0)
            return std::string(option) + ": cannot write '" + path + "': " + std::strerror(errno);
    }
    return {};
}

std::string cannot_run(const Start &order, const Spawned &process) {
    if (process.in_directory)
        return "cannot enter the working directory '" + order.directory + "': " + std::strerror(process.error);
    std::string what = "cannot run '" + order.argv[0] + "': ";
    bool searched = order.argv[0].find('/') == std::string::npos;
    if (process.error == ENOENT)
        return what + (searched                                     ? "no such program in PATH"
                       : ::access(order.argv[0].c_str(), F_OK) == 0 ? "its interpreter or loader does not exist"
                                                                    : "no such file");
    return what + std::strerror(process.error);
}

} // namespace

void Agent::check_display(const Start &what) {
    order_ = what;
    if (rank_ == 0)
        if (const std::string problem = unwritable_output(what.run); !problem.empty())
            return fail(2, problem);
    if (order_->display.empty())
        if (const char *inherited = std::getenv("DISPLAY"))
            order_->display = inherited;
    checking_ = start_display_check(order_->display, order_->authority);
    if (checking_ < 0)
        fail(1, std::string("cannot start a process: ") + std::strerror(errno));
}

void Agent::start(const Start &what, const Descriptor &to_rank_0) {
    last_words_ = {};
    child_ = std::make_unique<Child>(
        loop_,
        Child::Listener{[this](int stream, std::string_view bytes) { forward(stream, bytes); },
                        [this](const std::string &kind, const std::string &text) {
                            link_->send(ReportLine{kind, text});
                        },
                        [this](std::size_t n) { link_->send(InputTaken{static_cast<std::int64_t>(n)}); }},
        std::array{(what.terminal & 1) != 0, (what.terminal & 2) != 0});
    if (!has_directory() || !make_dashboard(what) || !make_death_counts(what) || !make_rejoin_server(what))
        return;
    std::string error;
    const ProgramPlace place{.rank = rank_,
                             .report_fd = child_->report_fd(),
                             .dashboard_fd = dashboard_ ? dashboard_->fd() : -1,
                             .death_counts_fd = death_counts_fd_.get(),
                             .rejoin_fd = from_agent_.get(),
                             .stream_fd = to_rank_0.get(),
                             .directory = directory_};
    auto environment = program_environment(what, place, error);
    if (!error.empty())
        return fail(1, error);
    guard_.kill_marked(std::string(mark_variable) + "=" + what.mark);
    Spawned process = child_->start(what.argv, environment, what.directory,
                                    {place.dashboard_fd, place.death_counts_fd, place.rejoin_fd, place.stream_fd});
    from_agent_.reset();
    if (process.pid > 0) {
        if (dashboard_)
            dashboard_->program(process.pid);
        link_->send(Type::started);
        guard_.kill_group(process.pid);
        child_->input(what.may_rejoin && rank_ > 0 ? input_ : std::exchange(input_, {}));
        if (input_ended_)
            child_->end_input();
        if (death_counts_)
            look_for_death();
        beside_.emplace(loop_, [this](const std::string &line) {
            if (!winding_up_)
                link_->send(ReportLine{"note", line});
        });
        beside_->start(what);
        return;
    }
    bool missing = !process.in_directory && process.error == ENOENT;
    fail(process.in_directory ? 1 : missing ? 127 : 126, cannot_run(what, process));
}

/// Before the program, which inherits it.
bool Agent::make_dashboard(const Start &what) {
    if (what.still_bytes <= 0)
        return true;
    dashboard_ = std::make_unique<DashboardReader>(
        loop_, static_cast<std::size_t>(what.still_bytes),
        DashboardReader::Listener{[this](const Figures &figures) { link_->send(figures); },
                                  [this](const PictureOfTile &picture) { link_->send(picture); },
                                  [this] { return link_->queued() >= most_queued; },
                                  [this](const std::string &lines) { link_->send(Type::recorded, lines); },
                                  [this](const std::string &menu) { link_->send(Type::menu, menu); }});
    if (!dashboard_->good())
        fail(1, std::string("--control: cannot make memory to share with the program: ") + std::strerror(errno));
    return dashboard_->good();
}

bool Agent::make_death_counts(const Start &what) {
    if (what.counted_ranks <= 0 || death_counts_)
        return true;
    int fd = -1;
    const auto ranks = static_cast<int>(what.counted_ranks);
    death_counts_ = {DeathCounts::make(ranks, fd), UnmapDeathCounts{ranks}};
    death_counts_fd_.reset(fd);
    if (!death_counts_)
        fail(1, std::string("--on-death: cannot make memory to share with the program: ") + std::strerror(errno));
    return death_counts_ != nullptr;
}

bool Agent::make_rejoin_server(const Start &what) {
    if (!what.may_rejoin || rank_ != 0)
        return true;
    int ends[2];
    if (!make_passage(ends)) {
        fail(1, std::string("--on-death: cannot make a socket: ") + std::strerror(errno));
        return false;
    }
    to_program_.reset(ends[0]);
    from_agent_.reset(ends[1]);
    rejoin_server_ = std::make_unique<RejoinServer>(loop_, static_cast<int>(what.counted_ranks), what.elsewhere != 0,
                                                    what.hosts, directory_, [this](int rank, const Descriptor &socket) {
                                                        if (pass(to_program_.get(), {rank, socket.get()}))
                                                            death_counts_->ask_to_rejoin();
                                                    });
    if (!rejoin_server_->error().empty())
        fail(1, "--on-death: " + rejoin_server_->error());
    else
        link_->send(RejoinAddress{rejoin_server_->at().port, rejoin_server_->at().addresses, hello_.machine,
                                  rejoin_server_->at().secret});
    return rejoin_server_->error().empty();
}

void Agent::reach_rank_0(const Start &what) {
    if (input_lost_)
        return fail(1, "its program has been given more standard input than is kept, 64 MiB");
    rejoin_client_ = std::make_unique<RejoinClient>(loop_, what.rejoin, hello_,
                                                    [this](const Descriptor &socket, const std::string &error) {
                                                        if (!error.empty())
                                                            fail(1, error);
                                                        else if (!cancelled_ && !winding_up_)
                                                            start(*order_, socket);
                                                    });
}

} // namespace mpiglut::launcher
