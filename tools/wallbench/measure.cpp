#include "measure.h"

#include "inbox.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

using std::chrono::duration;

double quantile(std::vector<double> values, double q) {
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1, static_cast<std::size_t>(q * static_cast<double>(values.size())))];
}

namespace {

std::vector<std::string> command(const Programs &programs, int tiles, const std::vector<std::string> &arguments) {
    std::vector<std::string> all;
    if (tiles)
        all = {programs.mpiglutrun, "--wall", tiles == 4 ? "2x2" : std::to_string(tiles) + "x1", "--"};
    all.push_back(programs.scene);
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
}

// The scene that waits for keys, running on `tiles` tiles (0: plain FreeGLUT).
class Waiting {
  public:
    Waiting(const Programs &programs, const TestScreen &screen, int tiles)
        : count_(std::max(tiles, 1)), child_(command(programs, tiles, {"wait", inbox.path()}), screen.name()) {
        for (auto [pid, time] : inbox.wait_for(0, count_))
            pids.insert(pid);
        if (static_cast<int>(pids.size()) != count_)
            throw std::runtime_error("the scene came up on " + std::to_string(pids.size()) + " of " +
                                     std::to_string(count_) + " tiles");
        std::this_thread::sleep_for(duration<double>(1)); // windows are up, everything has settled
    }

    Inbox inbox;
    std::set<pid_t> pids;

  private:
    int count_;
    Child child_;
};

// Percent of a core, by process, while nothing happens.
std::vector<double> idle_percent(const Waiting &run, bool with_agent, double seconds) {
    auto used = [&](pid_t pid) { return cpu_seconds(pid) + (with_agent ? cpu_seconds(parent(pid)) : 0); };
    std::vector<double> before, percent;
    for (pid_t pid : run.pids)
        before.push_back(used(pid));
    const std::int64_t start = now_ns();
    std::this_thread::sleep_for(duration<double>(seconds));
    const double passed = static_cast<double>(now_ns() - start) / 1e9;
    for (pid_t pid : run.pids)
        percent.push_back(100 * (used(pid) - before[percent.size()]) / passed);
    return percent;
}

// Milliseconds from each press to the last tile's display callback; those that did not arrive are counted in `lost`.
std::vector<double> latencies(const Programs &programs, TestScreen &screen, int tiles, int presses, int &lost) {
    Waiting run(programs, screen, tiles);
    screen.point_at_window();
    std::vector<double> ms;
    for (int i = 1; i <= presses; ++i) {
        const std::int64_t pressed = screen.press();
        auto times = run.inbox.wait_for(i, std::max(tiles, 1));
        if (static_cast<int>(times.size()) < std::max(tiles, 1)) {
            ++lost;
            continue;
        }
        auto last = std::max_element(times.begin(), times.end(), [](auto a, auto b) { return a.second < b.second; });
        ms.push_back(static_cast<double>(last->second - pressed) / 1e6);
        std::this_thread::sleep_for(std::chrono::milliseconds(5 + 7 * (i % 8))); // at any point of an idle wait
    }
    return ms;
}

double fps(const Programs &programs, const TestScreen &screen, int tiles, const std::vector<std::string> &arguments) {
    Child child(command(programs, tiles, arguments), screen.name());
    std::string line = child.read_line();
    if (line.empty() || line.find_first_not_of("0123456789.") != std::string::npos)
        throw std::runtime_error(std::string(tiles ? "one tile" : "plain FreeGLUT") + ": expected frames per second, got `" +
                                 line + "`");
    return std::stod(line);
}

} // namespace

FpsResult measure_fps(const Programs &programs, const TestScreen &screen, int width, int height, int quads, int frames,
                      int repetitions) {
    std::vector<std::string> arguments = {"spin"};
    for (int number : {frames, quads, width, height})
        arguments.push_back(std::to_string(number));
    std::vector<double> plain, wall, ratios;
    for (int i = 0; i < repetitions; ++i) {
        plain.push_back(fps(programs, screen, 0, arguments));
        wall.push_back(fps(programs, screen, 1, arguments));
        ratios.push_back(wall.back() / plain.back());
    }
    return {width, height, quads, quantile(plain, .5), quantile(wall, .5), quantile(ratios, .5)};
}

