// Ranks on several hosts, which a stand-in for ssh makes up.
#include "launch.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <netdb.h>
#include <unistd.h>

namespace {

class Hosts : public testing::TestWithParam<MpiFlavour> {
  protected:
    /// MPI's own launchers look this host's name up. A bare container may have a name that nothing knows.
    void SetUp() override {
        char name[256] = {};
        ::gethostname(name, sizeof name - 1);
        addrinfo *found = nullptr;
        if (::getaddrinfo(name, nullptr, nullptr, &found) != 0)
            GTEST_SKIP() << "this host's own name, " << name << ", has no address (/etc/hosts)";
        ::freeaddrinfo(found);
    }
    /// Which host each rank ran on, in order of rank, with spaces between.
    static std::string placed(std::vector<std::string> options) {
        bool mpich = GetParam().name == std::string("mpich");
        options.insert(options.end(), {"--headless", "--output", "all", "--mpiexec", GetParam().mpiexec, "--",
                                       "/bin/sh", "-c", "echo $FAKE_HOST"});
        std::string pattern = (std::filesystem::temp_directory_path() / "fake-hosts-XXXXXX").string();
        std::filesystem::path own = ::mkdtemp(pattern.data());
        Launch run(options, {{"FAKE_HOSTS", own},
                             {"MPIGLUT_MPIEXEC_ARGS",
                              mpich ? "-launcher ssh -launcher-exec " FAKE_SSH : "--mca plm_rsh_agent " FAKE_SSH},
                             {"MPIGLUT_PROBE", "note started"}});
        EXPECT_EQ(run.wait(), 0) << run.err();
        EXPECT_EQ(run.err(), "");
        EXPECT_TRUE(run.gone());
        for (const auto &entry : std::filesystem::recursive_directory_iterator(own))
            EXPECT_FALSE(entry.path().filename().string().starts_with("mpiglut-")) << entry.path();
        std::filesystem::remove_all(own);
        std::vector<std::string> lines;
        for (std::size_t at = 0, end; (end = run.out().find('\n', at)) != std::string::npos; at = end + 1)
            lines.push_back(run.out().substr(at, end - at));
        std::ranges::sort(lines); // one row: by column
        std::string hosts;
        for (const std::string &line : lines)
            hosts += (hosts.empty() ? "" : " ") + line.substr(6);
        return hosts;
    }
};

TEST_P(Hosts, ShareTheRanksEvenly) {
    EXPECT_EQ(placed({"--wall", "3x1", "--hosts", "hosta,hostb"}), "hosta hosta hostb");
}

TEST_P(Hosts, TakeAsManyAsTheySay) {
    EXPECT_EQ(placed({"--wall", "4x1", "--hosts", "hosta:1,hostb:2,hosta:1"}), "hosta hostb hostb hosta");
}

TEST_P(Hosts, ComeFromTheWallFile) {
    std::string file =
        (std::filesystem::temp_directory_path() / ("hosts-" + std::to_string(::getpid()) + ".toml")).string();
    std::ofstream(file) << "[grid]\ncolumns = 3\nrows = 1\ntile = [64, 48]\n"
                           "[[tile]]\ncolumn = 0\nrow = 0\nhost = \"hostb\"\n"
                           "[[tile]]\ncolumn = 1\nrow = 0\nhost = \"hosta\"\n"
                           "[[tile]]\ncolumn = 2\nrow = 0\nhost = \"hostb\"\n";
    EXPECT_EQ(placed({"--wall", file}), "hostb hosta hostb");
    std::filesystem::remove(file);
}

INSTANTIATE_TEST_SUITE_P(Mpi, Hosts, testing::ValuesIn(flavours()),
                         [](const auto &test) { return std::string(test.param.name); });

} // namespace
