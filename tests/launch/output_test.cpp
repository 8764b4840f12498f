// What the programs print, and what they are given to read.
#include "launch.h"

#include <algorithm>
#include <csignal>

namespace {

using Words = std::vector<std::string>;

Words shell(Words options, const std::string &script) {
    options.insert(options.end(), {"--headless", "--mpiexec", any_flavour().mpiexec, "--", "/bin/sh", "-c", script});
    return options;
}

/// Every byte value, lines of all lengths, no newline at the end.
std::string awkward_bytes(std::size_t size) {
    std::string bytes;
    for (unsigned i = 0; bytes.size() < size; ++i)
        bytes.push_back(static_cast<char>((i * 2654435761u) >> 13));
    return bytes;
}

const std::map<std::string, std::string> library_works{{"MPIGLUT_PROBE", "note started"}};

TEST(Output, FirstIsRankZerosToTheByte) {
    std::string bytes = awkward_bytes(3'000'000);
    Launch run(shell({"--wall", "2x1"}, "cat; echo complaint >&2"), library_works, bytes);
    EXPECT_EQ(run.wait(), 0);
    EXPECT_TRUE(run.out() == bytes) << run.out().size() << " bytes"; // not printed if it differs: 3 MB
    EXPECT_EQ(run.err(), "complaint\n");
    EXPECT_TRUE(run.gone());
}

TEST(Output, AllIsEachLineWithItsTile) {
    Launch run(shell({"--wall", "2x2", "--output", "all"}, "echo one; echo two >&2; printf three"), library_works);
    EXPECT_EQ(run.wait(), 0);
    for (const char *tile : {"(0,0) ", "(1,0) ", "(0,1) ", "(1,1) "}) {
        EXPECT_EQ(count(run.out(), std::string(tile) + "one\n"), 1) << run.out();
        EXPECT_EQ(count(run.out(), std::string(tile) + "three\n"), 1) << run.out();
        EXPECT_EQ(count(run.err(), std::string(tile) + "two\n"), 1) << run.err();
    }
    EXPECT_EQ(run.out().size(), 4 * (10 + 12u));
}

TEST(Output, WhatIsWrittenRightBeforeACrashIsNotLost) {
    Launch run(shell({"--wall", "1x1"}, "head -c 60000 /dev/zero; kill -KILL $$"));
    EXPECT_EQ(run.wait(), 128 + SIGKILL);
    EXPECT_EQ(run.out().size(), 60000u);
}

TEST(Output, ARankThatFailsAloneIsQuoted) {
    Launch run(shell({"--wall", "2x1"}, "echo \"$0\" >&2; [ \"${PMI_RANK-}${OMPI_COMM_WORLD_RANK-}\" = 0 ] && exit 0; "
                                        "echo no paint >&2; exit 7"),
               library_works);
    EXPECT_EQ(run.wait(), 0);
    EXPECT_NE(run.err().find("tile (1,0)): exited with status 7, rank 0 with 0\n"), std::string::npos) << run.err();
    EXPECT_NE(run.err().find("tile (1,0)): its standard error ended with\nmpiglutrun:     "), std::string::npos)
        << run.err();
    EXPECT_NE(run.err().find("mpiglutrun:     no paint\n"), std::string::npos) << run.err();
    EXPECT_TRUE(run.gone());
}

TEST(Output, ASlowReaderHoldsTheProgramBack) {
    Launch run(shell({"--wall", "1x1"}, "head -c 20000000 /dev/zero; echo done >&2"), library_works);
    auto writing = [&run] { return run.processes("head").size() == 1; };
    const auto end = std::chrono::steady_clock::now() + longest_run;
    while (!writing() && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(500)); // no process reads meanwhile
    EXPECT_TRUE(writing()) << "20 MB went somewhere";
    EXPECT_EQ(run.wait(), 0);
    EXPECT_EQ(run.out().size(), 20'000'000u);
    EXPECT_EQ(run.err(), "done\n");
}

TEST(Output, AReaderThatGoesEndsTheProgramQuietly) {
    Launch run(shell({"--wall", "2x1"}, "yes"));
    ASSERT_TRUE(run.wait_for("y\n", 100));
    run.hang_up();
    EXPECT_EQ(run.wait(), 128 + SIGPIPE);
    EXPECT_EQ(run.err(), "");
    EXPECT_TRUE(run.gone());
}

TEST(Input, GoesToEveryRank) {
    std::string text;
    for (int i = 0; i < 100'000; ++i)
        text += std::to_string(i) + "\n";
    Launch run(shell({"--wall", "3x1", "--output", "all"}, "cksum"), library_works, text);
    EXPECT_EQ(run.wait(), 0);
    Words lines;
    for (std::size_t at = 0, end; (end = run.out().find('\n', at)) != std::string::npos; at = end + 1)
        lines.push_back(run.out().substr(at + 6, end - at - 6)); // without the tile
    ASSERT_EQ(lines.size(), 3u) << run.out();
    EXPECT_TRUE(lines[0].ends_with(" " + std::to_string(text.size()))) << lines[0];
    EXPECT_EQ(lines[0], lines[1]);
    EXPECT_EQ(lines[0], lines[2]);
}

TEST(Input, MayBeLeftUnread) {
    Launch run(shell({"--wall", "2x1"}, "read line; echo $line"), library_works,
               "first\n" + std::string(5'000'000, 'x'));
    EXPECT_EQ(run.wait(), 0);
    EXPECT_EQ(run.out(), "first\n");
    EXPECT_TRUE(run.gone());
}

TEST(Report, NotesOnceErrorsWithTheRank) {
    Launch run(shell({"--wall", "2x2"}, ":"),
               {{"MPIGLUT_PROBE", "note started;note swap by hand;error no more paint"}});
    EXPECT_EQ(run.wait(), 1); // an error of the library is one of the run
    EXPECT_EQ(count(run.err(), "mpiglutrun: swap by hand\n"), 1) << run.err();
    EXPECT_EQ(count(run.err(), "no more paint\n"), 1) << run.err();
    EXPECT_EQ(count(run.err(), "mpiglutrun: rank "), 1) << run.err();
    EXPECT_EQ(run.err_lines().size(), 2u) << run.err();
}

TEST(Report, ProgramsWithoutTheLibraryGetANote) {
    Launch run(shell({"--wall", "2x1"}, ":"));
    EXPECT_EQ(run.wait(), 0);
    EXPECT_EQ(run.err_lines().size(), 1u) << run.err();
    EXPECT_NE(run.err().find("did not use GLUT"), std::string::npos) << run.err();
}

TEST(Report, TheOptionsArrive) {
    Launch run(shell({"--wall", "3x1", "--frames", "7", "--clock", "step:25"}, "exit 1"),
               {{"MPIGLUT_PROBE", "note options"}});
    EXPECT_EQ(run.wait(), 1);
    EXPECT_EQ(run.err_lines().size(), 1u) << run.err(); // the same on every rank
    for (const char *part : {"\"frames\":7", "\"local_ranks\":3", "\"headless\":true", "\"pid\":4242",
                             "\"start_realtime_ns\":946684800000000000"})
        EXPECT_NE(run.err().find(part), std::string::npos) << part << " in " << run.err();
}

TEST(Report, TimeToSaveFiles) {
    // Rank 0 needs longer than the others' end allows, but says that it is saving.
    Launch run(
        shell({"--wall", "2x1"}, "test \"${PMI_RANK:-$OMPI_COMM_WORLD_RANK}\" = 1 || { sleep 1.6; echo saved; }"),
        {{"MPIGLUT_PROBE", "note started;note saving"}});
    EXPECT_EQ(run.wait(), 0);
    EXPECT_EQ(run.out(), "saved\n");
}

TEST(Report, SavingIsNoExcuseAfterABadEnd) {
    Launch run(shell({"--wall", "2x1"}, "test \"${PMI_RANK:-$OMPI_COMM_WORLD_RANK}\" = 1 || sleep 1000; exit 4"),
               {{"MPIGLUT_PROBE", "note started;note saving"}});
    EXPECT_EQ(run.wait(), 4);
    EXPECT_EQ(count(run.err(), "exited with status 4"), 1) << run.err();
    EXPECT_TRUE(run.gone());
}

} // namespace
