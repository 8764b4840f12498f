// What cannot work says so in one line, with a sensible status, and leaves nothing behind.
#include "launch.h"

#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace {

struct Case {
    const char *name;
    std::vector<std::string> arguments;
    int status;
    const char *says;
    std::map<std::string, std::string> environment = {};
};
void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class Failing : public testing::TestWithParam<Case> {};

TEST_P(Failing, OneClearLine) {
    const Case &c = GetParam();
    auto arguments = c.arguments;
    arguments.insert(arguments.begin(), {"--mpiexec", any_flavour().mpiexec, "--wall", "2x2"});
    Launch run(arguments, c.environment);
    EXPECT_EQ(run.wait(), c.status) << run.err();
    EXPECT_EQ(run.err_lines().size(), 1u) << run.err();
    EXPECT_TRUE(run.err().starts_with("mpiglutrun: ")) << run.err();
    EXPECT_NE(run.err().find(c.says), std::string::npos) << run.err();
    EXPECT_EQ(run.out(), "");
    EXPECT_TRUE(run.gone());
}

INSTANTIATE_TEST_SUITE_P(
    Launcher, Failing,
    testing::Values(
        Case{"NoSuchProgram",
             {"--headless", "--", "no-such-program"},
             127,
             "'no-such-program': no such program in PATH"},
        Case{"NoSuchFile", {"--headless", "--", "./no/such/file"}, 127, "'./no/such/file': no such file"},
        Case{"NotExecutable", {"--headless", "--", "/etc/passwd"}, 126, "'/etc/passwd': Permission denied"},
        Case{"ADirectory", {"--headless", "--", "/tmp"}, 126, "'/tmp': Permission denied"},
        Case{"NoDisplay", {"--", "true"}, 1, "DISPLAY is not set"},
        Case{"DeadDisplay", {"--", "true"}, 1, "cannot open the X server ':983'", {{"DISPLAY", ":983"}}},
        Case{"NoXvfb", {"--headless", "--", "true"}, 1, "cannot start Xvfb", {{"PATH", "/nonexistent"}}},
        Case{"NoLibrary", {"--headless", "--", "true"}, 1, "libmpiglut.so", {{"MPIGLUT_LIB", "/no/libmpiglut.so"}}},
        Case{"NoTemporaryDirectory", {"--headless", "--", "true"}, 1, "cannot", {{"TMPDIR", "/no/such/directory"}}},
        Case{"NoFolderForTheCapture",
             {"--headless", "--capture", "/no/such/place/a.png", "--", "true"},
             2,
             "--capture: cannot write '/no/such/place/a.png': No such file or directory"},
        Case{"AFolderForTheStatistics",
             {"--headless", "--stats", "/tmp", "--", "true"},
             2,
             "--stats: expected the name of a file, '/tmp' is a directory"},
        Case{"WrongVariable",
             {"--headless", "--", "true"},
             2,
             "MPIGLUT_LAUNCH_TIMEOUT: expected a number of seconds from 1 to 86400, not 'abc'",
             {{"MPIGLUT_LAUNCH_TIMEOUT", "abc"}}},
        Case{"HostsTooFew", {"--hosts", "localhost:3", "--", "true"}, 2, "not enough hosts: the wall has 4 tiles"}),
    [](const auto &test) { return test.param.name; });

/// A command that passes for MPICH's mpiexec as long as it is only asked for its version.
class FakeMpiexec {
  public:
    explicit FakeMpiexec(const std::string &what) {
        std::string pattern = (std::filesystem::temp_directory_path() / "fake-mpiexec-XXXXXX").string();
        directory_ = ::mkdtemp(pattern.data());
        std::ofstream(path()) << "#!/bin/sh\n[ \"$1\" = --version ] && echo 'HYDRA build details: 9.9' && exit\n"
                              << what;
        ::chmod(path().c_str(), 0755);
    }
    ~FakeMpiexec() { std::filesystem::remove_all(directory_); }
    std::string path() const { return directory_ + "/mpiexec"; }

  private:
    std::string directory_;
};

TEST(FailingMpi, NoSuchCommand) {
    Launch run({"--mpiexec", "/no/such/mpiexec", "--", "true"});
    EXPECT_EQ(run.wait(), 1);
    EXPECT_EQ(run.err(), "mpiglutrun: no working MPI: '/no/such/mpiexec --version' could not be run\n");
}