namespace {

std::vector<double> numbers(const std::string &line) {
    std::istringstream text(line);
    return {std::istream_iterator<double>(text), {}};
}

struct LoadRun {
    double fps = 0;
    std::vector<double> frame_ms, settled_ms;
};

LoadRun run_load(const TestScreen &screen, std::vector<std::string> command) {
    Child child(command, screen.name());
    LoadRun run;
    const std::vector<double> fps = numbers(child.read_line());
    if (fps.size() != 1)
        throw std::runtime_error("the scene with work here and there gave no frames per second");
    run.fps = fps.front();
    run.frame_ms = numbers(child.read_line());
    run.settled_ms = numbers(child.read_line());
    return run;
}

} // namespace

namespace {

/// The runs of one kind.
class Runs {
  public:
    explicit Runs(std::vector<std::string> command) : command_(std::move(command)) {}

    double fps() const { return fps_.back(); }

    /// `beside`: frames per second of the run that the ratio is to.
    void add(const TestScreen &screen, std::optional<double> beside) {
        const LoadRun run = run_load(screen, command_);
        fps_.push_back(run.fps);
        ratios_.push_back(run.fps / beside.value_or(run.fps));
        times_.insert(times_.end(), run.frame_ms.begin(), run.frame_ms.end());
        const double slow_ms = 1.5 * quantile(run.frame_ms, .5);
        for (std::size_t i = 0; i < std::min(run.frame_ms.size(), run.settled_ms.size()); ++i) {
            const double ms = run.frame_ms[i];
            if (run.settled_ms[i] <= 500 + ms)
                continue;
            ++settled_.frames;
            settled_.slow += ms > slow_ms;
            settled_.worst_ms = std::max(settled_.worst_ms, ms);
        }
    }

    Sharing result() const { return {quantile(fps_, .5), quantile(ratios_, .5), quantile(times_, .5), settled_}; }

  private:
    std::vector<std::string> command_;
    std::vector<double> fps_, ratios_, times_;
    Settled settled_;
};

} // namespace

BalanceResult measure_balance(const Programs &programs, const TestScreen &screen, const std::string &kind,
                              const std::string &wall, int helpers, const Load &load, int repetitions) {
    const auto runs = [&](std::vector<std::string> options) {
        if (helpers && !options.empty())
            options.insert(options.end(), {"--helpers", std::to_string(helpers)});
        std::vector<std::string> command{programs.mpiglutrun, "--wall", wall};
        command.insert(command.end(), options.begin(), options.end());
        command.insert(command.end(),
                       {"--", programs.scene, "load", kind, std::to_string(load.frames), std::to_string(load.width),
                        std::to_string(load.height), std::to_string(load.rounds)});
        return Runs(command);
    };
    Runs home = runs({}), shared = runs({"--balance"}), late = runs({"--balance", "latency:1"});
    for (int i = 0; i < repetitions; ++i) {
        home.add(screen, {});
        shared.add(screen, home.fps());
        late.add(screen, home.fps());
    }
    return {home.result(), shared.result(), late.result()};
}

IdleResult measure_idle(const Programs &programs, const TestScreen &screen, int tiles, double seconds) {
    IdleResult result{tiles, seconds};
    result.plain_percent = idle_percent(Waiting(programs, screen, 0), false, seconds).front();
    auto percent = idle_percent(Waiting(programs, screen, tiles), true, seconds);
    for (double p : percent)
        result.mean_percent += p / static_cast<double>(percent.size());
    result.worst_percent = *std::max_element(percent.begin(), percent.end());
    return result;
}

LatencyResult measure_latency(const Programs &programs, TestScreen &screen, int tiles, int presses) {
    LatencyResult result{tiles, presses};
    std::vector<double> plain, wall;
    for (int half = 0; half < 2; ++half) { // alternately, so that a slow minute of the machine meets both
        int lost_plain = 0;
        auto a = latencies(programs, screen, 0, presses / 2, lost_plain);
        auto b = latencies(programs, screen, tiles, presses / 2, result.lost);
        plain.insert(plain.end(), a.begin(), a.end());
        wall.insert(wall.end(), b.begin(), b.end());
        if (lost_plain)
            throw std::runtime_error("plain FreeGLUT did not show every key press");
    }
    result.plain_p50 = quantile(plain, .5);
    result.plain_p99 = quantile(plain, .99);
    result.wall_p50 = quantile(wall, .5);
    result.wall_p99 = quantile(wall, .99);
    return result;
}
