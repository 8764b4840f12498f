// Every way for a run to end; each has to leave nothing behind.
#include "launch.h"

#include <algorithm>
#include <csignal>
#include <filesystem>

namespace {

std::string all_lines(const Launch &run) { return run.out() + run.err(); }

class Ending : public testing::TestWithParam<MpiFlavour> {
  protected:
    /// mpiglutrun in front of the subject on a headless 2x2 wall.
    static std::vector<std::string> subject(std::vector<std::string> words, std::vector<std::string> options = {}) {
        options.insert(options.end(), {"--headless", "--wall", "2x2", "--output", "all", "--mpiexec",
                                       GetParam().mpiexec, "--", GetParam().subject});
        options.insert(options.end(), words.begin(), words.end());
        return options;
    }
    static pid_t one(const Launch &run, const std::string &name) {
        auto list = run.processes(name);
        if (list.empty())
            ADD_FAILURE() << "no process " << name;
        return list.empty() ? 0 : list.front().pid;
    }
    static std::string subject_name() { return std::filesystem::path(GetParam().subject).filename(); }
};

TEST_P(Ending, AllRanksEndWell) {
    Launch run(subject({"mpi", "finalize"}), {{"MPIGLUT_PROBE", "note started"}});
    EXPECT_EQ(run.wait(), 0) << all_lines(run);
    EXPECT_EQ(count(run.out(), "up "), 4);
    EXPECT_EQ(run.err(), "");
    EXPECT_TRUE(run.gone());
}

TEST_P(Ending, AllRanksExitWithTheSameStatus) {
    Launch run(subject({"exit=3"}));
    EXPECT_EQ(run.wait(), 3) << all_lines(run);
    EXPECT_EQ(run.err(), ""); // it is the program's own business
    EXPECT_TRUE(run.gone());
}

TEST_P(Ending, ExitFromWithinMpi) {
    Launch run(subject({"mpi", "exit=3", "1"}));
    EXPECT_EQ(run.wait(), 3) << all_lines(run);
    EXPECT_EQ(count(run.err(), "mpiglutrun:"), 1) << run.err();
    EXPECT_NE(run.err().find("mpiglutrun: rank 1 ("), std::string::npos) << run.err();
    EXPECT_NE(run.err().find(", tile (1,0)): exited with status 3"), std::string::npos) << run.err();
    EXPECT_TRUE(run.gone());
}

TEST_P(Ending, AbortOfOneRank) {
    Launch run(subject({"mpi", "abort", "2"}));
    EXPECT_EQ(run.wait(), 128 + SIGABRT) << all_lines(run);
    EXPECT_EQ(count(run.err(), "mpiglutrun:"), 1) << run.err();
    EXPECT_NE(run.err().find("rank 2 ("), std::string::npos) << run.err();
    EXPECT_NE(run.err().find(", tile (0,1)): killed by signal 6 (Aborted)"), std::string::npos) << run.err();
    EXPECT_TRUE(run.gone());
}

TEST_P(Ending, AllRanksCrash) {
    Launch run(subject({"crash"}));
    EXPECT_EQ(run.wait(), 128 + SIGSEGV) << all_lines(run);
    EXPECT_EQ(count(run.err(), "killed by signal 11 (Segmentation fault)"), 1) << run.err();
    EXPECT_TRUE(run.gone());
}

TEST_P(Ending, ProgramsThatIgnoreSignals) {
    Launch run(subject({"deaf"}));
    ASSERT_TRUE(run.wait_for("up ", 4)) << all_lines(run);
    ::kill(run.pid(), SIGINT);
    EXPECT_EQ(run.wait(), 130) << all_lines(run);
    EXPECT_TRUE(run.gone());
}

TEST_P(Ending, DescendantsThatHide) {
    Launch run(subject({"descend"}));
    ASSERT_TRUE(run.wait_for("up ", 4)) << all_lines(run);
    const auto end = std::chrono::steady_clock::now() + longest_run;
    while (run.processes(subject_name()).size() < 12 && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_EQ(run.processes(subject_name()).size(), 12u);
    ::kill(run.pid(), SIGTERM);
    EXPECT_EQ(run.wait(), 143) << all_lines(run);
    EXPECT_TRUE(run.gone());
}

TEST_P(Ending, SignalsToTheLauncher) {
    for (auto [signal, status] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}, std::pair{SIGHUP, 129}}) {
        Launch run(subject({"mpi", "wait"}));
        ASSERT_TRUE(run.wait_for("up ", 4)) << all_lines(run);
        ::kill(run.pid(), signal);
        EXPECT_EQ(run.wait(), status) << all_lines(run);
        EXPECT_EQ(run.err(), "");
        EXPECT_TRUE(run.gone());
    }
}

TEST_P(Ending, SignalWhileStarting) {
    Launch run(subject({"wait"}));
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    ::kill(run.pid(), SIGTERM);
    int status = run.wait(); // the signal itself when it came before anything was set up
    EXPECT_TRUE(status == 143 || status == -SIGTERM) << status << all_lines(run);
    EXPECT_TRUE(run.gone());
}

