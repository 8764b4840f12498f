// The programs of apps.toml: which there are, and starting them on the wall. Nothing else can be started, and there is
// no shell in between.
#pragma once

#include "desk/tiles.h"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace mpiglut::walld {

struct App {
    std::string name, command;
    std::vector<std::string> arguments;
    std::vector<std::string> options; ///< more of mpiglutrun's
    std::string folder, wall, clock; ///< empty: this folder, the server's wall, the default
    std::string picture;             ///< a PNG or JPEG for the page
    std::string on_death;            ///< what becomes of the wall when a rank dies; empty: it goes on
    int restart = 0;                 ///< so often it is started again after a crash
    bool autostart = false;
};

struct Apps {
    std::vector<App> apps;
    std::vector<std::string> errors; ///< each "file:line: key: what was expected"
};
/// A file's text; `file` is its name in messages, relative paths in it are relative to its folder.
Apps parse_apps(std::string_view toml, const std::string &file);

/// mpiglutrun's words for the program: options, and what it runs. An empty clock is the default.
std::vector<std::string> words_of(const App &app, const std::string &wall, const std::string &clock);
/// Why the program cannot run by this clock, as --clock has it; empty when it can.
std::string clash_of_clock(const App &app, const std::string &clock);

class Programs {
  public:
    struct Listener {
        /// With the connection to its mpiglutrun, and the standard error of that.
        std::function<void(int fd, const std::string &name, int errors)> started;
        std::function<void(bool at_once)> stop;
        std::function<bool()> over; ///< the run has ended, and its processes may be on their way
        std::function<void()> changed;
        std::function<void(const std::string &)> says; ///< a line for people
        std::function<void(std::chrono::milliseconds, std::function<void()>)> after;
    };
    Programs(std::vector<App> apps, std::string wall, bool headless, Listener listener)
        : apps_(std::move(apps)), wall_(std::move(wall)), headless_(headless), listener_(std::move(listener)) {}

    void autostart();
    /// Each: empty, or why not.
    /// `clock`: as --clock has it; empty: the program's own. A program that is ending is waited for.
    std::string start(const std::string &name, const std::string &clock = {});
    std::string stop(const std::string &name);
    /// Ends the program that runs, whichever it is, and starts this one. `clock`: as --clock has it; empty: the one
    /// that it runs by, else its own.
    std::string restart(const std::string &name, const std::string &clock = {});
    /// The program that has to run now, by this clock: it is started, instead of another one, or runs already.
    std::string show(const std::string &name, const std::string &clock);
    /// Why it could not be started by this clock, even if nothing ran.
    std::string why_not(const std::string &name, const std::string &clock) const;
    /// Name, and the clock that was chosen for it; empty where nothing runs.
    std::pair<std::string, std::string> running() const;
    /// Nothing runs, and nothing is about to be started.
    bool idle() const { return !busy() && crashed_.empty(); }
    bool knows(const std::string &name) const;
    bool busy() const { return pid_ > 0; }
    bool ending() const { return busy() && (stop_requested_ || listener_.over()); }
    pid_t pid() const { return pid_; }

    /// mpiglutrun has ended, with this status of wait(2).
    void ended(int status);
    /// {"programs": [...], "history": [...]}
    nlohmann::json to_json() const;
    /// The picture of a program; empty without one.
    std::string picture(const std::string &name) const;

  private:
    struct Past {
        std::string name, clock;
        Clock::time_point began, ended{};
        int status = 0;
        bool over = false;
        int restarts = 0; ///< after crashes, in a row, until this one
    };
    const App *find(const std::string &name) const;
    std::string launch(const App &app, const std::string &clock);
    void restart_after_crash(const App &app);

    std::vector<App> apps_;
    std::string wall_;
    bool headless_;
    Listener listener_;
    std::deque<Past> history_;      ///< newest first
    std::string next_, next_clock_; ///< to start when the one that runs is over
    std::string crashed_;           ///< is about to be started again
    bool stop_requested_ = false;
    pid_t pid_ = -1;
};

} // namespace mpiglut::walld
