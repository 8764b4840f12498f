// Collectives between neighbours, on grids and graphs of all kinds: also where a rank is its own neighbour, or a
// neighbour several times. Every rank knows what each edge carries.
#include "rig/ends.h"

#include <algorithm>
#include <iterator>
#include <pixmpi_neighbors.h>
#include <random>
#include <thread>

using namespace api;

namespace {

/// One side of an edge: the other rank, and a number that both sides know.
struct EdgeEnd {
    int rank;
    std::uint64_t number;
};

/// A communicator with a topology, and what MPI says of it. Freed with it.
struct Net {
    std::string name;
    MPI_Comm comm = MPI_COMM_NULL;
    std::vector<EdgeEnd> to{}, from{};
    Net(std::string name_, MPI_Comm comm_) : name(std::move(name_)), comm(comm_) {
        NEED_OK(pixMPI_Comm_attach(comm, nullptr));
    }
    Net(const Net &) = delete;
    ~Net() {
        CHECK_OK(pixMPI_Comm_detach(comm));
        MPI_Comm_free(&comm);
    }
};

std::uint64_t number_of(int sender, std::size_t place) { return static_cast<std::uint64_t>(sender) * 1000 + place; }

/// What goes to a rank's lower neighbour comes from the upper one there.
std::unique_ptr<Net> grid(const std::vector<int> &dims, const std::vector<int> &periods) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(dims.size()), dims.data(), periods.data(), 0, &comm);
    std::string name = "grid";
    for (std::size_t i = 0; i < dims.size(); ++i)
        name += " " + std::to_string(dims[i]) + (periods[i] ? " periodic" : "");
    auto net = std::make_unique<Net>(name, comm);
    for (std::size_t i = 0; i < dims.size(); ++i) {
        int both[2];
        MPI_Cart_shift(comm, static_cast<int>(i), 1, &both[0], &both[1]);
        for (const std::size_t upper : {0, 1}) {
            net->to.push_back({both[upper], number_of(rank, 2 * i + upper)});
            net->from.push_back({both[upper], number_of(both[upper], 2 * i + 1 - upper)});
        }
    }
    return net;
}

/// The edges of a graph, in an order that all ranks know.
struct Drawn {
    int from, to;
};

std::vector<int> ranks_of(const std::vector<EdgeEnd> &ends) {
    std::vector<int> ranks;
    std::transform(ends.begin(), ends.end(), std::back_inserter(ranks), [](const EdgeEnd &end) { return end.rank; });
    return ranks;
}

/// The k-th edge to a rank is that rank's k-th edge from here.
std::unique_ptr<Net> distributed(const char *name, const std::vector<Drawn> &edges) {
    std::vector<EdgeEnd> to_ends, from_ends;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (edges[i].from == rank)
            to_ends.push_back({edges[i].to, i});
        if (edges[i].to == rank)
            from_ends.push_back({edges[i].from, i});
    }
    const std::vector<int> to = ranks_of(to_ends), from = ranks_of(from_ends);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(from.size()), from.data(), MPI_UNWEIGHTED,
                                   static_cast<int>(to.size()), to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    auto net = std::make_unique<Net>(name, comm);
    net->to = to_ends;
    net->from = from_ends;
    return net;
}