std::vector<pid_t> of_executable(const Launch &run, const std::filesystem::path &path) {
    std::vector<pid_t> pids;
    for (const Process &process : run.processes()) {
        const std::filesystem::path executable = process.command.substr(0, process.command.find(' '));
        const bool helps = process.name == "mpiglutrun-tidy" || process.name == "mpiglutrun-keep";
        if (executable.filename() == path.filename() && !helps)
            pids.push_back(process.pid);
    }
    return pids;
}

/// Whatever else has ended because of that, it is the one thing that is said.
void expect_a_lost_agent(Launch &run) {
    EXPECT_EQ(run.wait(), 1) << all_lines(run);
    EXPECT_NE(run.err().find("its agent ended"), std::string::npos) << run.err();
    EXPECT_EQ(count(run.err(), "mpiglutrun:"), 1) << run.err();
    EXPECT_TRUE(run.gone());
}

/// All have ended when mpiglutrun looks: the agent, and mpiexec because of that.
TEST_P(Ending, AnAgentsDeathThatIsSeenLate) {
    Launch run(subject({"mpi", "deaf"}));
    ASSERT_TRUE(run.wait_for("up ", 4)) << all_lines(run);
    const auto agents = of_executable(run, "mpiglutrun-agent");
    ASSERT_EQ(agents.size(), 4u);
    ::kill(run.pid(), SIGSTOP);
    ::kill(agents[1], SIGKILL);
    const auto end = std::chrono::steady_clock::now() + longest_run;
    while (!of_executable(run, GetParam().mpiexec).empty() && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::kill(run.pid(), SIGCONT);
    expect_a_lost_agent(run);
}

/// On a busy machine mpiexec takes its time to end the others.
TEST_P(Ending, AgentsThatEndOneAfterTheOther) {
    Launch run(subject({"mpi", "deaf"}));
    ASSERT_TRUE(run.wait_for("up ", 4)) << all_lines(run);
    const auto agents = of_executable(run, "mpiglutrun-agent");
    ASSERT_EQ(agents.size(), 4u);
    std::vector<pid_t> of_mpi; // mpiexec, and what it starts the ranks with
    for (const Process &process : run.processes())
        if (!process.name.starts_with("mpiglutrun") && process.name != subject_name().substr(0, 15) &&
            process.name != "Xvfb")
            of_mpi.push_back(process.pid);
    for (const pid_t pid : of_mpi)
        ::kill(pid, SIGSTOP);
    for (const pid_t pid : {agents[1], agents[2]}) {
        ::kill(pid, SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
    }
    for (const pid_t pid : of_mpi)
        ::kill(pid, SIGCONT);
    expect_a_lost_agent(run);
}

/// Whom kill -9 hits, and what is to come of it.
struct Victim {
    const char *name;
    int status;
    const char *line; ///< somewhere in what mpiglutrun says
};

void PrintTo(const Victim &victim, std::ostream *out) { *out << victim.name; }

class KillNine : public testing::TestWithParam<std::tuple<MpiFlavour, Victim>> {};

TEST_P(KillNine, NothingIsLeft) {
    const auto &[flavour, victim] = GetParam();
    Launch run({"--headless", "--wall", "2x2", "--output", "all", "--mpiexec", flavour.mpiexec, "--", flavour.subject,
                "mpi", "deaf"});
    ASSERT_TRUE(run.wait_for("up ", 4)) << run.err();
    std::string path = victim.name == std::string("program")   ? flavour.subject
                       : victim.name == std::string("mpiexec") ? flavour.mpiexec
                                                               : victim.name;
    auto found = of_executable(run, path);
    ASSERT_FALSE(found.empty()) << "no process " << path;
    ::kill(found.front(), SIGKILL);
    EXPECT_EQ(run.wait(), victim.status) << run.err();
    EXPECT_NE(run.err().find(victim.line), std::string::npos) << run.err();
    EXPECT_LE(count(run.err(), "mpiglutrun:"), 1) << run.err();
    EXPECT_TRUE(run.gone());
}

std::string flavour_name(const testing::TestParamInfo<MpiFlavour> &info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Mpi, Ending, testing::ValuesIn(flavours()), flavour_name);
INSTANTIATE_TEST_SUITE_P(
    Mpi, KillNine,
    testing::Combine(testing::ValuesIn(flavours()),
                     testing::Values(Victim{"program", 128 + SIGKILL, "killed by signal 9 (Killed)"},
                                     Victim{"mpiglutrun-agent", 1, "its agent ended"},
                                     Victim{"mpiexec", 1, "mpiexec ended before the program did (killed by signal 9"},
                                     Victim{"mpiglutrun", -SIGKILL, ""})),
    [](const auto &test) {
        std::string name = std::string(std::get<0>(test.param).name) + "_" + std::get<1>(test.param).name;
        std::ranges::replace(name, '-', '_');
        return name;
    });

} // namespace
