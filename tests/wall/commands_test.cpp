// Programs that the program starts: rank 0's are the real ones, and every rank sees what comes of them. And files that
// it makes: each rank finds them as the program has left them.
#include "event_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace wall_test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class Commands : public testing::Test {
  protected:
    Commands()
        : folder_(scratch_folder() + "/commands-" + testing::UnitTest::GetInstance()->current_test_info()->name()) {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }

    Finished run_commands(Words options, const std::string &frames) {
        options.insert(options.end(), {"--wall", "2x1", "--headless", "--output", "all"});
        Finished finished =
            run(wall_command(options, support_path("commands"), {folder_, frames}), wall_environment(), longest_run);
        EXPECT_FALSE(finished.timed_out);
        EXPECT_EQ(finished.status, 0) << finished.errors;
        return finished;
    }
    Words lines_in(const std::string &name) const {
        std::ifstream file(folder_ + "/" + name);
        Words lines;
        for (std::string line; std::getline(file, line);)
            lines.push_back(line);
        return lines;
    }

    std::string folder_;
};

/// Process numbers as "N": the numbers themselves are compared between the tiles.
Words without_numbers(Words lines) {
    for (std::string &line : lines)
        if (const auto colon = line.find(": "); colon != line.npos && line.size() > colon + 2)
            if (const auto end = line.find_first_not_of("0123456789", colon + 2);
                end != colon + 2 && (end == line.npos || line[end] == ' ' || line.starts_with("line")))
                line.replace(colon + 2, std::min(end, line.size()) - colon - 2, "N");
    return lines;
}

TEST_F(Commands, OfRankZeroAreTheRunsAndAllRanksSeeWhatComesOfThem) {
    const Finished finished = run_commands({}, "100");
    const Words first = lines_of_tile(finished.output, "(0,0)"), second = lines_of_tile(finished.output, "(1,0)");
    EXPECT_EQ(first, second) << finished.errors;
    EXPECT_EQ(finished.errors.find("divergence"), std::string::npos) << finished.errors;
    EXPECT_NE(finished.errors.find("it opens a terminal for a program that it starts"), std::string::npos);
    const Words expected{"mail: exit 0",
                         "failing: exit 3",
                         "in the background: exit 0",
                         "a shell: there",
                         "film: exit 5",
                         "line: N",
                         "line: end",
                         "lines: exit 2",
                         "first line: y",
                         "left early: signal 13",
                         "bytes: 3000000, exit 0",
                         "read: by descriptor, exit 0",
                         "executed: N",
                         "and exit 7",
                         "by a stream: N",
                         "and exit 7",
                         "missing: and exit 127",
                         "a worker: done and exit 4",
                         "by vfork: exit 8",
                         "spawned: N",
                         "answer: N got a word",
                         "runs: yes"};
    const Words seen = without_numbers(first);
    ASSERT_GE(seen.size(), expected.size()) << finished.output;
    EXPECT_EQ(Words(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(expected.size())), expected);
    EXPECT_EQ(seen[expected.size()].rfind("ended: exit 6 after ", 0), 0U) << seen[expected.size()];
    EXPECT_EQ(seen[expected.size() + 1], "asked: one and two, exit 0");
    const Words channels{"fifo: done",
                         "a second time: EEXIST",
                         "came: through it",
                         "locked: done",
                         "locked: done",
                         "memory: done EEXIST",
                         "with a size: done",
                         "without a name: done",
                         "a second time: ENOENT",
                         "semaphore: done",
                         "taken: done EAGAIN",
                         "let go: done",
                         "without a name: done",
                         "port: done",
                         "ready: N",
                         "datagram: first",
                         "datagram: second from here",
                         "no more: EAGAIN"};
    const auto fifo = std::ranges::find(seen, channels.front());
    ASSERT_GE(seen.end() - fifo, std::ssize(channels)) << finished.output;
    EXPECT_EQ(Words(fifo, fifo + std::ssize(channels)), channels);
    EXPECT_EQ(seen.back(), "first start: yes");
    EXPECT_EQ(lines_in("mails").size(), 1U);
    EXPECT_EQ(lines_in("film"), (Words{"frame 0", "frame 1", "frame 2", "frame 3"}));
    EXPECT_EQ(lines_in("runs").size(), 1U);
    EXPECT_EQ(lines_in("jobs").size(), 3U);
    EXPECT_EQ(lines_in("spawned").size(), 1U);
}

TEST_F(Commands, ThatNeverEndEndWithTheRun) {
    Process process(wall_command({"--wall", "2x1", "--headless", "--output", "all"}, support_path("commands"),
                                 {folder_, "0"}),
                    wall_environment());
    EXPECT_TRUE(process.wait_until(
        [&] {
            const std::string output = process.output_so_far();
            return lines_of_tile(output, "(0,0)") == Words{"waits: "} &&
                   lines_of_tile(output, "(1,0)") == Words{"waits: "};
        },
        longest_run));
    ::kill(process.pid(), SIGTERM);
    EXPECT_FALSE(process.finish(longest_run).timed_out);
}

TEST_F(Commands, OfEveryRankRunIfAskedFor) {
    run_commands({"--commands", "every"}, "4");
    EXPECT_EQ(lines_in("mails").size(), 2U);
    EXPECT_EQ(lines_in("jobs").size(), 6U);
}

} // namespace
} // namespace wall_test
