#include "job/mpi_flavour.h"
#include "child/control.h"
#include "child/spawn.h"
#include "job/slurm.h"
#include "link/secret.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace mpiglut::launcher {

namespace {

std::optional<Flavour> flavour_from(const std::string &version) {
    if (version.find("HYDRA") != version.npos)
        return Flavour::mpich;
    if (version.find("OpenRTE") != version.npos || version.find("Open MPI") != version.npos)
        return Flavour::openmpi;
    return {};
}

std::string first_line_with_digit(const std::string &text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (auto digit = line.find_first_of("0123456789"); digit != line.npos)
            return line.substr(digit);
    return {};
}

/// What the ranks' shells, loaders and GL drivers look at. Hydra hands over everything by itself.
bool wanted_on_other_hosts(const std::string &entry) {
    static constexpr const char *starts[] = {
        "MPIGLUT_", "DISPLAY=",         "WAYLAND_DISPLAY=", "XAUTHORITY=", "LIBGL_", "MESA_",  "GALLIUM_", "LP_",
        "__GL",     "LD_LIBRARY_PATH=", "LANG=",            "LC_",         "ASAN_",  "UBSAN_", "TSAN_",    "HWLOC_"};
    return std::ranges::any_of(starts, [&](const char *start) { return entry.starts_with(start); });
}

std::vector<std::string> words(const char *text) {
    std::istringstream stream(text ? text : "");
    std::vector<std::string> list;
    for (std::string word; stream >> word;)
        list.push_back(word);
    return list;
}

/// Both spell options with one dash or two.
bool is_option(const std::string &word, std::initializer_list<const char *> names) {
    const auto begin = word.find_first_not_of('-');
    return (begin == 1 || begin == 2) &&
           std::ranges::any_of(names, [&](const char *name) { return word.compare(begin, word.npos, name) == 0; });
}

/// "a:2,b:1,a:1": Hydra keeps the order and starts exactly so many ranks on each.
std::string hydra_hosts(const std::vector<std::string> &host_of_rank) {
    std::string list;
    for (std::size_t rank = 0, next; rank < host_of_rank.size(); rank = next) {
        for (next = rank; next < host_of_rank.size() && host_of_rank[next] == host_of_rank[rank];)
            ++next;
        list += (rank ? "," : "") + host_of_rank[rank] + ":" + std::to_string(next - rank);
    }
    return list;
}

/// By the environment, so that words of MPIGLUT_MPIEXEC_ARGS beat it.
void set_remote(std::vector<std::string> &environment, Remote remote, const char *variable, const char *slurm,
                const char *ssh) {
    if (remote == Remote::by_slurm)
        set_for_daemons(environment);
    if (remote != Remote::by_mpiexec && !std::getenv(variable))
        set(environment, variable, remote == Remote::by_slurm ? slurm : ssh);
}

/// Hydra starts its daemons as `-launcher` or these variables say, by ssh else.
std::string launcher_of_mpich(const std::vector<std::string> &more) {
    for (std::size_t i = 0; i + 1 < more.size(); ++i)
        if (is_option(more[i], {"launcher", "bootstrap"}))
            return more[i + 1];
    for (const char *variable : {"HYDRA_LAUNCHER", "HYDRA_BOOTSTRAP"})
        if (const char *const name = std::getenv(variable); name && *name)
            return name;
    return "ssh";
}

/// What the user has instead of ssh. It is taken out of the words for mpiexec: our agent takes its place, and runs it.
std::string take_ssh_of_mpich(std::vector<std::string> &more) {
    std::string ssh;
    for (const char *variable : {"HYDRA_LAUNCHER_EXEC", "HYDRA_BOOTSTRAP_EXEC"})
        if (const char *const name = std::getenv(variable); name && *name && ssh.empty())
            ssh = name;
    for (std::size_t i = 0; i + 1 < more.size();)
        if (is_option(more[i], {"launcher-exec", "bootstrap-exec"})) {
            ssh = more[i + 1];
            more.erase(more.begin() + static_cast<std::ptrdiff_t>(i),
                       more.begin() + static_cast<std::ptrdiff_t>(i + 2));
        } else {
            ++i;
        }
    return ssh;
}

std::string take_ssh_of_openmpi(std::vector<std::string> &more) {
    const char *const name = std::getenv("OMPI_MCA_plm_rsh_agent");
    std::string ssh = name ? name : "";
    for (std::size_t i = 0; i + 2 < more.size();)
        if (is_option(more[i], {"mca", "gmca"}) && more[i + 1] == "plm_rsh_agent") {
            ssh = more[i + 2];
            more.erase(more.begin() + static_cast<std::ptrdiff_t>(i),
                       more.begin() + static_cast<std::ptrdiff_t>(i + 3));
        } else {
            ++i;
        }
    return ssh.substr(0, ssh.find(" : ")); // of several it takes the first that there is
}

/// So that the run's secret goes through ssh, and not through mpiexec.
void set_ssh(MpiexecLine &line, Flavour flavour, const std::string &agent, std::vector<std::string> &more) {
    const bool mpich = flavour == Flavour::mpich;
    if (const std::string ssh = mpich ? take_ssh_of_mpich(more) : take_ssh_of_openmpi(more); !ssh.empty())
        set(line.environment, ssh_variable, ssh);
    unset(line.environment, "HYDRA_BOOTSTRAP_EXEC"); // an older name
    set(line.environment, mpich ? "HYDRA_LAUNCHER_EXEC" : "OMPI_MCA_plm_rsh_agent", agent);
    if (!mpich) // daemons start no further daemons
        set(line.environment, "OMPI_MCA_plm_rsh_no_tree_spawn", "1");
}

/// Hydra takes what follows a host's first colon for a number of ranks, and ORTE waits forever.
std::string wrong_host(Flavour flavour, const Placement &placement) {
    for (const std::string &host : placement.host_of_rank)
        if (host.find(':') != host.npos)
            return "host '" + host + "': the mpiexec of " + name(flavour) +
                   " takes no addresses of IPv6: expected a name that leads to it";
    return {};
}

void add_mpich(MpiexecLine &line, const Placement &placement) {
    auto &argv = line.argv;
    // Hydra counts ranks in the order of its hosts, srun starts its daemons in the order of Slurm's nodes.
    const bool out_of_order = placement.remote == Remote::by_slurm && !placement.in_order;
    set_remote(line.environment, out_of_order ? Remote::by_ssh : placement.remote, "HYDRA_LAUNCHER", "slurm",
               "ssh"); // on this host it needs no ssh
    // One rank's death is ours to deal with: Hydra would kill the agents before they can say anything.
    argv.insert(argv.end(), {"-disable-auto-cleanup", "-bind-to", "none"});
    if (!placement.host_of_rank.empty())
        argv.insert(argv.end(), {"-hosts", hydra_hosts(placement.host_of_rank)});
}

void add_openmpi(MpiexecLine &line, const Placement &placement, const std::string &directory) {
    auto &argv = line.argv;
    auto parameter = [&argv](const char *key, const std::string &value) {
        argv.insert(argv.end(), {"--mca", key, value});
    };
    set_remote(line.environment, placement.remote, "OMPI_MCA_plm", "slurm", "rsh");
    if (placement.remote == Remote::by_ssh) // it would refuse hosts that are no nodes of the job
        set(line.environment, "OMPI_MCA_ras", "^slurm");
    argv.insert(argv.end(), {"--oversubscribe", "--bind-to", "none", "--enable-recovery"});
    if (::geteuid() == 0)
        argv.push_back("--allow-run-as-root");
    if (placement.all_here)
        parameter("orte_tmpdir_base", directory); // so that its session directory goes with ours
    else
        parameter("orte_local_tmpdir_base", directory);
    parameter("mpi_yield_when_idle", "1");
    parameter("opal_signal", "");                         // no MPI's stack traces in the program's output
    parameter("btl_vader_single_copy_mechanism", "none"); // needs a privilege that containers lack, and complains
    if (!placement.host_of_rank.empty()) {
        std::string file = directory + "/hosts";
        std::ofstream hosts(file);
        for (const std::string &host : placement.host_of_rank)
            hosts << host << "\n";
        argv.insert(argv.end(), {"--hostfile", file, "--map-by", "seq"});
    } else if (placement.all_here) {
        parameter("plm", "isolated"); // does not look for ssh
    }
    if (const char *path = std::getenv("PATH"))
        set(line.environment, path_variable, path);
    for (const std::string &entry : line.environment)
        if (wanted_on_other_hosts(entry))
            argv.insert(argv.end(), {"-x", entry.substr(0, entry.find('='))});
}

} // namespace

