// wallbench: what a wall costs, against plain FreeGLUT in the same run.
#include "measure.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

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

} // namespace

int main(int argc, char **argv) {
    CLI::App app("Measures what a wall costs, against plain FreeGLUT in the same run: frames per second of one tile, "
                 "processor time of an idle wall, and time from key press to display callback.");
    std::string json_file, display;
    std::vector<std::string> only;
    int repetitions = 7, presses = 400, tiles = 4;
    double seconds = 10;
    app.add_option("--json", json_file, "write the results to this file");
    app.add_option("--display", display, "X display to measure on; an Xvfb of its own by default");
    app.add_option("--only", only, "which measurements: fps, idle, latency")->check(CLI::IsMember({"fps", "idle", "latency"}));
    app.add_option("--repetitions", repetitions, "of each frame rate, plain and wall by turns")->check(CLI::Range(1, 1000));
    app.add_option("--presses", presses, "of a key, half of them in each of two turns")->check(CLI::Range(2, 100000));
    app.add_option("--seconds", seconds, "of idleness")->check(CLI::Range(.5, 3600.));
    app.add_option("--tiles", tiles, "of the wall that idles and that keys are sent to")->check(CLI::Range(1, 64));
    CLI11_PARSE(app, argc, argv);

    auto wanted = [&](const char *name) { return only.empty() || std::find(only.begin(), only.end(), name) != only.end(); };
    try {
        const Programs programs = programs_beside_this_one();
        TestScreen screen(display);
        nlohmann::ordered_json results;
        std::printf("%-46s %14s %14s\n", "", "plain FreeGLUT", "wall");
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
