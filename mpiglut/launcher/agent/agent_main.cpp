#include "agent/agent.h"
#include "job/mpi_flavour.h"
#include "link/net.h"
#include "link/secret.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

int main(int argc, char **argv) {
    using namespace mpiglut::launcher;
    open_standard_streams();
    if (argc == 2 && std::string_view(argv[1]) == "--version")
        return std::puts("mpiglutrun-agent " MPIGLUT_VERSION) < 0;
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGUSR1, SIG_IGN); // Hydra's news that another agent has died
    if (const char *path = std::getenv(path_variable)) {
        ::setenv("PATH", path, 1);
        ::unsetenv(path_variable);
    }
    if (argc > 1)
        return carry_secret({argv + 1, argv + argc});
    const char *text = std::getenv(control_variable);
    auto control = control_from(text ? text : "");
    int rank = rank_from_environment();
    if (!control || rank < 0) {
        std::fprintf(stderr, "mpiglutrun-agent is started by mpiglutrun, not by hand\n");
        return 2;
    }
    std::string error;
    const std::string secret = read_secret(error);
    if (!error.empty()) {
        std::fprintf(stderr, "mpiglutrun-agent on %s: %s\n", host_name().c_str(), error.c_str());
        return 2;
    }
    return Agent(*control, secret, rank).run();
}
