#include "programs.h"
#include "control.h"
#include "descriptor.h"
#include "spawn.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/socket.h>

namespace mpiglut::walld {

namespace {

constexpr std::size_t most_past = 100;

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
    std::vector<std::string> argv{launcher::executable_directory() + "/mpiglutrun", "--console",
                                  std::to_string(far.get()), "--wall", app.wall.empty() ? wall_ : app.wall};
    if (headless_)
        argv.emplace_back("--headless");
    if (!clock.empty())
        argv.insert(argv.end(), {"--clock", clock});
    argv.insert(argv.end(), {"--", app.command});
    argv.insert(argv.end(), app.arguments.begin(), app.arguments.end());
    const launcher::Spawned process = launcher::spawn({.argv = argv,
                                                       .environment = launcher::own_environment(),
                                                       .directory = app.folder,
                                                       .keep = {far.get()},
                                                       .death_signal = SIGTERM});
    if (process.pid < 0)
        return "cannot run '" + argv[0] + "'" + (process.in_directory ? " in '" + app.folder + "'" : "") + ": " +
               std::strerror(process.error);
    pid_ = process.pid;
    history_.push_front({.name = app.name, .clock = chosen, .began = Clock::now()});
    if (history_.size() > most_past)
        history_.pop_back();
    const int fd = ::fcntl(near.get(), F_DUPFD_CLOEXEC, 3);
    listener_.started(fd);
    return {};
}

std::string Programs::start(const std::string &name, const std::string &clock) {
    const App *app = find(name);
    if (!app)
        return clashes(name);
    if (busy())
        return "'" + history_.front().name + "' is running: stop it first";
    return launch(*app, clock);
}

std::string Programs::stop(const std::string &name) {
    if (!find(name))
        return clashes(name);
    if (!busy() || history_.front().name != name)
        return "'" + name + "' is not running";
    next_.clear();
    listener_.stop(false);
    return {};
}

std::string Programs::restart(const std::string &name) {
    if (!find(name))
        return clashes(name);
    if (!busy())
        return start(name);
    listener_.stop(false);
    next_ = name;
    next_clock_ = history_.front().name == name ? history_.front().clock : std::string();
    return {};
}

void Programs::ended(int status) {
    pid_ = -1;
    if (!history_.empty()) {
        history_.front().ended = Clock::now();
        history_.front().status = launcher::shell_status(status);
        history_.front().over = true;
    }
    if (const std::string next = std::exchange(next_, {}); !next.empty())
        start(next, next_clock_);
    listener_.changed();
}

nlohmann::json Programs::to_json() const {
    nlohmann::json programs = nlohmann::json::array(), past = nlohmann::json::array();
    for (const App &app : apps_)
        programs.push_back({{"name", app.name},
                            {"command", app.command},
                            {"arguments", app.arguments},
                            {"wall", app.wall.empty() ? wall_ : app.wall},
                            {"clock", app.clock.empty() ? "wall" : app.clock},
                            {"picture", !app.picture.empty()},
                            {"running", busy() && history_.front().name == app.name}});
    for (const Past &run : history_)
        past.push_back({{"name", run.name},
                        {"clock", run.clock.empty() ? nlohmann::json(nullptr) : nlohmann::json(run.clock)},
                        {"began", milliseconds(run.began)},
                        {"ended", run.over ? nlohmann::json(milliseconds(run.ended)) : nlohmann::json(nullptr)},
                        {"status", run.over ? nlohmann::json(run.status) : nlohmann::json(nullptr)}});
    return {{"programs", std::move(programs)}, {"history", std::move(past)}};
}

std::string Programs::picture(const std::string &name) const {
    const App *app = find(name);
    if (!app || app->picture.empty())
        return {};
    std::ifstream file(app->picture, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace mpiglut::walld