/// Both directions of each edge; a loop, and two edges between the same ranks.
std::unique_ptr<Net> graph() {
    std::vector<std::vector<int>> neighbors(static_cast<std::size_t>(size));
    const auto join = [&](int a, int b) {
        neighbors[static_cast<std::size_t>(a)].push_back(b);
        if (a != b)
            neighbors[static_cast<std::size_t>(b)].push_back(a);
    };
    for (int i = 0; i + 1 < size; ++i)
        join(i, i + 1);
    join(0, size - 1);
    join(0, 0);
    join(0, size - 1);
    std::vector<int> index, edges;
    for (const auto &list : neighbors) {
        edges.insert(edges.end(), list.begin(), list.end());
        index.push_back(static_cast<int>(edges.size()));
    }
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Graph_create(MPI_COMM_WORLD, size, index.data(), edges.data(), 0, &comm);
    auto net = std::make_unique<Net>("graph", comm);
    // The k-th place of b in a's list is joined with the k-th place of a in b's.
    const auto &mine = neighbors[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < mine.size(); ++i) {
        const auto before = std::count(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(i), mine[i]);
        const auto &theirs = neighbors[static_cast<std::size_t>(mine[i])];
        std::size_t place = 0;
        for (std::ptrdiff_t seen = 0; seen < before || theirs[place] != rank; ++place)
            seen += theirs[place] == rank;
        net->to.push_back({mine[i], number_of(rank, i)});
        net->from.push_back({mine[i], number_of(mine[i], place)});
    }
    return net;
}

std::vector<Drawn> drawn_by_chance(std::uint64_t seed) {
    std::mt19937_64 random(seed_of(41, seed));
    std::vector<Drawn> edges;
    const auto any = [&] { return static_cast<int>(random() % static_cast<std::uint64_t>(size)); };
    for (int i = 0; i < 3 * size; ++i)
        edges.push_back({any(), any()});
    return edges;
}

template <class Body> void for_each_net(Body body) {
    std::vector<std::unique_ptr<Net>> nets;
    nets.push_back(grid({size}, {1})); // with one rank and with two, both neighbours are one
    nets.push_back(grid({size, 1}, {0, 1}));
    if (size % 2 == 0)
        nets.push_back(grid({2, size / 2, 1}, {1, 0, 1}));
    nets.push_back(graph());
    nets.push_back(distributed("graph without edges", {}));
    nets.push_back(distributed("graph with loops", {{0, 0}, {0, size - 1}, {0, 0}, {size - 1, 0}}));
    nets.push_back(distributed("drawn by chance", drawn_by_chance(1)));
    for (const auto &net : nets)
        body(*net);
}

constexpr int pixel_width = 96;

/// Width and height of what an edge carries, or a rank.
pixMPI_Rect extent_of(std::uint64_t number, bool equal, int most) {
    const auto w = static_cast<int>(equal ? 7 : 1 + number % 13), h = static_cast<int>(equal ? 5 : 1 + number % 7);
    return {0, 0, w * most, h};
}

/// A surface with a place for each edge.
struct Side {
    Side(const EndKind &kind, std::size_t places_, std::uint64_t seed)
        : places(places_), end(kind.make(PIXMPI_RGBA8, pixel_width, 8 * static_cast<int>(places_ ? places_ : 1))),
          pixels(end->fill(seed)) {}
    /// Rectangle after rectangle where it is sent, as columns where it is received.
    void add(std::size_t i, pixMPI_Rect extent, bool received) {
        const int y = 8 * static_cast<int>(i);
        shapes.push_back(received ? columns(y, extent.height, 0, extent.width, 1)
                                  : rectangle(0, y, extent.width, extent.height));
        handles.push_back(shapes.back());
    }
    void add_none() {
        shapes.emplace_back();
        handles.push_back(PIXMPI_REGION_NULL);
    }
    std::size_t places;
    std::unique_ptr<End> end;
    Bytes pixels;
    std::vector<Shape> shapes;
    std::vector<pixMPI_Region> handles;
};

enum class Form { blocking, nonblocking, persistent };

