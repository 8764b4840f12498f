// Parts of the launcher by themselves: frames and messages, verdicts, prefixed lines.
#include "agent/last_words.h"
#include "child/guard.h"
#include "child/sink.h"
#include "child/spawn.h"
#include "link/messages.h"
#include "program/program_environment.h"
#include "program/wayland.h"
#include "run/options.h"
#include "session/verdict.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace mpiglut::launcher;

/// Another user may put a pipe where an X server has had its lock. Nobody would ever write into it.
TEST(Guard, WaitsForNoPipeInThePlaceOfALock) {
    const pid_t server = ::fork();
    if (server == 0)
        ::_exit(0);
    ASSERT_EQ(::waitpid(server, nullptr, 0), server);
    const std::string number = std::to_string(1'000'000 + server), lock = "/tmp/.X" + number + "-lock";
    ::unlink(lock.c_str()); // of a test that was killed
    ASSERT_EQ(::mkfifo(lock.c_str(), 0600), 0);
    Leftovers leftovers;
    leftovers.note("server " + std::to_string(server));
    leftovers.note("display :" + number);
    leftovers.note("directory " + lock);
    leftovers.remove();
    EXPECT_FALSE(std::filesystem::exists(lock)) << "what comes after the lock is done, too";
}

TEST(Wire, FramesComeOutAsTheyWentInHoweverTheBytesArrive) {
    std::string bytes =
        encode(Type::output, std::string("a\0b", 3)) + encode(Type::end, "") + encode(Type::input, "xyz");
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        Unframer unframer;
        std::vector<Frame> frames;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            unframer.feed(bytes.substr(at, piece));
            while (auto frame = unframer.next())
                frames.push_back(*frame);
        }
        ASSERT_EQ(frames.size(), 3u);
        EXPECT_EQ(frames[0].payload, std::string("a\0b", 3));
        EXPECT_EQ(frames[1].type, Type::end);
        EXPECT_EQ(frames[2].payload, "xyz");
    }
}

TEST(Wire, RefusesFramesThatAreTooLong) {
    Unframer unframer;
    unframer.limit(10);
    unframer.feed(encode(Type::hello, std::string(11, 'x')).substr(0, 6));
    EXPECT_FALSE(unframer.next());
    EXPECT_TRUE(unframer.broken());
}

TEST(Wire, RefusesFramesOfNoType) {
    Unframer unframer;
    unframer.feed(encode(Type::end, "") + encode(Type::count, "x") + encode(Type::end, ""));
    EXPECT_TRUE(unframer.next());
    EXPECT_FALSE(unframer.next());
    EXPECT_TRUE(unframer.broken());
    EXPECT_FALSE(unframer.next()) << "nothing behind it counts";
}

TEST(Wire, MessagesSurviveTheJourney) {
    Start start{
        .argv = {"a", "", std::string("\xff\0b", 3)}, .directory = "/d", .run = "{}", .terminal = 3, .threads = -1};
    auto back = unpack<Start>(pack(start));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->argv, start.argv);
    EXPECT_EQ(back->directory, "/d");
    EXPECT_EQ(back->terminal, 3);
    EXPECT_EQ(back->threads, -1);
}

TEST(Wire, NoMessageFromBytesThatAreNotExactlyOne) {
    std::string bytes = pack(Hello{"1", 3, 99, "host", "machine", 4, 4, ""});
    ASSERT_TRUE(unpack<Hello>(bytes));
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(unpack<Hello>(bytes.substr(0, size))) << size;
    EXPECT_FALSE(unpack<Hello>(bytes + "x"));
    bytes[0] = '\xff'; // a text of nearly 2^32 bytes
    bytes[3] = '\xff';
    EXPECT_FALSE(unpack<Hello>(bytes));
}

