// How the run's secret reaches the agents: what mpiexec may see of it, and what a file of it has to be.
#include "child/spawn.h"
#include "job/mpi_flavour.h"
#include "link/secret.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace mpiglut::launcher;

const std::string secret = "0123456789abcdef0123456789abcdef";

class Secret : public testing::Test {
  protected:
    void SetUp() override { ASSERT_TRUE(::mkdtemp(folder.data())); }
    void TearDown() override {
        for (const char *variable : {secret_variable, secret_file_variable, ssh_variable, "HYDRA_LAUNCHER",
                                     "HYDRA_LAUNCHER_EXEC", "MPIGLUT_MPIEXEC_ARGS", "OMPI_MCA_plm_rsh_agent"})
            ::unsetenv(variable);
        std::filesystem::remove_all(folder);
    }
    std::string script(const std::string &text) const {
        const std::string path = folder + "/script";
        std::ofstream(path) << "#!/bin/sh\n" << text;
        ::chmod(path.c_str(), 0700);
        return path;
    }
    std::string folder = testing::TempDir() + "secret-XXXXXX", error;
};

TEST_F(Secret, IsInAFileOfThisUserAloneUntilItIsRemoved) {
    std::string path;
    {
        SecretFile file(folder, secret, error);
        ASSERT_EQ(error, "");
        path = file.path();
        struct stat facts {};
        ASSERT_EQ(::stat(path.c_str(), &facts), 0);
        EXPECT_EQ(facts.st_mode & 0777, 0600u);
        ::setenv(secret_file_variable, path.c_str(), 1);
        EXPECT_EQ(read_secret(error), secret);
        EXPECT_FALSE(std::getenv(secret_file_variable)) << "the program shall not find it";
        SecretFile second(folder, "another", error);
        EXPECT_NE(error.find("cannot write"), std::string::npos) << "what is there may be somebody else's";
    }
    EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

TEST_F(Secret, IsNotReadWhereOthersMayHaveWritten) {
    const std::string path = folder + "/secret", link = folder + "/link", pipe = folder + "/pipe";
    std::ofstream(path) << secret << "\n";
    std::filesystem::create_symlink(path, link);
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const std::pair<std::string, const char *> wrong[] = {{path, "others cannot read"},
                                                          {link, "cannot read"},
                                                          {pipe, "others cannot read"},
                                                          {folder + "/none", "SHARED"}};
    for (const auto &[name, says] : wrong) {
        ::chmod(path.c_str(), 0640);
        ::setenv(secret_file_variable, name.c_str(), 1);
        error.clear();
        EXPECT_EQ(read_secret(error), "");
        EXPECT_NE(error.find(says), std::string::npos) << error;
    }
    error.clear();
    EXPECT_EQ(read_secret(error), "");
    EXPECT_NE(error, "") << "started by hand";
}

/// mpiexec calls the agent as if it were ssh; ssh gets the secret by its standard input, on no command line.
TEST_F(Secret, TravelsByTheStandardInputOfSsh) {
    const SecretFile file(folder, secret, error);
    const std::string ssh = script("echo \"$@\" >'" + folder +
                                   "/words'\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\n"
                                   "shift\nexec /bin/sh -c \"$*\"\n");
    for (const std::string shell : {"/bin/sh", "/bin/bash", "/bin/csh", "/usr/bin/fish", "/usr/bin/zsh"}) {
        if (::access(shell.c_str(), X_OK) != 0)
            continue;
        auto environment = own_environment();
        set(environment, ssh_variable, ssh + " -4");
        set(environment, secret_file_variable, file.path());
        set(environment, "SHELL", shell);
        const std::string output = folder + "/output";
        const Spawned agent =
            spawn({.argv = {AGENT, "-x", "host", "echo \"it's\"", "'$2'", "$MPIGLUT_SECRET", ">" + output},
                   .environment = environment});
        ASSERT_GT(agent.pid, 0);
        int status = -1;
        ::waitpid(agent.pid, &status, 0);
        EXPECT_EQ(status, 0) << shell;
        std::string line;
        std::getline(std::ifstream(output), line);
        EXPECT_EQ(line, "it's $2 " + secret) << shell;
        std::string words;
        std::getline(std::ifstream(folder + "/words"), words, '\0');
        EXPECT_TRUE(words.starts_with("-4 -x host ")) << words;
        EXPECT_EQ(words.find(secret), std::string::npos) << words;
    }
}

Placement on_hosts(std::vector<std::string> hosts) {
    Placement placement;
    placement.ranks = static_cast<int>(hosts.size());
    placement.host_of_rank = std::move(hosts);
    placement.all_here = false;
    return placement;
}

TEST_F(Secret, IsInNothingThatMpiexecIsGiven) {
    ::setenv(secret_variable, secret.c_str(), 1); // of a run that this process is part of
    for (const Flavour flavour : {Flavour::mpich, Flavour::openmpi}) {
        const bool mpich = flavour == Flavour::mpich;
        ::setenv("MPIGLUT_MPIEXEC_ARGS",
                 mpich ? "-v -launcher ssh -launcher-exec my-ssh -x" : "-v --mca plm_rsh_agent my-ssh -x", 1);
        const MpiexecLine line = mpiexec_line({flavour, "mpiexec", "4"}, on_hosts({"a", "b"}), "/bin/agent",
                                              {"MPIGLUT_SECRET_FILE=/f"}, folder, error);
        EXPECT_EQ(error, "");
        const auto has = [&](const std::string &entry) { return std::ranges::count(line.environment, entry) == 1; };
        EXPECT_TRUE(has(std::string(ssh_variable) + "=my-ssh"));
        EXPECT_TRUE(has(mpich ? "HYDRA_LAUNCHER_EXEC=/bin/agent" : "OMPI_MCA_plm_rsh_agent=/bin/agent"));
        EXPECT_TRUE(has("MPIGLUT_SECRET_FILE=/f"));
        EXPECT_EQ(std::ranges::count(line.argv, "my-ssh"), 0) << "it would be started in place of the agent";
        for (const auto *list : {&line.argv, &line.environment})
            for (const std::string &word : *list)
                EXPECT_EQ(word.find(secret), std::string::npos) << word;
    }
}

TEST_F(Secret, NeedsAFileThatAllSeeWhereSshStartsNothing) {
    Placement batch = on_hosts({});
    Placement slurm = on_hosts({"a", "b"}), here = on_hosts({"a"});
    slurm.remote = Remote::by_slurm;
    here.all_here = true;
    for (const Flavour flavour : {Flavour::mpich, Flavour::openmpi}) {
        EXPECT_TRUE(starts_by_ssh(flavour, on_hosts({"a", "b"})));
        for (const Placement *placement : {&batch, &slurm, &here})
            EXPECT_FALSE(starts_by_ssh(flavour, *placement));
    }
    slurm.in_order = false;
    EXPECT_TRUE(starts_by_ssh(Flavour::mpich, slurm)) << "Hydra cannot leave that to srun";
    ::setenv("HYDRA_LAUNCHER", "rsh", 1);
    EXPECT_FALSE(starts_by_ssh(Flavour::mpich, on_hosts({"a", "b"})));
}

TEST_F(Secret, HostsOfIpv6AreRefusedByName) {
    for (const Flavour flavour : {Flavour::mpich, Flavour::openmpi}) {
        mpiexec_line({flavour, "mpiexec", "4"}, on_hosts({"a", "fd00::7"}), "/bin/agent", {}, folder, error);
        EXPECT_EQ(error, std::string("host 'fd00::7': the mpiexec of ") + name(flavour) +
                             " takes no addresses of IPv6: expected a name that leads to it");
    }
}

} // namespace
