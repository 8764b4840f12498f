// wallbench: what a wall costs, against plain FreeGLUT in the same run.
#include "control.h"
#include "measure.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <tuple>
#include <utility>

namespace {

Programs programs_beside_this_one() {
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return {folder / "mpiglutrun", folder / "wallbench_scene"};
}

void print_row(const char *what, const std::string &plain, const std::string &wall, const std::string &goal, bool met) {
    std::printf("%-46s %14s %14s   %s %s\n", what, plain.c_str(), wall.c_str(), goal.c_str(), met ? "met" : "MISSED");
    std::fflush(stdout);
}

std::string text(const char *format, double value) {
    char line[40];
    std::snprintf(line, sizeof line, format, value);
    return line;
}

nlohmann::ordered_json run_fps(const Programs &programs, const TestScreen &screen, int repetitions) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    struct { int width, height, quads, frames; } const loads[] = {{320, 240, 400, 600}, {960, 600, 10000, 300}};
    for (auto load : loads) {
        auto r = measure_fps(programs, screen, load.width, load.height, load.quads, load.frames, repetitions);
        char what[80];
        std::snprintf(what, sizeof what, "one tile, %dx%d, %d quads: frames/s", r.width, r.height, r.quads);
        print_row(what, text("%.1f", r.plain), text("%.1f", r.wall), text("%.1f%%, goal 97%%", 100 * r.ratio), r.ratio >= .97);
        rows.push_back({{"width", r.width}, {"height", r.height}, {"quads", r.quads}, {"repetitions", repetitions},
                        {"plain_fps", r.plain}, {"wall_fps", r.wall}, {"ratio", r.ratio}, {"goal", .97}});
    }
    return rows;
}

nlohmann::ordered_json run_idle(const Programs &programs, const TestScreen &screen, int tiles, double seconds) {
    auto r = measure_idle(programs, screen, tiles, seconds);
    char what[80];
    std::snprintf(what, sizeof what, "idle, %d tiles: %% of a core, worst rank", tiles);
    print_row(what, text("%.2f", r.plain_percent), text("%.2f", r.worst_percent), "goal 2%", r.worst_percent < 2);
    return {{"tiles", tiles}, {"seconds", seconds}, {"plain_percent", r.plain_percent},
            {"mean_percent", r.mean_percent}, {"worst_percent", r.worst_percent}, {"goal_percent", 2}};
}

nlohmann::ordered_json run_latency(const Programs &programs, TestScreen &screen, int tiles, int presses) {
    auto r = measure_latency(programs, screen, tiles, presses);
    char what[80];
    std::snprintf(what, sizeof what, "key to display, last of %d tiles: ms, p50", tiles);
    print_row(what, text("%.2f", r.plain_p50), text("%.2f", r.wall_p50), "", true);
    std::snprintf(what, sizeof what, "key to display, last of %d tiles: ms, p99", tiles);
    print_row(what, text("%.2f", r.plain_p99), text("%.2f", r.wall_p99),
              text("%+.2f ms, goal +10 ms", r.wall_p99 - r.plain_p99), r.wall_p99 - r.plain_p99 < 10 && !r.lost);
    if (r.lost)
        std::printf("%d of %d key presses were not shown by every tile\n", r.lost, r.presses);
    return {{"tiles", tiles}, {"presses", r.presses}, {"lost", r.lost}, {"plain_ms", {{"p50", r.plain_p50}, {"p99", r.plain_p99}}},
            {"wall_ms", {{"p50", r.wall_p50}, {"p99", r.wall_p99}}}, {"goal_extra_ms", 10}};
}

std::string slow_frames(const char *what, const BalanceResult &r) {
    std::string line = what;
    line.resize(38, ' ');
    for (const Sharing *sharing : {&r.home, &r.shared, &r.late}) {
        const Settled &s = sharing->settled;
        char text[60];
        std::snprintf(text, sizeof text, " %3d of %d (%.0f; median %.0f)", s.slow, s.frames, s.worst_ms,
                      sharing->frame_ms);
        line += text;
    }
    return line;
}

