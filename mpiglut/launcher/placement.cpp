#include "placement.h"
#include "net.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace mpiglut::launcher {

namespace {

/// mpiexec takes its hosts from these by itself.
bool in_batch_job() {
    return std::ranges::any_of(std::initializer_list<const char *>{"SLURM_JOB_ID", "PBS_NODEFILE", "LSB_HOSTS",
                                                                   "PE_HOSTFILE", "COBALT_NODEFILE"},
                               [](const char *name) { return std::getenv(name) != nullptr; });
}

std::vector<std::string> share_out(int ranks, const std::vector<HostSlots> &hosts, std::string &error) {
    std::vector<std::string> host_of_rank;
    bool counted = std::ranges::any_of(hosts, [](const HostSlots &host) { return host.slots > 0; });
    if (counted) {
        for (const HostSlots &host : hosts)
            host_of_rank.insert(host_of_rank.end(), static_cast<std::size_t>(std::max(host.slots, 1)), host.name);
        if (host_of_rank.size() < static_cast<std::size_t>(ranks))
            error = "not enough hosts: the wall has " + std::to_string(ranks) + " tiles, the hosts have room for " +
                    std::to_string(host_of_rank.size()) + " ranks";
        host_of_rank.resize(static_cast<std::size_t>(ranks));
        return host_of_rank;
    }
    auto count = static_cast<long long>(hosts.size());
    for (long long rank = 0; rank < ranks; ++rank) // as many as the integers allow, the earlier hosts first
        host_of_rank.push_back(hosts[static_cast<std::size_t>(rank * std::min<long long>(count, ranks) / ranks)].name);
    return host_of_rank;
}

} // namespace

Placement place(const pixmpi::Wall &wall, const std::vector<HostSlots> &hosts, std::string &error) {
    Placement placement;
    placement.ranks = static_cast<int>(wall.tiles.size());
    if (!hosts.empty()) {
        placement.host_of_rank = share_out(placement.ranks, hosts, error);
    } else if (std::ranges::any_of(wall.tiles, [](const pixmpi::Tile &tile) { return !tile.host.empty(); })) {
        for (const pixmpi::Tile &tile : wall.tiles)
            placement.host_of_rank.push_back(tile.host);
    } else {
        placement.all_here = !in_batch_job();
        return placement;
    }
    std::map<std::string, bool> here{{"", true}}; // looking names up takes time
    for (std::string &host : placement.host_of_rank) {
        auto known = here.try_emplace(host, false);
        if (known.second)
            known.first->second = is_this_host(host);
        placement.all_here = placement.all_here && known.first->second;
        if (known.first->second)
            host = host_name(); // "localhost" would mean something else on the other hosts
    }
    return placement;
}

} // namespace mpiglut::launcher