template <class Blocking, class Nonblocking, class Persistent, class... Arguments>
void run(Form form, Blocking blocking, Nonblocking nonblocking, Persistent persistent, Arguments... arguments) {
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    if (form == Form::blocking)
        NEED_OK(blocking(arguments...));
    else if (form == Form::nonblocking)
        NEED_OK(nonblocking(arguments..., &request));
    else
        NEED_OK(persistent(arguments..., &request));
    for (int turn = 0; turn < (form == Form::persistent ? 2 : 1); ++turn) {
        if (form == Form::persistent)
            NEED_OK(pixMPI_Start(&request));
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    if (form == Form::persistent)
        NEED_OK(pixMPI_Request_free(&request));
}

const EndKind &kind(std::size_t i) { return end_kinds()[(static_cast<std::size_t>(rank) + i) % end_kinds().size()]; }

/// The packed pixels that an edge, or a rank, carries.
Bytes content(std::uint64_t number, pixMPI_Rect extent) {
    return pattern(static_cast<std::size_t>(extent.width) * static_cast<std::size_t>(extent.height) * 4,
                   seed_of(42, number));
}

void alltoall(const Net &net, Form form, bool equal, std::size_t salt) {
    Side out(kind(salt), net.to.size(), 1), in(kind(salt + 1), net.from.size(), 2);
    Bytes expected = in.pixels;
    for (std::size_t i = 0; i < net.to.size(); ++i) {
        if (net.to[i].rank == MPI_PROC_NULL) {
            out.add_none();
            continue;
        }
        const pixMPI_Rect extent = extent_of(net.to[i].number, equal, 7);
        out.add(i, extent, false);
        unpack(out.pixels, pixel_width, 4, out.shapes.back(), content(net.to[i].number, extent));
    }
    for (std::size_t i = 0; i < net.from.size(); ++i) {
        if (net.from[i].rank == MPI_PROC_NULL) {
            in.add_none();
            continue;
        }
        const pixMPI_Rect extent = extent_of(net.from[i].number, equal, 7);
        in.add(i, extent, true);
        unpack(expected, pixel_width, 4, in.shapes.back(), content(net.from[i].number, extent));
    }
    out.end->write(out.pixels);
    run(form, pixMPI_Neighbor_alltoall, pixMPI_Ineighbor_alltoall, pixMPI_Neighbor_alltoall_init, out.end->any(),
        out.handles.data(), in.end->any(), in.handles.data(), net.comm);
    CHECK_PIXELS(in.end->read(), expected, pixel_width, 4);
    CHECK_PIXELS(out.end->read(), out.pixels, pixel_width, 4);
}

void allgather(const Net &net, Form form, bool equal, std::size_t salt) {
    Side out(kind(salt), 1, 1), in(kind(salt + 1), net.from.size(), 2);
    Bytes expected = in.pixels;
    const auto extent = [&](int of_rank) { return extent_of(static_cast<std::uint64_t>(of_rank) + 1, equal, 7); };
    out.add(0, extent(rank), false);
    unpack(out.pixels, pixel_width, 4, out.shapes.back(), content(static_cast<std::uint64_t>(rank), extent(rank)));
    for (std::size_t i = 0; i < net.from.size(); ++i) {
        const int source = net.from[i].rank;
        if (source == MPI_PROC_NULL) {
            in.add_none();
            continue;
        }
        in.add(i, extent(source), true);
        unpack(expected, pixel_width, 4, in.shapes.back(), content(static_cast<std::uint64_t>(source), extent(source)));
    }
    out.end->write(out.pixels);
    run(form, pixMPI_Neighbor_allgather, pixMPI_Ineighbor_allgather, pixMPI_Neighbor_allgather_init, out.end->any(),
        out.handles.front(), in.end->any(), in.handles.data(), net.comm);
    CHECK_PIXELS(in.end->read(), expected, pixel_width, 4);
}

} // namespace

RANK_CASE(neighbors, exchange, 1) {
    std::size_t salt = 0;
    for_each_net([&](const Net &net) {
        for (const Form form : {Form::blocking, Form::nonblocking, Form::persistent})
            for (const bool equal : {true, false}) {
                note("%s, form %d, %s", net.name.c_str(), static_cast<int>(form), equal ? "equal" : "any");
                alltoall(net, form, equal, ++salt);
                allgather(net, form, equal, ++salt);
            }
    });
}

