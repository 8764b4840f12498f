// The neighbours that a communicator's topology gives this rank, in MPI's order.
#include "request/channel.h"

#include <algorithm>
#include <mpi.h>

namespace pixmpi {
namespace {

/// In each dimension the lower neighbour, then the upper one. What goes to the lower one comes from the upper one
/// there: so the label is the place in the sender's list, also where both neighbours are one rank.
Status find_cartesian(MPI_Comm comm, Topology &topology) {
    int dimensions = 0;
    if (const Status error = mpi::check(MPI_Cartdim_get(comm, &dimensions), "MPI_Cartdim_get"))
        return error;
    for (int i = 0; i < dimensions; ++i) {
        int lower = MPI_PROC_NULL, upper = MPI_PROC_NULL;
        if (const Status error = mpi::check(MPI_Cart_shift(comm, i, 1, &lower, &upper), "MPI_Cart_shift"))
            return error;
        const int to_lower = 2 * i, to_upper = to_lower + 1;
        topology.destinations.insert(topology.destinations.end(), {{lower, to_lower}, {upper, to_upper}});
        topology.sources.insert(topology.sources.end(), {{lower, to_upper}, {upper, to_lower}});
    }
    return PIXMPI_SUCCESS;
}

/// The k-th edge to a rank is that rank's k-th edge from here.
std::vector<Edge> label(const std::vector<int> &ranks) {
    std::vector<Edge> edges;
    for (auto one = ranks.begin(); one != ranks.end(); ++one)
        edges.push_back({*one, static_cast<int>(std::count(ranks.begin(), one, *one))});
    return edges;
}

Status find_graph(MPI_Comm comm, Topology &topology) {
    int rank = 0, count = 0;
    MPI_Comm_rank(comm, &rank);
    if (const Status error =
            mpi::check(MPI_Graph_neighbors_count(comm, rank, &count), "MPI_Graph_neighbors_count"))
        return error;
    std::vector<int> neighbors(static_cast<std::size_t>(count));
    if (const Status error =
            mpi::check(MPI_Graph_neighbors(comm, rank, count, neighbors.data()), "MPI_Graph_neighbors"))
        return error;
    topology.sources = topology.destinations = label(neighbors);
    return PIXMPI_SUCCESS;
}

Status find_distributed(MPI_Comm comm, Topology &topology) {
    int in = 0, out = 0, weighted = 0;
    if (const Status error = mpi::check(MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted),
                                        "MPI_Dist_graph_neighbors_count"))
        return error;
    std::vector<int> sources(static_cast<std::size_t>(in)), destinations(static_cast<std::size_t>(out));
    std::vector<int> of_sources(sources.size()), of_destinations(destinations.size()); // weights
    if (const Status error =
            mpi::check(MPI_Dist_graph_neighbors(comm, in, sources.data(), weighted ? of_sources.data() : MPI_UNWEIGHTED,
                                                out, destinations.data(),
                                                weighted ? of_destinations.data() : MPI_UNWEIGHTED),
                       "MPI_Dist_graph_neighbors"))
        return error;
    topology = {label(sources), label(destinations)};
    return PIXMPI_SUCCESS;
}

} // namespace

Status find_topology(MPI_Comm comm, Topology &topology) {
    int kind = MPI_UNDEFINED;
    if (const Status error = mpi::check(MPI_Topo_test(comm, &kind), "MPI_Topo_test"))
        return error;
    switch (kind) {
    case MPI_CART:
        return find_cartesian(comm, topology);
    case MPI_GRAPH:
        return find_graph(comm, topology);
    case MPI_DIST_GRAPH:
        return find_distributed(comm, topology);
    default:
        return fail(PIXMPI_ERR_COMM, "comm: has no topology, expected one of MPI_Cart_create, MPI_Graph_create, "
                                     "MPI_Dist_graph_create or MPI_Dist_graph_create_adjacent");
    }
}

} // namespace pixmpi