const char *name(Flavour flavour) { return flavour == Flavour::mpich ? "MPICH" : "Open MPI"; }

std::optional<Flavour> built_with() { return flavour_from(MPIGLUT_MPIEXEC_VERSION); }

std::optional<Mpiexec> find_mpiexec(const std::string &path, std::string &error) {
    Mpiexec mpiexec;
    mpiexec.path = path;
    if (path.empty()) {
        bool there = ::access(MPIGLUT_MPIEXEC, X_OK) == 0;
        mpiexec.path = there ? MPIGLUT_MPIEXEC : "mpiexec";
    }
    int status = -1;
    std::string said = output_of({mpiexec.path, "--version"}, std::chrono::seconds(10), status);
    if (status != 0) {
        error = "no working MPI: '" + mpiexec.path + " --version' " +
                (said.empty() && status == -1 ? "could not be run" : "failed: " + most_telling_line(said));
        return {};
    }
    auto flavour = flavour_from(said);
    if (!flavour) {
        error = "'" + mpiexec.path + "' is neither MPICH's nor Open MPI's mpiexec";
        return {};
    }
    mpiexec.flavour = *flavour;
    mpiexec.version = first_line_with_digit(said);
    return mpiexec;
}

bool starts_by_ssh(Flavour flavour, const Placement &placement) {
    if (placement.all_here || placement.host_of_rank.empty())
        return false;
    if (flavour == Flavour::openmpi)
        return placement.remote != Remote::by_slurm;
    return placement.remote == Remote::by_slurm
               ? !placement.in_order
               : launcher_of_mpich(words(std::getenv("MPIGLUT_MPIEXEC_ARGS"))) == "ssh";
}