// Each rank's driver has one thread, as on a wall of as many machines.
nlohmann::ordered_json run_balance(const Programs &programs, const TestScreen &screen, const Load &size,
                                   const std::vector<std::string> &names, int repetitions) {
    setenv("LP_NUM_THREADS", "1", 1);
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    struct {
        const char *name, *what, *kind, *wall;
        int helpers;
        double goal;
    } const cases[] = {{"left", "2x1, all work on one tile", "left", "2x1", 0, 1.6},
                       {"wander", "2x1, work wanders every 3 s", "wander", "2x1", 0, 1.4},
                       {"even", "2x1, work everywhere", "even", "2x1", 0, .97},
                       {"geometry", "2x1, geometry", "geometry", "2x1", 0, .97},
                       {"helper", "1x1 and a helper", "even", "1x1", 1, 1.5}};
    const auto facts = [](const Sharing &sharing) -> nlohmann::ordered_json {
        return {{"fps", sharing.fps},
                {"ratio", sharing.ratio},
                {"frame_ms", sharing.frame_ms},
                {"settled_frames", sharing.settled.frames},
                {"settled_slow_frames", sharing.settled.slow},
                {"settled_worst_ms", sharing.settled.worst_ms}};
    };
    std::vector<std::string> slow;
    for (const auto &load : cases) {
        if (!names.empty() && std::find(names.begin(), names.end(), load.name) == names.end())
            continue;
        const auto r = measure_balance(programs, screen, load.kind, load.wall, load.helpers, size, repetitions);
        std::printf("%-38s %8.1f %10.1f %10.1f   %.2fx, goal %.2fx %s; %.2fx with latency\n", load.what, r.home.fps,
                    r.shared.fps, r.late.fps, r.shared.ratio, load.goal, r.shared.ratio >= load.goal ? "met" : "MISSED",
                    r.late.ratio);
        std::fflush(stdout);
        slow.push_back(slow_frames(load.what, r));
        rows.push_back({{"case", load.what},
                        {"frames", size.frames},
                        {"width", size.width},
                        {"height", size.height},
                        {"rounds", size.rounds},
                        {"repetitions", repetitions},
                        {"goal", load.goal},
                        {"home", facts(r.home)},
                        {"shared", facts(r.shared)},
                        {"late", facts(r.late)}});
    }
    std::printf("\nframes of more than 1.5x the median, from 0.5 s after the work has moved; the longest in ms\n");
    for (const std::string &line : slow)
        std::printf("%s\n", line.c_str());
    return rows;
}

