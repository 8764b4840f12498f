// What differs between MPICH's launcher (Hydra) and Open MPI's. Nothing else in the project knows which one it is.
#pragma once

#include "job/placement.h"

#include <optional>
#include <string>
#include <vector>

namespace mpiglut::launcher {

enum class Flavour { mpich, openmpi };
const char *name(Flavour flavour);

struct Mpiexec {
    Flavour flavour{};
    std::string path, version;
};
/// Asks the command what it is. Nothing, with `error` set, when it cannot be run or is neither of the two.
std::optional<Mpiexec> find_mpiexec(const std::string &path, std::string &error);

/// The MPI that libmpiglut was built with, if it is known.
std::optional<Flavour> built_with();

struct MpiexecLine {
    std::vector<std::string> argv;
    std::vector<std::string> environment; ///< NAME=value
};
/// Starts `agent` once for each rank, with `control` (NAME=value each) in its environment, which is no secret:
/// mpiexec sends it in clear. `directory` is for files that mpiexec needs. `error`: why mpiexec cannot do that.
MpiexecLine mpiexec_line(const Mpiexec &mpiexec, const Placement &placement, const std::string &agent,
                         const std::vector<std::string> &control, const std::string &directory, std::string &error);

/// ssh starts the daemons on other hosts, by way of the agent (carry_secret).
bool starts_by_ssh(Flavour flavour, const Placement &placement);

/// The ranks' programs are the agents' children, so each launcher lets the job go on when a program dies. Of the agents
/// themselves, Hydra 4.0 kills all with one, whatever -disable-auto-cleanup says; Open MPI with --enable-recovery does
/// not.
bool outlives_agents(Flavour flavour);

/// In an agent: this process's rank, -1 when no launcher said one.
int rank_from_environment();

/// A line of what mpiexec printed is OpenSSH's, which has given up.
bool reports_failed_ssh(const std::string &printed);

/// The line of what mpiexec printed that says most about why it failed; empty if it printed nothing.
std::string most_telling_line(const std::string &printed);

} // namespace mpiglut::launcher