TEST(ProgramEnvironment, TakesWallsOfAnySize) {
    std::string directory = testing::TempDir() + "/launch-parts-XXXXXX", error;
    ASSERT_TRUE(::mkdtemp(directory.data()));
    ::setenv("MPIGLUT_LIB", "/bin/true", 1);
    mpiglut::RunOptions run;
    run.wall = std::string(300'000, '#'); // beyond Linux' limit for a string of the environment, 128 KiB
    Start start{.run = to_json(run), .mark = "mark"};
    auto environment = program_environment(start, {1, 7, -1, -1, -1, -1, directory}, error);
    EXPECT_EQ(error, "");
    set(environment, "LD_PRELOAD", "");
    Spawned process = spawn({.argv = {"true"}, .environment = environment});
    ASSERT_GT(process.pid, 0) << std::strerror(process.error);
    ::waitpid(process.pid, nullptr, 0);
    for (const std::string &entry : environment)
        if (entry.starts_with("MPIGLUT_RUN="))
            ::setenv("MPIGLUT_RUN", entry.c_str() + 12, 1);
    auto back = mpiglut::options_from_environment(error);
    ASSERT_TRUE(back) << error;
    EXPECT_TRUE(back->wall == run.wall);
    EXPECT_EQ(back->report_fd, 7);
    ::unsetenv("MPIGLUT_RUN");
    ::unsetenv("MPIGLUT_LIB");
    std::filesystem::remove_all(directory);
}

/// GLib's allocator would read the clock as often as threads meet in it.
TEST(ProgramEnvironment, OfX11HasOneAllocatorUnlessTheUserSaysOtherwise) {
    std::string directory = testing::TempDir() + "/launch-parts-XXXXXX", error;
    ASSERT_TRUE(::mkdtemp(directory.data()));
    ::setenv("MPIGLUT_LIB", "/bin/true", 1);
    mpiglut::RunOptions run;
    run.system = mpiglut::System::x11;
    const Start start{.run = to_json(run), .mark = "mark"};
    const auto has = [&](const std::string &wanted) {
        const auto environment = program_environment(start, {0, 7, -1, -1, -1, -1, directory}, error);
        return std::ranges::count(environment, wanted) == 1;
    };
    ::unsetenv("G_SLICE");
    EXPECT_TRUE(has("G_SLICE=always-malloc")) << error;
    ::setenv("G_SLICE", "debug-blocks", 1);
    EXPECT_TRUE(has("G_SLICE=debug-blocks")) << error;
    ::unsetenv("G_SLICE");
    ::unsetenv("MPIGLUT_LIB");
    std::filesystem::remove_all(directory);
}

TEST(Dying, IsNobodyWhoGoesOnWithoutTheMainThread) {
    EXPECT_EQ(status_of_dying(::getpid()), std::nullopt);
    const pid_t pid = ::fork();
    if (pid == 0) {
        std::thread(::pause).detach();
        ::syscall(SYS_exit, 0); // of this thread alone
    }
    const auto state = [pid] {
        std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
        std::string word, third;
        file >> word >> word >> third;
        return third;
    };
    while (state() != "Z")
        ::usleep(1000);
    EXPECT_EQ(status_of_dying(pid), std::nullopt);
    ::kill(pid, SIGKILL);
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, SIGKILL);
}

TEST(LinePrefixes, WholeLinesOnly) {
    LinePrefix prefix("(0,1) ");
    EXPECT_EQ(prefix.add("one\ntw"), "(0,1) one\n");
    EXPECT_EQ(prefix.add("o\n\nthr"), "(0,1) two\n(0,1) \n");
    EXPECT_EQ(prefix.rest(), "(0,1) thr\n");
    EXPECT_EQ(prefix.rest(), "");
}

constexpr int exited(int status) { return status << 8; }

Verdict four() {
    Verdict verdict({"(0,0)", "(1,0)", "(0,1)", "(1,1)"});
    for (int rank = 0; rank < 4; ++rank)
        verdict.host(rank, "h");
    return verdict;
}

TEST(Verdicts, TheProgramsOwnStatus) {
    Verdict verdict = four();
    for (int rank = 0; rank < 4; ++rank)
        EXPECT_EQ(verdict.ended(rank, exited(3), false), "");
    EXPECT_TRUE(verdict.remarks().empty());
    EXPECT_EQ(verdict.exit_status(), 3);
}

TEST(Verdicts, RankZeroDecides) {
    Verdict verdict = four();
    verdict.ended(1, exited(4), false);
    verdict.ended(0, exited(0), false);
    verdict.ended(2, exited(0), false);
    verdict.ended(3, SIGTERM, true);
    EXPECT_EQ(verdict.remarks(),
              (std::vector<std::string>{"rank 1 (h, tile (1,0)): exited with status 4, rank 0 with 0"}));
    EXPECT_EQ(verdict.exit_status(), 0);
}

