#include "job/placement.h"
#include "link/net.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace mpiglut::launcher {

namespace {

/// mpiexec takes its hosts from these by itself.
bool in_batch_job() {
    return std::ranges::any_of(
        std::initializer_list<const char *>{"PBS_NODEFILE", "LSB_HOSTS", "PE_HOSTFILE", "COBALT_NODEFILE"},
        [](const char *name) { return std::getenv(name) != nullptr; });
}

std::vector<std::string> share_out(int ranks, const std::vector<HostRanks> &hosts, std::string &error) {
    std::vector<std::string> host_of_rank;
    bool counted = std::ranges::any_of(hosts, [](const HostRanks &host) { return host.slots > 0; });
    if (counted) {
        for (const HostRanks &host : hosts)
            host_of_rank.insert(host_of_rank.end(), static_cast<std::size_t>(std::max(host.slots, 1)), host.name);
        if (host_of_rank.size() < static_cast<std::size_t>(ranks))
            error = "not enough hosts: the wall has " + std::to_string(ranks) + " tiles, the hosts have room for " +
                    std::to_string(host_of_rank.size()) + " ranks";
        host_of_rank.resize(static_cast<std::size_t>(ranks));
        return host_of_rank;
    }
    auto count = static_cast<long long>(hosts.size());
    for (long long rank = 0; rank < ranks; ++rank) // the number that the integers allow, the earlier hosts first
        host_of_rank.push_back(hosts[static_cast<std::size_t>(rank * std::min<long long>(count, ranks) / ranks)].name);
    return host_of_rank;
}

/// As many ranks as tasks go where the tasks would; more or fewer in that proportion. No more ranks than nodes: one
/// each.
std::vector<std::string> share_by_tasks(int ranks, const std::vector<HostRanks> &nodes) {
    std::vector<std::string> node_of_task, node_of_rank;
    const bool one_each = static_cast<std::size_t>(ranks) <= nodes.size();
    for (const HostRanks &node : nodes)
        node_of_task.insert(node_of_task.end(), static_cast<std::size_t>(one_each ? 1 : node.slots), node.name);
    const long long tasks = one_each ? ranks : static_cast<long long>(node_of_task.size());
    for (long long rank = 0; rank < ranks; ++rank)
        node_of_rank.push_back(node_of_task[static_cast<std::size_t>(rank * tasks / ranks)]);
    return node_of_rank;
}

bool follow(const std::vector<std::string> &node_of_rank, const std::vector<HostRanks> &nodes) {
    auto node = nodes.begin();
    return std::ranges::all_of(node_of_rank, [&](const std::string &name) {
        node = std::find_if(node, nodes.end(), [&](const HostRanks &one) { return one.name == name; });
        return node != nodes.end();
    });
}

} // namespace

Placement place(const pixmpi::Wall &wall, const std::vector<HostRanks> &hosts, const std::vector<HostRanks> &nodes,
                std::string &error) {
    Placement placement;
    placement.ranks = static_cast<int>(wall.tiles.size());
    if (!hosts.empty()) {
        placement.host_of_rank = share_out(placement.ranks, hosts, error);
    } else if (std::ranges::any_of(wall.tiles, [](const pixmpi::Tile &tile) { return !tile.host.empty(); })) {
        for (const pixmpi::Tile &tile : wall.tiles)
            placement.host_of_rank.push_back(tile.host);
    } else if (!nodes.empty()) {
        placement.host_of_rank = share_by_tasks(placement.ranks, nodes);
    } else {
        placement.all_here = !in_batch_job();
        return placement;
    }
    std::map<std::string, bool> here{{"", true}}; // looking names up takes time
    for (const std::string &host : placement.host_of_rank) {
        auto known = here.try_emplace(host, false);
        if (known.second)
            known.first->second = is_this_host(host);
        placement.all_here = placement.all_here && known.first->second;
    }
    const bool are_nodes = std::ranges::all_of(placement.host_of_rank, [&nodes](const std::string &host) {
        return std::ranges::find(nodes, host, &HostRanks::name) != nodes.end();
    });
    if (!nodes.empty())
        placement.remote = are_nodes && !placement.all_here ? Remote::by_slurm : Remote::by_ssh;
    placement.in_order = follow(placement.host_of_rank, nodes);
    for (std::string &host : placement.host_of_rank)
        if (placement.remote != Remote::by_slurm && here[host])
            host = host_name(); // "localhost" would mean something else on the other hosts
    return placement;
}

} // namespace mpiglut::launcher