MpiexecLine mpiexec_line(const Mpiexec &mpiexec, const Placement &placement, const std::string &agent,
                         const std::vector<std::string> &control, const std::string &directory, std::string &error) {
    MpiexecLine line{{mpiexec.path}, own_environment()};
    std::vector<std::string> more = words(std::getenv("MPIGLUT_MPIEXEC_ARGS"));
    error = wrong_host(mpiexec.flavour, placement);
    remove_place_in_job(line.environment); // that mpiglutrun itself may be part of
    for (const char *variable : {secret_variable, secret_file_variable, ssh_variable}) // of such a run, too
        unset(line.environment, variable);
    line.environment.insert(line.environment.end(), control.begin(), control.end());
    if (starts_by_ssh(mpiexec.flavour, placement))
        set_ssh(line, mpiexec.flavour, agent, more);
    if (!std::getenv(
            "HWLOC_COMPONENTS")) // both MPIs' hwloc would ask every X server of the host for GPUs, and complain
        line.environment.push_back("HWLOC_COMPONENTS=-gl");
    if (mpiexec.flavour == Flavour::mpich)
        add_mpich(line, placement);
    else
        add_openmpi(line, placement, directory);
    line.argv.insert(line.argv.end(), more.begin(), more.end());
    line.argv.insert(line.argv.end(), {"-n", std::to_string(placement.ranks), agent});
    return line;
}

bool outlives_agents(Flavour flavour) { return flavour == Flavour::openmpi; }

int rank_from_environment() {
    for (const char *variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
        const char *text = std::getenv(variable);
        int rank = -1;
        if (text && std::from_chars(text, text + std::strlen(text), rank).ec == std::errc() && rank >= 0)
            return rank;
    }
    return -1;
}

bool reports_failed_ssh(const std::string &printed) {
    static constexpr const char *beginnings[] = {"ssh: ", "Host key verification failed",
                                                 "kex_exchange_identification:", "Connection closed by "};
    std::istringstream lines(printed);
    for (std::string line; std::getline(lines, line);)
        if (line.find(": Permission denied (") != line.npos ||
            std::ranges::any_of(beginnings, [&](const char *beginning) { return line.starts_with(beginning); }))
            return true;
    return false;
}

std::string most_telling_line(const std::string &printed) {
    std::istringstream lines(printed);
    for (std::string line; std::getline(lines, line);) {
        auto first = line.find_first_not_of("-=* \t\r");
        if (first != line.npos)
            return line.substr(line.find_first_not_of(" \t"));
    }
    return {};
}

} // namespace mpiglut::launcher