TEST(Verdicts, ACrashIsToldOnce) {
    Verdict verdict = four();
    EXPECT_EQ(verdict.ended(2, SIGSEGV, false), "rank 2 (h, tile (0,1)): killed by signal 11 (Segmentation fault)");
    EXPECT_EQ(verdict.ended(1, SIGSEGV, false), "");
    EXPECT_EQ(verdict.ended(0, SIGTERM, true), "");
    EXPECT_TRUE(verdict.remarks().empty());
    EXPECT_EQ(verdict.exit_status(), 139);
}

TEST(Verdicts, ARankThatStartsWhileTheWallEndsHasNoSay) {
    Verdict verdict = four();
    verdict.ended(2, SIGSEGV, false);
    EXPECT_EQ(verdict.failed(3, 1, "cannot open the X server"), "");
    EXPECT_EQ(verdict.exit_status(), 139);
}

TEST(Verdicts, ARankThatLeavesTheOthersBehind) {
    Verdict verdict = four();
    verdict.ended(3, exited(0), false);
    for (int rank = 0; rank < 3; ++rank)
        verdict.ended(rank, SIGTERM, true);
    EXPECT_EQ(verdict.remarks(),
              (std::vector<std::string>{"rank 3 (h, tile (1,1)): exited with status 0 while rank 0 went on"}));
    EXPECT_EQ(verdict.exit_status(), 1);
}

TEST(Verdicts, ARankThatTheWallGoesOnWithoutHasNoSay) {
    Verdict verdict = four();
    verdict.error(2, "the connection to the X server is lost");
    EXPECT_EQ(verdict.died(2, exited(1), "exited with status 1", "the wall goes on without it", {}),
              "rank 2 (h, tile (0,1)): exited with status 1; the wall goes on without it");
    EXPECT_EQ(verdict.died(3, SIGKILL, "killed", "the wall goes on without it", {"its last words"}),
              "rank 3 (h, tile (1,1)): killed; the wall goes on without it");
    EXPECT_EQ(verdict.back(2, std::chrono::milliseconds(3240)), "rank 2 (h, tile (0,1)): is back after 3.2 seconds");
    EXPECT_FALSE(verdict.bad());
    verdict.ended(0, exited(0), false);
    verdict.ended(1, exited(0), false);
    EXPECT_EQ(verdict.remarks(), (std::vector<std::string>{"rank 3 (h, tile (1,1)): its standard error ended with",
                                                           "    its last words"}));
    EXPECT_EQ(verdict.exit_status(), 0);
}

TEST(Verdicts, WhatAFailedRankSaidLast) {
    Verdict verdict = four();
    verdict.ended(1, exited(4), false, {"no paint", "good bye"});
    verdict.ended(2, exited(4), false, {"no paint", "good bye"});
    verdict.ended(3, SIGSEGV, false, {"oh"});
    verdict.ended(0, exited(0), false);
    EXPECT_EQ(verdict.remarks(),
              (std::vector<std::string>{"rank 1 (h, tile (1,0)): exited with status 4, rank 0 with 0",
                                        "rank 1 (h, tile (1,0)): its standard error ended with", "    no paint",
                                        "    good bye", "rank 2 (h, tile (0,1)): exited with status 4, rank 0 with 0",
                                        "rank 3 (h, tile (1,1)): its standard error ended with", "    oh"}));
}

TEST(Verdicts, RanksThatFailAsRankZeroSayNothingMore) {
    Verdict verdict = four();
    for (int rank = 0; rank < 4; ++rank)
        verdict.ended(rank, exited(3), false, {"no paint"});
    EXPECT_TRUE(verdict.remarks().empty());
}

