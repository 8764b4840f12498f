#include "job/slurm.h"
#include "child/spawn.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace mpiglut::launcher {

namespace {

constexpr int most_nodes = 1 << 20; ///< a repetition beyond is no number of nodes

/// Takes a number above 0 from the front of the text; 0 when there is none.
int take_number(std::string_view &text) {
    int number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc() ? std::max(number, 0) : 0;
}

} // namespace

std::vector<int> tasks_per_node(const std::string &text) {
    std::vector<int> tasks;
    std::string_view rest = text;
    while (!rest.empty()) {
        const int count = take_number(rest);
        int nodes = 1;
        if (rest.starts_with("(x")) {
            rest.remove_prefix(2);
            nodes = take_number(rest);
            if (!rest.starts_with(")"))
                return {};
            rest.remove_prefix(1);
        }
        const bool more = rest.starts_with(",");
        if (count == 0 || nodes == 0 || nodes > most_nodes || (!more && !rest.empty()) || rest == ",")
            return {};
        tasks.insert(tasks.end(), static_cast<std::size_t>(nodes), count);
        rest.remove_prefix(more ? 1 : 0);
    }
    return tasks;
}

// scontrol expands the list and not a parser of ours: how many brackets a name has and how its numbers are padded is
// Slurm's to say. mpiexec needs srun, which comes in scontrol's package.
std::vector<HostRanks> slurm_nodes(std::string &error) {
    const char *job = std::getenv("SLURM_JOB_ID"), *given = std::getenv("SLURM_JOB_NODELIST");
    const std::string list = given ? given : "";
    if (!job || list.empty())
        return {};
    int status = -1;
    const std::string said = output_of({"scontrol", "show", "hostnames", list}, std::chrono::seconds(10), status);
    std::vector<HostRanks> nodes;
    std::istringstream lines(said);
    for (std::string name; status == 0 && lines >> name;)
        nodes.push_back({name, 1});
    if (nodes.empty()) {
        error = "in a Slurm job, but 'scontrol show hostnames " + list + "' " +
                (said.empty() ? "could not be run" : "failed: " + said.substr(0, said.find('\n'))) +
                "; --hosts says where the ranks run instead";
        return {};
    }
    // Within a step the numbers are the step's, which may have fewer nodes.
    const char *text = std::getenv("SLURM_TASKS_PER_NODE");
    const std::vector<int> tasks = tasks_per_node(text ? text : "");
    for (std::size_t i = 0; i < nodes.size() && tasks.size() == nodes.size(); ++i)
        nodes[i].slots = tasks[i];
    return nodes;
}

void set_for_daemons(std::vector<std::string> &environment) {
    for (const char *name : {"SLURM_NTASKS_PER_NODE", "SLURM_NTASKS_PER_SOCKET", "SLURM_NTASKS_PER_CORE",
                             "SLURM_NTASKS_PER_GPU", "SLURM_GPUS_PER_TASK", "SLURM_CPUS_PER_TASK", "SRUN_CPUS_PER_TASK",
                             "SLURM_TRES_PER_TASK", "SLURM_DISTRIBUTION", "SLURM_EXPORT_ENV", "SLURM_EXACT"})
        unset(environment, name);
    // mpiexec would hand to all ranks what a batch script's own node is called.
    for (const char *name : {"SLURMD_NODENAME", "SLURM_NODEID", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_GTIDS",
                             "SLURM_TASK_PID", "SLURM_TOPOLOGY_ADDR", "SLURM_TOPOLOGY_ADDR_PATTERN"})
        unset(environment, name);
    set(environment, "SLURM_CPU_BIND", "none"); // else all ranks of a node may share one core
    set(environment, "SLURM_OVERLAP", "1");     // mpiglutrun may run in a step that holds the job's cores
}

} // namespace mpiglut::launcher
