// Pixels that 1, 2, 4, ... ranks compute in a second when they exchange the edges of their blocks after each step.
// Every rank has a block of the same size, so that with perfect messages twice the ranks compute twice the pixels.
#include "message/message.h"
#include "pixels/pixels_block.h"

#include <algorithm>

namespace {

/// The first ranks of all; null for the others.
Team first_ranks(const Team &all, int count) {
    Team team = all;
    MPI_Comm_split(all.comm, all.rank < count ? 0 : MPI_UNDEFINED, all.rank, &team.comm);
    if (team.comm == MPI_COMM_NULL)
        return team;
    team.ranks = count;
    check(pixMPI_Comm_attach(team.comm, nullptr));
    return team;
}

Figures measure_blocks(const BlockCase &what, const Settings &settings, const Team &team) {
    Block block(what, settings.object, team);
    Way library = block.library(), naive = block.naive(), host_mpi = block.host_mpi(), alone = block.alone();
    block.verify(library);
    block.verify(naive);
    Figures f;
    f.repetitions = take_turns({&library, &naive, &host_mpi, &alone},
                               {settings.seconds, settings.repetitions, settings.least}, team);
    const double step = 1.0 / block.steps();
    f.ranks = team.ranks;
    f.pixels = static_cast<double>(what.width) * what.height * team.ranks;
    f.bytes = f.pixels * pixMPI_Format_bytes(what.format);
    f.exchanged = block.exchanged_bytes();
    f.seconds = library.result * step;
    f.naive = naive.result * step;
    f.host_mpi = host_mpi.result * step;
    f.limit = alone.result * step; // no step takes less than its computation
    f.computation = f.limit;
    f.network = std::max(f.seconds - f.computation, 0.0);
    f.efficiency = f.computation / (f.computation + f.network);
    f.format = what.format;
    f.route = block.route();
    add_stage(f, team.comm);
    return f;
}

} // namespace

void measure_pixels(const Job &job, const Settings &settings, Report &report) {
    const int side = job.all.api->software() ? 512 : 8192; // a computation of some milliseconds
    BlockCase what;
    what.width = settings.width ? settings.width : side;
    what.height = settings.width ? settings.height : side;
    what.format = settings.format == PIXMPI_FORMAT_NONE ? PIXMPI_RGBA8 : settings.format;
    what.work = settings.work;
    std::vector<int> counts;
    for (int ranks = 1; ranks < job.all.ranks; ranks *= 2)
        counts.push_back(ranks);
    counts.push_back(job.all.ranks);
    for (const int ranks : counts) {
        what.name = std::to_string(what.width) + "x" + std::to_string(what.height) + " each, " + std::to_string(ranks) +
                    (ranks == 1 ? " rank" : " ranks");
        Figures figures;
        Team team = first_ranks(job.all, ranks);
        if (team.comm != MPI_COMM_NULL) {
            figures = measure_blocks(what, settings, team);
            check(pixMPI_Comm_detach(team.comm));
            MPI_Comm_free(&team.comm);
        }
        idle_barrier(job.all.comm);
        report.add(what.name, figures);
    }
}