TEST(LastWords, AreTheLastLines) {
    LastWords words;
    EXPECT_TRUE(words.lines().empty());
    words.add("first\n\nsec");
    words.add("ond\x1b\n");
    EXPECT_EQ(words.lines().front(), "first");
    EXPECT_EQ(words.lines().size(), 2u);
    EXPECT_EQ(words.lines().back().find('\x1b'), std::string::npos);
    for (int i = 0; i < 5000; ++i)
        words.add("line " + std::to_string(i) + "\n");
    ASSERT_EQ(words.lines().size(), 8u);
    EXPECT_EQ(words.lines().front(), "line 4992");
    words.add(std::string(100'000, 'x'));
    EXPECT_EQ(words.lines(), std::vector<std::string>{std::string(4096, 'x')});
}

TEST(Verdicts, TheLibrarysWordsReplaceOurs) {
    Verdict verdict = four();
    EXPECT_EQ(verdict.error(1, "out of paint"), "rank 1 (h, tile (1,0)): out of paint");
    EXPECT_EQ(verdict.error(2, "out of paint"), "");
    verdict.ended(1, exited(1), false);
    verdict.ended(2, exited(1), false);
    EXPECT_TRUE(verdict.remarks().empty());
    EXPECT_EQ(verdict.exit_status(), 1);
}

TEST(Verdicts, AnErrorOfTheLibraryIsOneOfTheRun) {
    Verdict verdict = four();
    verdict.error(0, "no frame 9");
    for (int rank = 0; rank < 4; ++rank)
        verdict.ended(rank, exited(0), false);
    EXPECT_TRUE(verdict.remarks().empty());
    EXPECT_EQ(verdict.exit_status(), 1);
}

TEST(Verdicts, SignalsToUsWin) {
    Verdict verdict = four();
    verdict.interrupted(SIGINT);
    verdict.ended(0, exited(0), false);
    EXPECT_EQ(verdict.exit_status(), 130);
}

TEST(Verdicts, OnlyTheFirstFailureIsTold) {
    Verdict verdict = four();
    EXPECT_EQ(verdict.failed(1, 127, "no such program"), "rank 1 (h, tile (1,0)): no such program");
    EXPECT_EQ(verdict.failed(0, 1, "something else"), "");
    EXPECT_EQ(verdict.exit_status(), 127);
}

/// What versions of Xwayland say of their options.
const std::string help_22 = "use: X\n-rootless              run rootless\n";
const std::string help_23 = help_22 + "-fullscreen            run fullscreen\n-geometry WxH          set size\n";
const std::string help_24 = help_23 + "-output                specify which output\n";
const std::vector<Monitor> one_monitor{{"DP-1", 1920, 1080}}, two_monitors{{"DP-1", 1920, 1080}, {"DP-2", 800, 600}};

TEST(Xwayland, CoversAMonitorAsItsVersionCan) {
    using Words = std::vector<std::string>;
    std::string note;
    EXPECT_EQ(xwayland("wayland-0/DP-2", two_monitors, help_24, note).arguments,
              (Words{"-fullscreen", "-geometry", "800x600", "-output", "DP-2"}));
    EXPECT_EQ(xwayland("wayland-0", two_monitors, help_24, note).arguments,
              (Words{"-fullscreen", "-geometry", "1920x1080", "-output", "DP-1"}));
    EXPECT_EQ(xwayland("wayland/DP-1", one_monitor, help_23, note).arguments,
              (Words{"-fullscreen", "-geometry", "1920x1080"}));
    EXPECT_EQ(note, "");
    EXPECT_EQ(xwayland("wayland", one_monitor, help_22, note).arguments, Words{});
    EXPECT_NE(note.find("display 'wayland': the Xwayland of this host is older than 23.1"), std::string::npos) << note;
    // A compositor of before 2022 says no names.
    EXPECT_EQ(xwayland("wayland/DP-1", {{"", 800, 600}}, help_24, note).error, "");
}

TEST(Xwayland, SaysWhatItCannotShow) {
    std::string note;
    const auto error = [&](const std::string &display, const std::vector<Monitor> &monitors, const std::string &help) {
        return xwayland(display, monitors, help, note).error;
    };
    EXPECT_EQ(error("wayland/DP-3", two_monitors, help_24),
              "display 'wayland/DP-3': no such monitor; the Wayland session has DP-1, DP-2");
    EXPECT_NE(error("wayland", {}, help_24).find("no monitor"), std::string::npos);
    EXPECT_NE(error("wayland", two_monitors, help_22).find("older than 23.1"), std::string::npos);
    EXPECT_NE(error("wayland/DP-2", two_monitors, help_23).find("older than 24.1"), std::string::npos);
}

} // namespace
