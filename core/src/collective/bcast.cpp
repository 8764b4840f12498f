// A binomial tree of the hosts. The picture passes it in parts, so that a host sends one on while it receives the next.
// Within a host the rank with a part packs it once, and all others unpack it. The longest way has ceil(log2 hosts)
// transfers between hosts, and all parts except the first overlap: B (1 + log2(hosts) / parts). Within a host: one pack
// and n - 1 unpacks. (Thakur, Rabenseifner and Gropp 2005 has the tree; its large messages are scattered first, which
// costs ranks of one host a second copy.)
#include "collective/collective.h"

#include "region/slice.h"

#include <algorithm>

namespace pixmpi {
namespace {

/// The hosts as the tree has them: by a rank each, the root first.
std::vector<int> hosts_from(const Plan &plan, int root) {
    std::vector<int> hosts = plan.leaders();
    const auto first = std::find(hosts.begin(), hosts.end(), plan.leader_of(root));
    std::rotate(hosts.begin(), first, hosts.end());
    hosts.front() = root;
    return hosts;
}

struct Branch {
    int parent = -1;
    std::vector<int> children;
};

/// Of a binomial tree: the parent has all bits but the highest.
Branch branch_of(const std::vector<int> &hosts, std::size_t at) {
    Branch branch;
    std::size_t bit = 1;
    while (bit <= at)
        bit *= 2;
    if (at)
        branch.parent = hosts[at - bit / 2];
    for (; at + bit < hosts.size(); bit *= 2)
        branch.children.push_back(hosts[at + bit]);
    std::reverse(branch.children.begin(), branch.children.end()); // the one with the most behind it first
    return branch;
}

} // namespace

void bcast(Plan &plan, const CollectiveEnd &end, int root) {
    plan.cut(end.part->pixels);
    const std::vector<int> hosts = hosts_from(plan, root);
    const auto at = std::find_if(hosts.begin(), hosts.end(),
                                 [&](int rank) { return plan.leader_of(rank) == plan.leader_of(plan.rank()); });
    std::vector<int> others = plan.neighbours();
    std::erase(others, *at);
    const int parts = hosts.size() > 1 ? pipeline_parts(bytes_of(plan, end.side, end.part)) : 1;
    const Branch branch = branch_of(hosts, static_cast<std::size_t>(at - hosts.begin()));
    std::vector<int> receivers = branch.children;
    receivers.insert(receivers.end(), others.begin(), others.end());
    for (int i = 0; i < parts; ++i) {
        const Plan::Part part = part_of(end.part, i, parts);
        if (plan.rank() != *at)
            plan.recv(end.side, part, *at, i);
        else if (branch.parent < 0)
            plan.share(end.side, part, receivers, i);
        else
            plan.hand_on(end.side, part, plan.recv(end.side, part, branch.parent, i), receivers, i);
    }
}

} // namespace pixmpi
