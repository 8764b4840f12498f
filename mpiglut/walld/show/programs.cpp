#include "show/programs.h"
#include "child/control.h"
#include "child/descriptor.h"
#include "child/spawn.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/socket.h>
#include <utility>

namespace mpiglut::walld {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_past = 100;
constexpr auto pause_before_restart = 1s;
constexpr auto long_enough = 10min;

std::string clashes(const std::string &name) { return "'" + name + "' is no program of apps.toml"; }

} // namespace

const App *Programs::find(const std::string &name) const {
    const auto found = std::ranges::find(apps_, name, &App::name);
    return found == apps_.end() ? nullptr : &*found;
}

bool Programs::knows(const std::string &name) const { return find(name) != nullptr; }

void Programs::autostart() {
    const auto first = std::ranges::find_if(apps_, &App::autostart);
    if (first != apps_.end())
        start(first->name);
}

std::string Programs::launch(const App &app, const std::string &chosen) {
    const std::string &clock = chosen.empty() ? app.clock : chosen;
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return std::string("cannot open a socket: ") + std::strerror(errno);
    launcher::Descriptor near(ends[0]);
    const launcher::Descriptor far(ends[1]);
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return std::string("cannot open a pipe: ") + std::strerror(errno);
    const launcher::Descriptor errors(ends[0]), said(ends[1]);
    launcher::set_nonblocking(errors.get());
    std::vector<std::string> argv{launcher::executable_directory() + "/mpiglutrun", "--console",
                                  std::to_string(far.get())};
    if (headless_)
        argv.emplace_back("--headless");
    const std::vector<std::string> words = words_of(app, app.wall.empty() ? wall_ : app.wall, clock);
    argv.insert(argv.end(), words.begin(), words.end());
    const launcher::Spawned process = launcher::spawn({.argv = argv,
                                                       .environment = launcher::own_environment(),
                                                       .directory = app.folder,
                                                       .err = said.get(),
                                                       .keep = {far.get()},
                                                       .death_signal = SIGTERM});
    if (process.pid < 0)
        return "cannot run '" + argv[0] + "'" + (process.in_directory ? " in '" + app.folder + "'" : "") + ": " +
               std::strerror(process.error);
    pid_ = process.pid;
    stop_requested_ = false;
    const int restarts = std::exchange(crashed_, {}) == app.name ? history_.front().restarts + 1 : 0;
    history_.push_front({.name = app.name, .clock = chosen, .began = Clock::now(), .restarts = restarts});
    if (history_.size() > most_past)
        history_.pop_back();
    listener_.started(::fcntl(near.get(), F_DUPFD_CLOEXEC, 3), app.name, ::fcntl(errors.get(), F_DUPFD_CLOEXEC, 3));
    return {};
}

std::string Programs::why_not(const std::string &name, const std::string &clock) const {
    const App *app = find(name);
    const std::string clash = app ? clash_of_clock(*app, clock.empty() ? app->clock : clock) : std::string();
    return !app ? clashes(name) : clash.empty() ? clash : "'" + name + "': " + clash;
}

std::pair<std::string, std::string> Programs::running() const {
    return busy() ? std::pair(history_.front().name, history_.front().clock) : std::pair<std::string, std::string>();
}

std::string Programs::show(const std::string &name, const std::string &clock) {
    if (!busy())
        return start(name, clock);
    if (std::string error = why_not(name, clock); !error.empty())
        return error;
    if (!ending() && running() == std::pair(name, clock))
        return {};
    stop_requested_ = true;
    listener_.stop(false);
    next_ = name;
    next_clock_ = clock;
    return {};
}

std::string Programs::start(const std::string &name, const std::string &clock) {
    if (std::string error = why_not(name, clock); !error.empty())
        return error;
    if (!busy())
        return launch(*find(name), clock);
    if (!ending())
        return "'" + history_.front().name + "' is running: stop it first";
    next_ = name;
    next_clock_ = clock;
    return {};
}