TEST(FailingMpi, NotAnMpi) {
    Launch run({"--mpiexec", "/bin/true", "--", "true"});
    EXPECT_EQ(run.wait(), 1);
    EXPECT_EQ(run.err(), "mpiglutrun: '/bin/true' is neither MPICH's nor Open MPI's mpiexec\n");
}

TEST(FailingMpi, OfAnotherKindThanTheLibrarys) {
    FakeMpiexec other("exit 0");
    std::ofstream(other.path()) << "#!/bin/sh\necho 'mpiexec (OpenRTE) 4.1'\n";
    int mismatches = 0;
    for (const std::string &mpiexec : {other.path(), FakeMpiexec("exit 0").path()}) {
        FakeMpiexec mpich("exit 1");
        Launch run({"--mpiexec", mpiexec == other.path() ? mpiexec : mpich.path(), "--", "true"},
                   {{"MPIGLUT_LIB", ""}});
        EXPECT_NE(run.wait(), 0);
        mismatches += count(run.err(), "but libmpiglut was built with");
        EXPECT_TRUE(run.gone());
    }
    EXPECT_EQ(mismatches, 1);
}

TEST(FailingMpi, EndsBeforeTheRanksStart) {
    FakeMpiexec mpiexec("echo '-----'; echo 'host on fire' >&2; exit 7");
    Launch run({"--mpiexec", mpiexec.path(), "--wall", "2x1", "--", "true"});
    EXPECT_EQ(run.wait(), 1);
    EXPECT_EQ(run.err(), "mpiglutrun: mpiexec could not start the ranks (exited with status 7): host on fire\n");
    EXPECT_TRUE(run.gone());
}

TEST(FailingMpi, NeverStartsTheRanks) {
    FakeMpiexec mpiexec("trap '' TERM; sleep 1000 & sleep 1000");
    Launch run({"--mpiexec", mpiexec.path(), "--wall", "2x1", "--", "true"}, {{"MPIGLUT_LAUNCH_TIMEOUT", "1"}});
    EXPECT_EQ(run.wait(), 1);
    EXPECT_EQ(run.err(), "mpiglutrun: rank 0 (tile (0,0)), rank 1 (tile (1,0)): did not start within 1 seconds\n");
    EXPECT_TRUE(run.gone());
}

TEST(FailingPage, PortIsTaken) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr *>(&address), size), 0);
    ASSERT_EQ(::listen(socket, 1), 0);
    ASSERT_EQ(::getsockname(socket, reinterpret_cast<sockaddr *>(&address), &size), 0);
    const std::string port = std::to_string(ntohs(address.sin_port));
    Launch run({"--mpiexec", any_flavour().mpiexec, "--headless", "--control", port, "--", "true"});
    EXPECT_EQ(run.wait(), 1);
    EXPECT_EQ(run.err(), "mpiglutrun: --control: cannot listen on 127.0.0.1, port " + port + "; is it free?\n");
    EXPECT_TRUE(run.gone());
    ::close(socket);
}

/// As Hydra does with a host that ssh cannot reach.
TEST(FailingMpi, SaysNothingOfAHostThatIsNotThere) {
    const std::string ssh = "ssh: Could not resolve hostname nosuch: Name or service not known";
    FakeMpiexec mpiexec("echo '" + ssh + "' >&2; trap '' TERM; sleep 1000 & sleep 1000");
    Launch run({"--mpiexec", mpiexec.path(), "--wall", "2x1", "--", "true"}, {{"MPIGLUT_LAUNCH_TIMEOUT", "3600"}});
    EXPECT_EQ(run.wait(), 1);
    EXPECT_EQ(run.err(), "mpiglutrun: rank 0 (tile (0,0)), rank 1 (tile (1,0)): could not be started; mpiexec says: " +
                             ssh + "\n");
    EXPECT_TRUE(run.gone());
}

TEST(FailingMpi, StartsOnlySomeRanks) {
    FakeMpiexec mpiexec("PMI_RANK=1 \"$(eval echo \\${$#})\" & wait");
    // Long enough for the one that starts, also on a busy machine.
    Launch run({"--mpiexec", mpiexec.path(), "--wall", "2x1", "--", "true"}, {{"MPIGLUT_LAUNCH_TIMEOUT", "8"}});
    EXPECT_EQ(run.wait(), 1);
    EXPECT_EQ(run.err(), "mpiglutrun: rank 0 (tile (0,0)): did not start within 8 seconds\n");
    EXPECT_TRUE(run.gone());
}

} // namespace