nlohmann::ordered_json run_control(const Programs &programs, TestScreen &screen, int clicks, int frames,
                                   int repetitions) {
    const auto p = measure_page(programs, screen, 960, 600, 10000, frames, repetitions);
    const std::string scene = "2x2, " + std::to_string(p.width) + "x" + std::to_string(p.height);
    print_row((scene + ", live picture: frames/s").c_str(), text("%.1f", p.without), text("%.1f", p.watched),
              text("%.1f%%, goal 97%%", 100 * p.watched_ratio), p.watched_ratio >= .97);
    print_row((scene + ", a crowd of " + std::to_string(p.idle_clients + p.hostile_clients) + ": frames/s").c_str(),
              text("%.1f", p.unvisited), text("%.1f", p.crowded),
              text("%.1f%%", 100 * p.crowded_ratio) + text(", goal %.1f%%", 100 * (1 - p.noise)),
              p.crowded_ratio >= 1 - p.noise && !p.idle_lost);
    const auto c = measure_clicks(programs, screen, clicks);
    print_row("click to callback, last of 4 tiles: ms, p50", text("%.2f", c.screen_p50), text("%.2f", c.page_p50), "",
              true);
    print_row("click to callback, last of 4 tiles: ms, p99", text("%.2f", c.screen_p99), text("%.2f", c.page_p99),
              "goal 50 ms", c.page_p99 < 50 && !c.lost);
    std::printf("live pictures a second: %.1f; sent by hostile clients a second: %.0f; idle clients lost: %d; clicks "
                "lost: %d\n",
                p.pictures, p.sent_a_second, p.idle_lost, c.lost);
    return {{"frame_rate",
             {{"width", p.width},
              {"height", p.height},
              {"repetitions", p.repetitions},
              {"without_page_fps", p.without},
              {"watched_fps", p.watched},
              {"watched_ratio", p.watched_ratio},
              {"goal_watched_ratio", .97},
              {"live_pictures_a_second", p.pictures},
              {"unvisited_fps", p.unvisited},
              {"crowded_fps", p.crowded},
              {"crowded_ratio", p.crowded_ratio},
              {"noise", p.noise},
              {"idle_clients", p.idle_clients},
              {"hostile_clients", p.hostile_clients},
              {"idle_clients_lost", p.idle_lost},
              {"hostile_sent_a_second", p.sent_a_second}}},
            {"click",
             {{"clicks", c.clicks},
              {"lost", c.lost},
              {"screen_ms", {{"p50", c.screen_p50}, {"p99", c.screen_p99}}},
              {"page_ms", {{"p50", c.page_p50}, {"p99", c.page_p99}}},
              {"goal_page_p99_ms", 50}}}};
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app("Measures what a wall costs, against plain FreeGLUT in the same run: frames per second of one tile, "
                 "processor time of an idle wall, and time from key press to display callback.");
    app.set_version_flag("--version", "wallbench " PROGRAM_VERSION);
    std::string json_file, display;
    std::vector<std::string> only, cases;
    int repetitions = 7, presses = 400, tiles = 4;
    double seconds = 10;
    bool balance = false, control = false;
    Load load;
    std::pair<int, int> load_size{load.width, load.height};
    app.add_option("--json", json_file, "write the results to this file");
    app.add_option("--display", display, "X display to measure on; default: a new Xvfb");
    app.add_option("--only", only, "which measurements: fps, idle, latency")->check(CLI::IsMember({"fps", "idle", "latency"}));
    app.add_option("--repetitions", repetitions, "of each frame rate, alternately plain and wall")->check(CLI::Range(1, 1000));
    app.add_option("--presses", presses, "of a key, half of them in each of two turns")->check(CLI::Range(2, 100000));
    app.add_option("--seconds", seconds, "how long the idle wall is measured")->check(CLI::Range(.5, 3600.));
    app.add_option("--tiles", tiles, "of the wall that idles and that keys are sent to")->check(CLI::Range(1, 64));
    app.add_flag("--balance", balance,
                 "measures --balance alone, with and without its latency, against the same wall without it");
    app.add_option("--cases", cases, "which of --balance: left, wander, even, geometry, helper; default: all")
        ->check(CLI::IsMember({"left", "wander", "even", "geometry", "helper"}));
    app.add_flag("--control", control, "measures the operator's page alone, against the same wall without it")
        ->excludes("--balance");
    app.add_option("--load-frames", load.frames, "of each run of --balance and --control")
        ->check(CLI::Range(40, 1000000));
    app.add_option("--load-size", load_size, "of the window that --balance measures, WxH; the display has to be as large")
        ->delimiter('x')
        ->check(CLI::Range(16, 16384));
    app.add_option("--load-rounds", load.rounds, "of the loop in each fragment with work; more for a GPU")
        ->check(CLI::Range(3, 100000000));
    CLI11_PARSE(app, argc, argv);
    std::tie(load.width, load.height) = load_size;

    auto wanted = [&](const char *name) {
        return (only.empty() && !balance && !control) || std::find(only.begin(), only.end(), name) != only.end();
    };
    try {
        const Programs programs = programs_beside_this_one();
        TestScreen screen(display);
        nlohmann::ordered_json results;
        if (balance)
            std::printf("%-38s %8s %10s %10s\n", "frames/s", "wall", "--balance", "latency:1");
        else
            std::printf("%-46s %14s %14s\n", "", control ? "wall" : "plain FreeGLUT", control ? "its page" : "wall");
        if (balance)
            results["balance"] = run_balance(programs, screen, load, cases, repetitions);
        if (control)
            results["control"] = run_control(programs, screen, presses, load.frames, repetitions);
        if (wanted("fps"))
            results["fps"] = run_fps(programs, screen, repetitions);
        if (wanted("idle"))
            results["idle"] = run_idle(programs, screen, tiles, seconds);
        if (wanted("latency"))
            results["latency"] = run_latency(programs, screen, tiles, presses);
        if (!json_file.empty() && !(std::ofstream(json_file) << results.dump(2) << "\n")) {
            std::cerr << "wallbench: --json " << json_file << ": the file could not be written\n";
            return 1;
        }
    } catch (const std::exception &error) {
        std::cerr << "wallbench: " << error.what() << "\n";
        return 1;
    }
}
