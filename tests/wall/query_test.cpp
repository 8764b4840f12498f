// Queries with results that no picture shows: every rank gets the same times. The counts of occlusion queries are
// compared with one window (equal_window_test, occlusion_query).
#include "wall_run.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace wall_test {
namespace {

/// The lines of `--output all` by the tile that leads them.
std::map<std::string, std::string> by_tile(const std::string &output) {
    std::map<std::string, std::string> said;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t at = line.find(' ');
        said[line.substr(0, at)] += line.substr(at + 1) + "\n";
    }
    return said;
}

} // namespace

TEST(Queries, GiveRankNoughtsTimesAndCountersToAll) {
    const Finished finished =
        run(wall_command({"--wall", "3x1", "--headless", "--frames", "3", "--output=all"}, support_path("query_times")),
            wall_environment(), longest_run);
    EXPECT_FALSE(finished.timed_out);
    ASSERT_EQ(finished.status, 0) << finished.errors;
    const auto said = by_tile(finished.output);
    ASSERT_EQ(said.size(), 3u) << finished.output;
    for (const auto &[tile, text] : said)
        EXPECT_EQ(text, said.begin()->second) << tile;
    long long elapsed = 0, primitives = 0, samples = 0, then = 0, now = 0;
    std::istringstream(said.begin()->second) >> elapsed >> primitives >> samples >> then >> now;
    EXPECT_GE(primitives, 1);
    EXPECT_EQ(samples, 20 * 15);
    EXPECT_GT(then, 0);
    EXPECT_GE(now, then);
    EXPECT_NE(finished.errors.find("a fragment shader writes to images"), std::string::npos) << finished.errors;
}

TEST(Progress, IsThatOfTheSlowestRank) {
    auto environment = wall_environment();
    environment.merge(with_other_driver());
    environment["OTHER_DRIVER_SLOW"] = "1";
    const Finished finished =
        run(wall_command({"--wall", "3x1", "--headless", "--frames", "1", "--output=all"}, support_path("progress")),
            environment, longest_run);
    EXPECT_FALSE(finished.timed_out);
    ASSERT_EQ(finished.status, 0) << finished.errors;
    const std::string fences = "expired unsignalled\nexpired unsignalled\nsatisfied signalled\nsatisfied signalled\n";
    const auto said = by_tile(finished.output);
    ASSERT_EQ(said.size(), 3u) << finished.output;
    for (const auto &[tile, text] : said)
        EXPECT_EQ(text, fences + fences + "complete 0\ncomplete 0\ncomplete 1\ncomplete 1\nfree 7000\nwidth 1\n")
            << tile;
}

} // namespace wall_test
