#include "agent/agent.h"
#include "link/net.h"
#include "program/display_check.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <utility>

namespace mpiglut::launcher {

namespace {

using namespace std::chrono_literals;

constexpr auto patience_after_term = 300ms, between_looks = 50ms, between_tries = 20ms;
constexpr std::size_t most_kept_input = 64u << 20; ///< for a program that may have to read it again

int usable_cores() {
    cpu_set_t set;
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(CPU_COUNT(&set), 1) : 1;
}

} // namespace

int Agent::run() {
    loop_.signals({SIGCHLD, SIGINT, SIGTERM, SIGHUP}, [this](int number) {
        if (number == SIGCHLD)
            reap();
        else
            handle_end(number);
    });
    if (!connect()) {
        std::fprintf(stderr, "mpiglutrun-agent on %s: cannot reach mpiglutrun\n", host_name().c_str());
        return 1;
    }
    stranger_timer_ = loop_.after(std::chrono::seconds(control_.seconds), [this] { loop_.stop(); });
    loop_.run();
    if (!admitted_) {
        std::fprintf(stderr, "mpiglutrun-agent on %s: %s\n", host_name().c_str(),
                     link_->is_stranger() ? "what answers in mpiglutrun's place does not know the run's secret"
                                          : "mpiglutrun does not answer");
        return 1;
    }
    end_display_check();
    guard_.finish();
    // What the guard has ended, and what held the display open; not every init takes in orphans.
    for (int looks = 0; looks < 50; ++looks) {
        const pid_t pid = ::waitpid(-1, nullptr, WNOHANG);
        if (pid < 0)
            break;
        if (pid == 0)
            ::usleep(2000);
    }
    link_->close(); // not earlier: it tells mpiglutrun that nothing is left here
    return 0;
}

bool Agent::connect() {
    Descriptor socket = connect_to_any(control_.addresses, control_.port, std::chrono::seconds(control_.seconds));
    if (!socket)
        return false;
    keep_alive(socket.get());
    link_ = Link::open(
        loop_, std::move(socket), key_,
        [this](Frame &&frame) {
            if (admitted_)
                return received(std::move(frame));
            admitted_ = frame.type == Type::welcome;
            if (admitted_)
                loop_.cancel(stranger_timer_);
        },
        [this] { admitted_              ? wind_up()
                 : link_->is_stranger() ? loop_.stop()
                                        : come_again(); });
    make_directory(); // the other ranks of this host look into rank 0's
    hello_ = {MPIGLUT_VERSION, rank_, ::getpid(), host_name(), machine_identity(), usable_cores(),
              ::sysconf(_SC_NPROCESSORS_ONLN), directory_,
              own_display()};
    link_->send(hello_);
    link_->on_drained([this] {
        if (child_ && link_->queued() < most_queued)
            child_->pause_output(false);
    });
    return true;
}

/// Of many strangers at mpiglutrun's socket the oldest have to go, before we could say who we are.
void Agent::come_again() {
    loop_.after(between_tries, [this] {
        if (!connect())
            loop_.stop();
    });
}

void Agent::received(Frame &&frame) {
    switch (frame.type) {
    case Type::want_display:
        if (auto what = unpack<WantDisplay>(frame.payload))
            want_display(*what);
        break;
    case Type::start:
        if (auto what = unpack<Start>(frame.payload); what && !what->argv.empty())
            check_display(*what);
        break;
    case Type::input:
        input(frame.payload);
        break;
    case Type::close_output:
        if (auto what = unpack<CloseOutput>(frame.payload); what && child_ && (what->value == 1 || what->value == 2))
            child_->close_output(static_cast<int>(what->value));
        break;
    case Type::signal:
        if (auto what = unpack<Signal>(frame.payload))
            signal(static_cast<int>(what->value));
        break;
    case Type::dead:
        if (auto what = unpack<Dead>(frame.payload); what && death_counts_)
            death_counts_->strike(static_cast<int>(what->value), death_counts_.get_deleter().ranks);
        break;
    case Type::attend:
        if (auto what = unpack<Attend>(frame.payload); what && dashboard_ && what->value >= 0)
            dashboard_->attend(std::chrono::milliseconds(what->value));
        break;
    case Type::operate:
        if (auto events = unpack_events(std::as_bytes(std::span(frame.payload))); events && dashboard_)
            dashboard_->operate(*events);
        break;
    case Type::end:
        wind_up();
        break;
    default:
        break;
    }
}

bool Agent::make_directory() {
    if (!directory_.empty())
        return true;
    directory_ = make_run_directory();
    if (!directory_.empty())
        guard_.remove_directory(directory_);
    return !directory_.empty();
}

bool Agent::has_directory() {
    if (make_directory())
        return true;
    fail(1, std::string("cannot make a directory for this run in TMPDIR or /tmp: ") + std::strerror(errno));
    return false;
}

void Agent::want_display(const WantDisplay &what) {
    if (!has_directory())
        return;
    const bool of_wall = what.of_wall != 0;
    const std::string folder = of_wall ? directory_ + "/wall" : directory_;
    if (of_wall && ::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        return fail(1, "cannot make '" + folder + "': " + std::strerror(errno));
    if (what.wayland.empty())
        return start_server(of_wall, folder,
                            xvfb(static_cast<int>(what.width), static_cast<int>(what.height),
                                 of_wall ? XvfbOf::wall : XvfbOf::tiles));
    session_ = std::make_unique<WaylandSession>(
        loop_, what.wayland, std::chrono::seconds(control_.seconds),
        [this, folder](ServerCommand command, const std::string &note) {
            if (!note.empty())
                link_->send(ReportLine{"note", note});
            start_server(false, folder, std::move(command));
        });
}

void Agent::start_server(bool of_wall, const std::string &folder, ServerCommand command) {
    (of_wall ? wall_server_ : tile_server_)
        .emplace(loop_, guard_, folder, std::move(command), [this, of_wall](const XServer::Answer &answer) {
            if (answer.error.empty())
                link_->send(Display{answer.display, answer.authority, of_wall});
            else
                fail(1, answer.error);
        });
}

void Agent::forward(int stream, std::string_view bytes) {
    if (order_->silent && stream == 2)
        last_words_.add(bytes);
    if (order_->silent && !dashboard_)
        return;
    link_->send(Output{stream, std::string(bytes)});
    if (link_->queued() >= most_queued)
        child_->pause_output(true);
}

void Agent::fail(std::int64_t status, const std::string &why) { link_->send(Failed{status, why}); }

void Agent::input(const std::string &bytes) {
    input_ended_ = input_ended_ || bytes.empty();
    const bool is_kept = order_ && order_->may_rejoin && rank_ > 0;
    if (is_kept && input_.size() + bytes.size() > most_kept_input) {
        input_lost_ = true;
        input_.clear();
    }
    if (!child_ || (is_kept && !input_lost_))
        input_ += bytes;
    if (!child_) // it is being started
        return;
    child_->input(bytes);
    if (input_ended_)
        child_->end_input();
}

void Agent::signal(int number) {
    const bool is_starting = checking_ >= 0 || (rejoin_client_ && !rejoin_client_->is_over());
    if (child_ && (child_->running() || !is_starting))
        return child_->signal(number);
    cancelled_ = true; // the program is not started any more, and that is its end
    link_->send(Exited{number, 1, {}});
}

void Agent::reap() {
    int status = 0;
    for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        if (child_ && pid == child_->pid()) {
            if (child_->running())
                child_ended(status);
        } else if (pid == checking_) {
            checking_ = -1;
            if (std::string problem = display_problem(order_->display, status); !problem.empty())
                fail(1, problem);
            else if (!cancelled_ && !winding_up_)
                order_->life > 0 ? reach_rank_0(*order_) : start(*order_, {});
        } else if (!server_ended(pid, status) && !(beside_ && beside_->ended(pid, status))) {
            guard_.reaped(pid);
        }
    }
}

/// False where it is none of this rank's X servers.
bool Agent::server_ended(pid_t pid, int status) {
    for (auto *server : {&tile_server_, &wall_server_}) {
        if (!*server || pid != (*server)->pid())
            continue;
        if ((*server)->ended(status) && !winding_up_)
            link_->send(ReportLine{"fatal", std::string(server == &tile_server_ ? "its " : "the wall's ") +
                                                (*server)->describe_end(status)});
        return true;
    }
    return false;
}

/// Of a rank that the others go on without.
void Agent::look_for_death() {
    if (!child_->running())
        return;
    if (const auto status = status_of_dying(child_->pid()))
        return child_ended(*status);
    loop_.cancel(death_timer_);
    death_timer_ = loop_.after(between_looks, [this] { look_for_death(); });
}

void Agent::child_ended(int status) {
    child_->ended();
    link_->send(Exited{status, child_->signalled(), last_words_.lines()});
    if (winding_up_)
        loop_.stop();
}

void Agent::handle_end(int signal) {
    reap(); // a launcher that reacts to the program's end must not hide what that end was
    if (!child_ || child_->running())
        link_->send(ReportLine{"fatal", "its agent was told to end by " + describe_signal(signal)});
    if (child_)
        child_->signal(SIGTERM);
    loop_.after(patience_after_term, [this] {
        if (child_)
            child_->signal(SIGKILL);
        wind_up();
    });
}

void Agent::wind_up() {
    winding_up_ = true;
    if (!child_ || !child_->running())
        return loop_.stop();
    child_->signal(SIGTERM);
    loop_.after(patience_after_term, [this] { loop_.stop(); }); // the guard kills what is left
}

} // namespace mpiglut::launcher
