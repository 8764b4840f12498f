// mpiglutrun within a job of a real Slurm that has two nodes, walla and wallb, with two tasks each (slurm.sh).
#include "launch.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace {

class Slurm : public testing::TestWithParam<MpiFlavour> {
  protected:
    void SetUp() override {
        ASSERT_STREQ(std::getenv("SLURM_JOB_NODELIST"), "walla,wallb") << "this test is started by slurm.sh";
    }

    static std::vector<std::string> run_of(std::vector<std::string> options, const std::string &script) {
        options.insert(options.end(), {"--headless", "--output", "all", "--mpiexec", GetParam().mpiexec, "--",
                                       "/bin/sh", "-c", script});
        return options;
    }

    /// Which node each rank ran on, in order of rank, with spaces between.
    static std::string placed(const std::vector<std::string> &options,
                              std::map<std::string, std::string> environment = {}) {
        environment.insert({"MPIGLUT_PROBE", "note started"});
        Launch run(run_of(options, "echo ${FAKE_HOST:-${SLURMD_NODENAME:-here}}"), environment);
        EXPECT_EQ(run.wait(), 0) << run.err();
        EXPECT_EQ(run.err(), "");
        EXPECT_TRUE(run.gone());
        std::vector<std::string> lines;
        for (std::size_t at = 0, end; (end = run.out().find('\n', at)) != std::string::npos; at = end + 1)
            lines.push_back(run.out().substr(at, end - at));
        std::ranges::sort(lines); // one row: by column
        std::string hosts;
        for (const std::string &line : lines)
            hosts += (hosts.empty() ? "" : " ") + line.substr(line.find(' ') + 1);
        return hosts;
    }
};

TEST_P(Slurm, NodesTakeTheRanksOfTheirTasks) { EXPECT_EQ(placed({"--wall", "4x1"}), "walla walla wallb wallb"); }

/// Slurm starts what it starts in clear, so the run's secret is in a file that all nodes see, and not for long.
TEST_P(Slurm, NodesFindTheSecretInASharedFolder) {
    std::string folder = (std::filesystem::temp_directory_path() / "slurm-shared-XXXXXX").string();
    ASSERT_TRUE(::mkdtemp(folder.data()));
    Launch run(run_of({"--wall", "4x1"}, "find " + folder + "/.mpiglut-* -type f; echo searched"),
               {{"MPIGLUT_SHARED_FOLDER", folder}, {"MPIGLUT_PROBE", "note started"}});
    EXPECT_EQ(run.wait(), 0) << run.err();
    EXPECT_EQ(count(run.out(), "searched"), 4) << run.out();
    EXPECT_EQ(count(run.out(), "secret"), 0) << "all agents had come: " << run.out();
    EXPECT_TRUE(run.gone());
    EXPECT_TRUE(std::filesystem::is_empty(folder));
    std::filesystem::remove_all(folder);
    Launch nowhere(run_of({"--wall", "4x1"}, "true"), {{"MPIGLUT_SHARED_FOLDER", folder}});
    EXPECT_EQ(nowhere.wait(), 1);
    EXPECT_NE(nowhere.err().find("MPIGLUT_SHARED_FOLDER"), std::string::npos) << nowhere.err();
}

TEST_P(Slurm, ABatchScriptsNodeIsNotEverybodys) {
    EXPECT_EQ(placed({"--wall", "2x1"}, {{"SLURMD_NODENAME", "walla"}, {"SLURM_NODEID", "0"}}), "walla wallb");
}

TEST_P(Slurm, NodesShareMoreAndFewerRanksThanTasks) {
    EXPECT_EQ(placed({"--wall", "7x1"}), "walla walla walla walla wallb wallb wallb");
    EXPECT_EQ(placed({"--wall", "2x1"}), "walla wallb");
}

TEST_P(Slurm, HostsOfTheCommandLineBeatTheNodes) {
    EXPECT_EQ(placed({"--wall", "2x1", "--hosts", "wallb"}), "wallb wallb");
    EXPECT_EQ(placed({"--wall", "3x1", "--hosts", "walla:1,wallb:2"}), "walla wallb wallb");
    EXPECT_EQ(placed({"--wall", "2x1", "--hosts", "localhost"}), "here here") << "outside of any step of the job";
}

TEST_P(Slurm, WhatSrunCannotReachIsReachedBySsh) {
    const bool mpich = GetParam().name == std::string("mpich");
    std::string own = (std::filesystem::temp_directory_path() / "fake-hosts-XXXXXX").string();
    ::mkdtemp(own.data());
    const std::map<std::string, std::string> ssh{
        {"FAKE_HOSTS", own},
        {"MPIGLUT_MPIEXEC_ARGS", mpich ? "-launcher-exec " FAKE_SSH : "--mca plm_rsh_agent " FAKE_SSH}};
    EXPECT_EQ(placed({"--wall", "2x1", "--hosts", "walla:1,hostb:1"}, ssh), "walla hostb");
    // Open MPI reaches nodes in any order by srun.
    EXPECT_EQ(placed({"--wall", "3x1", "--hosts", "wallb:1,walla:1,wallb:1"}, ssh), "wallb walla wallb");
    std::filesystem::remove_all(own);
}

TEST_P(Slurm, AStepHoldsTheCoresAlready) { // as with srun --pty bash
    const std::string holder = "srun --exact -n 1 -N 1 -c 2 " LAUNCHER " --wall 4x1 --headless --mpiexec " +
                               std::string(GetParam().mpiexec) + " -- /bin/true";
    EXPECT_EQ(std::system(("MPIGLUT_LIB=" PROBE " MPIGLUT_PROBE='note started' timeout 100 " + holder).c_str()), 0);
}

TEST_P(Slurm, ARankThatDiesIsNamedAndNothingStays) {
    Launch run(run_of({"--wall", "4x1"}, "[ \"$SLURMD_NODENAME\" = walla ] || kill -ABRT $$; exec sleep 60"),
               {{"MPIGLUT_PROBE", "note started"}});
    EXPECT_EQ(run.wait(), 128 + SIGABRT); // sanitizers make nothing else of it
    EXPECT_NE(run.err().find("signal 6"), std::string::npos) << run.err();
    EXPECT_TRUE(run.gone());
}

TEST_P(Slurm, MpiglutrunIsKilledAndNothingStays) {
    Launch run(run_of({"--wall", "4x1"}, "echo up; exec sleep 60"), {{"MPIGLUT_PROBE", "note started"}});
    ASSERT_TRUE(run.wait_for("up", 4)) << run.err();
    ::kill(run.pid(), SIGKILL);
    run.wait();
    EXPECT_TRUE(run.gone());
}

INSTANTIATE_TEST_SUITE_P(Mpi, Slurm, testing::ValuesIn(flavours()),
                         [](const auto &test) { return std::string(test.param.name); });

} // namespace
