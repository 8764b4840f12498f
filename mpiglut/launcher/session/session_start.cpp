#include "option/environment.h"
#include "session/session.h"
#include "wall/partition.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace mpiglut::launcher {

namespace {

/// For walls with the size of the program's own window, which is not known yet.
constexpr pixmpi::Rect roomy_screen{0, 0, 4096, 3072};

/// The same for the X server that the program's windows are on: an ordinary screen.
constexpr pixmpi::Rect ordinary_screen{0, 0, 1920, 1080};

constexpr std::chrono::milliseconds time_for_more_of_ssh(500);

std::string quoted(const std::vector<std::string> &argv) {
    std::string line;
    for (const std::string &word : argv) {
        bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>()*?`#~!{}[]") == word.npos;
        std::string safe;
        for (char c : word)
            safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
        line += (line.empty() ? "" : " ") + (plain ? word : "'" + safe + "'");
    }
    return line;
}

pixmpi::Rect screen_for(const pixmpi::Wall &wall, const std::vector<int> &ranks) {
    if (wall.from_window)
        return roomy_screen;
    std::vector<pixmpi::Tile> tiles;
    for (int rank : ranks)
        tiles.push_back(wall.tiles[static_cast<std::size_t>(rank)]);
    pixmpi::Rect size;
    pixmpi::arrange_on_screen(tiles, size);
    return size;
}

/// As --clock has it.
std::string clock_text(const RunOptions &run) {
    if (run.clock != ClockMode::step)
        return run.clock == ClockMode::wall ? "wall" : "off";
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "step:%g", run.step_hz);
    return text.data();
}

} // namespace

std::string Session::launch() {
    patience_ = launch_patience();
    directory_ = make_run_directory(); // for the agents' socket, their secret, and Open MPI's files
    if (directory_.empty())
        return std::string("cannot make a directory for this run in TMPDIR or /tmp: ") + std::strerror(errno);
    guard_.remove_directory(directory_);
    std::string error;
    agents_ =
        std::make_unique<Agents>(loop_, placement_, directory_, patience_,
                                 Agents::Listener{[this](int rank) { joined(rank); },
                                                  [this](int rank, Frame &&frame) { received(rank, std::move(frame)); },
                                                  [this](int rank) { left(rank); }},
                                 error);
    if (!error.empty())
        return error;
    std::string agent = executable_directory() + "/mpiglutrun-agent";
    if (::access(agent.c_str(), X_OK) != 0)
        return "'" + agent + "' is missing";
    if (const std::string why = leave_secret(); !why.empty())
        return why;
    const std::vector<std::string> control{std::string(control_variable) + "=" + to_text(agents_->control()),
                                           std::string(secret_file_variable) + "=" + secret_file_.path()};
    MpiexecLine line = mpiexec_line(mpiexec_, placement_, agent, control, directory_, error);
    if (!error.empty())
        return error;
    if (command_.verbose) {
        say(std::string(name(mpiexec_.flavour)) + " " + mpiexec_.version);
        say(quoted(line.argv));
    }
    launch_timer_ = loop_.after(
        patience_, [this] { launch_failed("did not start within " + std::to_string(patience_.count()) + " seconds"); });
    if (const std::string why = start_console(); !why.empty())
        return why;
    return job_.start(line);
}

/// Where daemons come by ssh, they bring the secret along, and only agents of this host look for the file. The daemons
/// of a batch system bring nothing, so all hosts have to see the file: home folders are what hosts share.
std::string Session::leave_secret() {
    std::string folder = directory_, error;
    if (!placement_.all_here && !starts_by_ssh(mpiexec_.flavour, placement_)) {
        const char *const shared = std::getenv("MPIGLUT_SHARED_FOLDER"), *const home = std::getenv("HOME");
        const std::string place = shared && *shared ? shared : home && *home ? home : ".";
        folder = make_run_directory(std::filesystem::absolute(place));
        if (folder.empty())
            return "cannot make a directory for the run's secret in '" + place + "': " + std::strerror(errno) +
                   "; MPIGLUT_SHARED_FOLDER names another one that all hosts can see";
        guard_.remove_directory(folder);
    }
    secret_file_ = SecretFile(folder, agents_->secret(), error);
    return error;
}

std::string Session::start_console() {
    if (!command_.control.wanted)
        return {};
    if (std::string error = console_.start(command_.control); !error.empty())
        return error;
    std::error_code none;
    const std::string file = std::filesystem::is_regular_file(command_.wall_name, none)
                                 ? std::filesystem::absolute(command_.wall_name, none).string()
                                 : std::string();
    console_.send(
        Run{command_.program, command_.run.wall, command_.wall_name, clock_text(command_.run), file, ::getpid()});
    return {};
}

/// A tile that is cut from a window has at most this many pixels.
std::int64_t Session::still_bytes(const pixmpi::Tile &tile) const {
    if (!command_.control.wanted)
        return 0;
    return std::int64_t{3} * (command_.wall.from_window ? 8192 * 8192 : tile.rect.width * tile.rect.height);
}

void Session::joined(int rank) {
    const Hello &hello = agents_->hello(rank);
    verdict_.host(rank, hello.host);
    if (hello.version != MPIGLUT_VERSION) {
        say(verdict_.trouble(verdict_.who(rank) + ": has version " + hello.version +
                             " of mpiglutrun-agent installed, here it is " MPIGLUT_VERSION));
        return end_now();
    }
    hosts_[hello.machine].push_back(rank);
    console_.send(TileState{rank, hello.host, {}, "joined", 0});
    if (stage_ == Stage::launching && agents_->complete())
        start_displays();
}

/// Hydra waits for a host that ssh cannot reach until it is ended. What other hosts say may be on its way.
void Session::look_for_failed_ssh() {
    if (stage_ != Stage::launching || ssh_failed_ || !reports_failed_ssh(job_.printed()))
        return;
    ssh_failed_ = true;
    loop_.after(time_for_more_of_ssh, [this] {
        if (stage_ == Stage::launching)
            launch_failed("could not be started");
    });
}

void Session::launch_failed(const std::string &how) {
    std::string missing;
    int count = 0;
    for (int rank = 0; rank < placement_.ranks; ++rank)
        if (!agents_->joined(rank) && ++count <= 4)
            missing += (count > 1 ? ", " : "") + verdict_.who(rank);
    if (count > 4)
        missing += " and " + std::to_string(count - 4) + " more";
    std::string said = most_telling_line(job_.printed());
    say(verdict_.trouble(missing + ": " + how + (said.empty() ? "" : "; mpiexec says: " + said)));
    end_now();
}

void Session::start_displays() {
    loop_.cancel(launch_timer_);
    secret_file_.remove();
    stage_ = Stage::displays;
    for (auto &[machine, ranks] : hosts_)
        std::ranges::sort(ranks);
    if (command_.verbose)
        describe();
    if (command_.run.system == System::x11) {
        const pixmpi::Wall &wall = command_.wall;
        const pixmpi::Rect screen =
            wall.from_window ? ordinary_screen : pixmpi::Rect{0, 0, std::max(wall.width, 64), std::max(wall.height, 64)};
        agents_->send(0, WantDisplay{screen.width, screen.height, 1});
    }
    for (const auto &[machine, ranks] : hosts_)
        for (const int rank : ranks) {
            const auto wanted = launched_display(rank);
            if (!wanted || !servers_.try_emplace({machine, *wanted}, Server{rank, {}}).second)
                continue;
            const pixmpi::Rect screen = screen_for(command_.wall, ranks);
            agents_->send(rank, WantDisplay{std::max(screen.width, 64), std::max(screen.height, 64), 0, *wanted});
            if (!wanted->empty() && command_.wall.tiles[static_cast<std::size_t>(rank)].display.empty())
                say(verdict_.note(verdict_.who(rank) + ": DISPLAY is not set, so its tiles are on the Wayland session, in "
                                                       "an Xwayland"));
        }
    if (all_displays_ready())
        start_programs();
}

/// What tells apart the X servers of one host that this run starts for tiles: the name of a Wayland session, or nothing
/// for an Xvfb. None where the rank's tile is on a server that is there.
std::optional<std::string> Session::launched_display(int rank) const {
    if (command_.run.headless)
        return "";
    const std::string &named = command_.wall.tiles[static_cast<std::size_t>(rank)].display;
    const std::string &display = named.empty() ? agents_->hello(rank).display : named;
    return pixmpi::is_wayland(display) ? std::optional(display) : std::nullopt;
}

bool Session::all_displays_ready() const {
    const bool has_server = command_.run.system == System::x11;
    return (!has_server || !of_wall_.name.empty()) &&
           std::ranges::none_of(servers_, [](const auto &entry) { return entry.second.display.name.empty(); });
}

void Session::display_ready(int rank, const Display &display) {
    const auto server = std::ranges::find_if(servers_, [rank](const auto &one) { return one.second.rank == rank; });
    if (display.of_wall)
        of_wall_ = display;
    else if (server != servers_.end())
        server->second.display = display;
    if (stage_ == Stage::displays && all_displays_ready())
        start_programs();
}

void Session::start_programs() {
    stage_ = Stage::running;
    for (const auto &[machine, ranks] : hosts_)
        for (int rank : ranks)
            agents_->send(rank, start_order(rank));
    input_.start();
}

Start Session::start_order(int rank) const {
    const std::string &machine = agents_->hello(rank).machine;
    const auto sharing = static_cast<int>(hosts_.at(machine).size());
    const pixmpi::Tile &tile = command_.wall.tiles[static_cast<std::size_t>(rank)];
    RunOptions run = command_.run;
    run.local_ranks = sharing;
    run.host = agents_->hello(0).host;
    run.processors = static_cast<int>(agents_->hello(0).processors);
    run.stack_guard = stack_guard_;
    if (hosts_.size() > 1)
        run.message_key = message_key_;
    for (int other = 0; other < placement_.ranks; ++other)
        run.elsewhere += agents_->hello(other).machine == agents_->hello(0).machine ? '0' : '1';
    Start start;
    start.argv = command_.program;
    std::error_code ignored;
    start.directory = std::filesystem::current_path(ignored);
    start.run = to_json(run);
    start.display = tile.display;
    if (const auto launched = launched_display(rank)) {
        const Display &display = servers_.at({machine, *launched}).display;
        start.display = display.name;
        start.authority = display.authority;
    }
    start.wall_display = of_wall_.name;
    start.wall_authority = rank == 0 ? of_wall_.authority : "";
    if (rank == 0)
        start.beside = command_.beside;
    if (const Hello &first = agents_->hello(0); first.machine == agents_->hello(rank).machine)
        start.rank_0 = first.directory;
    start.mark = std::to_string(::getpid()) + "-" + run_mark_ + "-" + std::to_string(rank);
    start.silent = !command_.all_output && rank != 0;
    start.terminal = (::isatty(1) ? 1 : 0) | (::isatty(2) ? 2 : 0);
    start.counted_ranks = run.on_death == OnDeath::end ? 0 : placement_.ranks;
    start.still_bytes = still_bytes(tile);
    if (sharing > 1)
        start.threads = std::max<std::int64_t>(1, agents_->hello(rank).cores / sharing);
    start.may_rejoin = run.on_death == OnDeath::rejoin;
    start.life = ranks_[static_cast<std::size_t>(rank)].lives;
    start.rejoin = rejoin_address_;
    start.elsewhere = !placement_.all_here;
    start.hosts = placement_.host_of_rank;
    return start;
}

void Session::describe() const {
    for (int rank = 0; rank < placement_.ranks; ++rank) {
        const pixmpi::Tile &tile = command_.wall.tiles[static_cast<std::size_t>(rank)];
        const pixmpi::Rect &r = tile.rect;
        std::string where = pixmpi::is_helper(tile)     ? "shows nothing"
                            : command_.wall.from_window ? "a part of the program's window"
                                                        : std::to_string(r.width) + "x" + std::to_string(r.height) +
                                                              "+" + std::to_string(r.x) + "+" + std::to_string(r.y);
        say(verdict_.who(rank) + ": " + where + (tile.display.empty() ? "" : ", display " + tile.display));
    }
}

} // namespace mpiglut::launcher