std::string Programs::stop(const std::string &name) {
    if (!find(name))
        return clashes(name);
    next_.clear();
    if (std::exchange(crashed_, {}) == name)
        return listener_.changed(), std::string();
    if (!busy() || history_.front().name != name)
        return "'" + name + "' is not running";
    stop_requested_ = true;
    listener_.stop(false);
    return {};
}

std::string Programs::restart(const std::string &name, const std::string &clock) {
    const App *app = find(name);
    if (!app)
        return clashes(name);
    if (!busy())
        return start(name, clock);
    if (const std::string clash = clash_of_clock(*app, clock.empty() ? app->clock : clock); !clash.empty())
        return "'" + name + "': " + clash;
    stop_requested_ = true;
    listener_.stop(false);
    next_ = name;
    next_clock_ = !clock.empty() ? clock : history_.front().name == name ? history_.front().clock : std::string();
    return {};
}

void Programs::ended(int status) {
    pid_ = -1;
    if (!history_.empty()) {
        history_.front().ended = Clock::now();
        history_.front().status = launcher::shell_status(status);
        history_.front().over = true;
    }
    if (const std::string next = std::exchange(next_, {}); !next.empty()) {
        if (const std::string error = start(next, next_clock_); !error.empty())
            listener_.says(error);
    } else if (const App *app = history_.empty() || stop_requested_ ? nullptr : find(history_.front().name))
        restart_after_crash(*app);
    listener_.changed();
}

/// A program that ran for long has not crashed in a row. The pause lets the operator see what it was, and stop it.
void Programs::restart_after_crash(const App &app) {
    Past &run = history_.front();
    const bool crashed = run.status != 0 && run.status != 128 + SIGTERM && run.status != 128 + SIGINT;
    if (!crashed || app.restart == 0)
        return;
    if (run.ended - run.began > long_enough)
        run.restarts = 0;
    const std::string how = "'" + app.name + "' ended with status " + std::to_string(run.status);
    if (run.restarts >= app.restart)
        return listener_.says(how + " and is not started again: it has been " + std::to_string(app.restart) +
                              (app.restart == 1 ? " time" : " times"));
    listener_.says(how + ": restart " + std::to_string(run.restarts + 1) + " of " + std::to_string(app.restart));
    crashed_ = app.name;
    listener_.after(pause_before_restart, [this, name = app.name, clock = run.clock] {
        if (crashed_ == name && !busy())
            if (const std::string error = start(name, clock); !error.empty())
                listener_.says(error);
    });
}

nlohmann::json Programs::to_json() const {
    nlohmann::json programs = nlohmann::json::array(), past = nlohmann::json::array();
    for (const App &app : apps_)
        programs.push_back({{"name", app.name},
                            {"command", app.command},
                            {"arguments", app.arguments},
                            {"options", app.options},
                            {"wall", app.wall.empty() ? wall_ : app.wall},
                            {"clock", app.clock.empty() ? "wall" : app.clock},
                            {"picture", !app.picture.empty()},
                            {"on_death", app.on_death.empty() ? "continue" : app.on_death},
                            {"restart", app.restart},
                            {"running", busy() && history_.front().name == app.name}});
    for (const Past &run : history_)
        past.push_back({{"name", run.name},
                        {"clock", run.clock.empty() ? nlohmann::json(nullptr) : nlohmann::json(run.clock)},
                        {"began", milliseconds(run.began)},
                        {"ended", run.over ? nlohmann::json(milliseconds(run.ended)) : nlohmann::json(nullptr)},
                        {"status", run.over ? nlohmann::json(run.status) : nlohmann::json(nullptr)},
                        {"restarts", run.restarts}});
    return {{"programs", std::move(programs)},
            {"history", std::move(past)},
            {"restarting", crashed_.empty() ? nlohmann::json(nullptr) : nlohmann::json(crashed_)}};
}

std::string Programs::picture(const std::string &name) const {
    const App *app = find(name);
    if (!app || app->picture.empty())
        return {};
    std::ifstream file(app->picture, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace mpiglut::walld