/// The same as MPI's own call, on host memory. Where both neighbours are one rank, some libraries of MPI are wrong.
RANK_CASE(neighbors, as_mpi_does, 1) {
    std::vector<std::unique_ptr<Net>> nets;
    nets.push_back(grid({size}, {size > 2}));
    std::vector<Drawn> ring;
    for (int i = 0; i < size; ++i)
        ring.push_back({i, (i + 1) % size});
    nets.push_back(distributed("ring", ring));
    for (const auto &net : nets) {
        constexpr int block = 40;
        const std::size_t in_bytes = block * net->from.size(), out_bytes = block * net->to.size();
        Bytes out = pattern(out_bytes, seed_of(43, static_cast<std::uint64_t>(rank))), in(in_bytes), theirs(in_bytes);
        std::vector<Shape> shapes;
        for (std::size_t i = 0; i < net->from.size(); ++i)
            shapes.push_back(rectangle(static_cast<int>(i) * block, 0, block, 1));
        const std::vector<pixMPI_Region> regions(shapes.begin(), shapes.end());
        const auto surface = [](Bytes &bytes) {
            return pixMPI_Memory(bytes.data(), PIXMPI_R8, static_cast<int>(bytes.size()), 1);
        };
        NEED_OK(pixMPI_Neighbor_alltoall(surface(out), regions.data(), surface(in), regions.data(), net->comm));
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ineighbor_alltoall(out.data(), block, MPI_BYTE, theirs.data(), block, MPI_BYTE, net->comm, &request);
        for (int over = 0; !over; std::this_thread::yield())
            MPI_Test(&request, &over, MPI_STATUS_IGNORE);
        CHECK(in == theirs);
    }
}

RANK_CASE(neighbors, wrong_arguments, 1) {
    const auto net = grid({size}, {1});
    const auto picture = make_memory(PIXMPI_RGBA8, 20, 10), small = make_memory(PIXMPI_R8, 20, 10);
    const Shape left = rectangle(0, 0, 2, 5), right = rectangle(4, 0, 2, 5), wide = rectangle(4, 0, 3, 5);
    const pixMPI_Region both[] = {left, right}, unequal[] = {left, wide}, missing[] = {left, PIXMPI_REGION_NULL};
    const pixMPI_Surface any = picture->any();
    CHECK_FAILS(pixMPI_Neighbor_alltoall(any, both, any, both, world()), PIXMPI_ERR_COMM,
                "pixMPI_Neighbor_alltoall comm topology");
    CHECK_FAILS(pixMPI_Neighbor_alltoall(any, nullptr, any, both, net->comm), PIXMPI_ERR_ARGUMENT, "sendregions 2");
    CHECK_FAILS(pixMPI_Neighbor_allgather(any, left, any, nullptr, net->comm), PIXMPI_ERR_ARGUMENT, "recvregions 2");
    CHECK_FAILS(pixMPI_Neighbor_alltoall(any, both, any, missing, net->comm), PIXMPI_ERR_REGION, "recvregions[1]");
    CHECK_FAILS(pixMPI_Neighbor_alltoall(pixMPI_In_place(), both, any, both, net->comm), PIXMPI_ERR_SURFACE,
                "in place");
    CHECK_FAILS(pixMPI_Ineighbor_allgather(any, left, any, both, net->comm, nullptr), PIXMPI_ERR_ARGUMENT, "request");
    // A wrong argument of a rank becomes known: to itself where it is its own neighbour, else to the receiver.
    const int code = pixMPI_Neighbor_alltoall(any, unequal, any, both, net->comm);
    CHECK(code == PIXMPI_ERR_TRUNCATE || (size > 1 && code == PIXMPI_ERR_PEER));
    if (size == 1)
        CHECK_FAILS(pixMPI_Neighbor_alltoall(any, both, small->any(), both, net->comm), PIXMPI_ERR_FORMAT,
                    "recvsurface");
    alltoall(*net, Form::blocking, false, 1);
}
