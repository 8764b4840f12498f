#include "agent.h"
#include "display_check.h"
#include "net.h"
#include "program_environment.h"
#include "run/options.h"
#include "run/passing.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <utility>

namespace mpiglut::launcher {

namespace {

using namespace std::chrono_literals;

constexpr auto patience_after_term = 300ms, between_looks = 50ms, between_tries = 20ms;
constexpr std::size_t most_queued = 256u << 10;
constexpr std::size_t most_kept_input = 64u << 20; ///< for a program that may have to read it again

int usable_cores() {
    cpu_set_t set;
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(CPU_COUNT(&set), 1) : 1;
}

/// What the run is to write, rank 0 writes. Empty when it can.
std::string unwritable_output(const std::string &json) {
    std::string error;
    const auto run = from_json(json, error);
    if (!run)
        return error;
    const std::pair<const char *, const std::string &> outputs[] = {
        {"--capture", run->capture}, {"--record", run->record}, {"--stats", run->stats}};
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

int Agent::run() {
    loop_.signals({SIGCHLD, SIGINT, SIGTERM, SIGHUP}, [this](int number) {
        if (number == SIGCHLD)
            reap();
        else
            told_to_end(number);
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
    hello_ = {MPIGLUT_VERSION, rank_, ::getpid(), host_name(), machine_identity(), usable_cores(), directory_};
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
        if (auto what = unpack<Dead>(frame.payload); what && roll_)
            roll_->strike(static_cast<int>(what->value), roll_.get_deleter().ranks);
        break;
    case Type::attend:
        if (auto what = unpack<Attend>(frame.payload); what && board_ && what->value >= 0)
            board_->attend(std::chrono::milliseconds(what->value));
        break;
    case Type::operate:
        if (auto events = unpack_events(std::as_bytes(std::span(frame.payload))); events && board_)
            board_->operate(*events);
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
    (of_wall ? wall_xvfb_ : xvfb_)
        .emplace(loop_, guard_, folder, static_cast<int>(what.width), static_cast<int>(what.height),
                 of_wall ? Xvfb::Of::wall : Xvfb::Of::tiles, [this, of_wall](const Xvfb::Answer &answer) {
                     if (answer.error.empty())
                         link_->send(Display{answer.display, answer.authority, of_wall});
                     else
                         fail(1, answer.error);
                 });
}

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
    if (!has_directory() || !make_board(what) || !make_roll(what) || !make_door(what))
        return;
    std::string error;
    const ProgramPlace place{.rank = rank_,
                             .report_fd = child_->report_fd(),
                             .board_fd = board_ ? board_->fd() : -1,
                             .roll_fd = roll_fd_.get(),
                             .door_fd = from_agent_.get(),
                             .stream_fd = to_rank_0.get(),
                             .directory = directory_};
    auto environment = program_environment(what, place, error);
    if (!error.empty())
        return fail(1, error);
    guard_.kill_marked(std::string(mark_variable) + "=" + what.mark);
    Spawned process = child_->start(what.argv, environment, what.directory,
                                    {place.board_fd, place.roll_fd, place.door_fd, place.stream_fd});
    from_agent_.reset();
    if (process.pid > 0) {
        if (board_)
            board_->program(process.pid);
        link_->send(Type::started);
        guard_.kill_group(process.pid);
        child_->input(what.may_rejoin && rank_ > 0 ? input_ : std::exchange(input_, {}));
        if (input_ended_)
            child_->end_input();
        if (roll_)
            look_for_death();
        return;
    }
    bool missing = !process.in_directory && process.error == ENOENT;
    fail(process.in_directory ? 1 : missing ? 127 : 126, cannot_run(what, process));
}

/// Before the program, which inherits it.
bool Agent::make_board(const Start &what) {
    if (what.still_bytes <= 0)
        return true;
    board_ = std::make_unique<BoardWatch>(
        loop_, static_cast<std::size_t>(what.still_bytes),
        BoardWatch::Listener{[this](const Figures &figures) { link_->send(figures); },
                             [this](const PictureOfTile &picture) { link_->send(picture); },
                             [this] { return link_->queued() >= most_queued; },
                             [this](const std::string &lines) { link_->send(Type::recorded, lines); },
                             [this](const std::string &menu) { link_->send(Type::menu, menu); }});
    if (!board_->good())
        fail(1, std::string("--control: cannot make memory to share with the program: ") + std::strerror(errno));
    return board_->good();
}

bool Agent::make_roll(const Start &what) {
    if (what.roll_ranks <= 0 || roll_)
        return true;
    int fd = -1;
    const auto ranks = static_cast<int>(what.roll_ranks);
    roll_ = {Roll::make(ranks, fd), UnmapRoll{ranks}};
    roll_fd_.reset(fd);
    if (!roll_)
        fail(1, std::string("--on-death: cannot make memory to share with the program: ") + std::strerror(errno));
    return roll_ != nullptr;
}

bool Agent::make_door(const Start &what) {
    if (!what.may_rejoin || rank_ != 0)
        return true;
    int ends[2];
    if (!make_passage(ends)) {
        fail(1, std::string("--on-death: cannot make a socket: ") + std::strerror(errno));
        return false;
    }
    to_program_.reset(ends[0]);
    from_agent_.reset(ends[1]);
    door_ = std::make_unique<Door>(loop_, static_cast<int>(what.roll_ranks), what.elsewhere != 0, what.hosts,
                                   directory_, [this](int rank, const Descriptor &socket) {
                                       if (pass(to_program_.get(), {rank, socket.get()}))
                                           roll_->knock();
                                   });
    if (!door_->error().empty())
        fail(1, "--on-death: " + door_->error());
    else
        link_->send(DoorAt{door_->at().port, door_->at().addresses, hello_.machine, door_->at().secret});
    return door_->error().empty();
}

void Agent::reach_rank_0(const Start &what) {
    if (input_lost_)
        return fail(1, "its program has been given more standard input than is kept, 64 MiB");
    knock_ =
        std::make_unique<Knock>(loop_, what.door, hello_, [this](const Descriptor &socket, const std::string &error) {
            if (!error.empty())
                fail(1, error);
            else if (!cancelled_ && !winding_up_)
                start(*order_, socket);
        });
}

void Agent::forward(int stream, std::string_view bytes) {
    if (order_->silent && stream == 2)
        last_words_.add(bytes);
    if (order_->silent && !board_)
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
    const bool is_starting = checking_ >= 0 || (knock_ && !knock_->is_over());
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
        } else if (!server_ended(pid, status)) {
            guard_.reaped(pid);
        }
    }
}

/// False where it is none of this rank's X servers.
bool Agent::server_ended(pid_t pid, int status) {
    for (auto *server : {&xvfb_, &wall_xvfb_}) {
        if (!*server || pid != (*server)->pid())
            continue;
        if ((*server)->ended(status) && !winding_up_)
            link_->send(ReportLine{"fatal", std::string(server == &xvfb_ ? "its" : "the wall's") +
                                                " Xvfb ended: " + describe_status(status)});
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

void Agent::told_to_end(int signal) {
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
