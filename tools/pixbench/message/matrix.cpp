// Every rank to every other, pair after pair, then all of them at once: to their neighbours, and to all other ranks.
#include "message/all_pairs.h"

namespace {

/// The ranks of a pair by themselves, the sender first; ranks outside get MPI_COMM_NULL.
Team make_pair(const Team &all, int source, int dest) {
    Team pair = all;
    const int key = all.rank == source ? 0 : 1;
    MPI_Comm_split(all.comm, all.rank == source || all.rank == dest ? 0 : MPI_UNDEFINED, key, &pair.comm);
    if (pair.comm == MPI_COMM_NULL)
        return pair;
    MPI_Comm_rank(pair.comm, &pair.rank);
    MPI_Comm_size(pair.comm, &pair.ranks);
    check(pixMPI_Comm_attach(pair.comm, nullptr));
    return pair;
}

/// From the sender to rank 0, which has the report.
Figures measure_pair(const Job &job, const Settings &settings, const MessageCase &what, int source, int dest,
                     double seconds) {
    constexpr int tag = 4;
    Figures figures;
    idle_barrier(job.all.comm);
    Team pair = make_pair(job.all, source, dest);
    if (pair.comm != MPI_COMM_NULL) {
        figures = measure_message(what, settings, pair, seconds);
        figures.source = source;
        figures.dest = dest;
        if (job.all.rank == source && source != 0)
            MPI_Send(&figures, sizeof figures, MPI_BYTE, 0, tag, job.all.comm);
        check(pixMPI_Comm_detach(pair.comm));
        MPI_Comm_free(&pair.comm);
    }
    idle_barrier(job.all.comm);
    if (job.all.rank == 0 && source != 0)
        MPI_Recv(&figures, sizeof figures, MPI_BYTE, source, tag, job.all.comm, MPI_STATUS_IGNORE);
    return figures;
}

} // namespace

void measure_matrix(const Job &job, const Settings &settings, Report &report) {
    MessageCase what;
    what.width = settings.width ? settings.width : 1920;
    what.height = settings.width ? settings.height : 1080;
    what.format = settings.format == PIXMPI_FORMAT_NONE ? PIXMPI_RGBA8 : settings.format;
    const std::string size = std::to_string(what.width) + "x" + std::to_string(what.height);
    const int ranks = job.all.ranks;
    // All pairs together stay within half a minute.
    const double seconds = std::min(settings.seconds, 30.0 / (ranks * ranks));
    for (int source = 0; source < ranks; ++source)
        for (int dest = 0; dest < ranks; ++dest) {
            what.name = size + " " + std::to_string(source) + "->" + std::to_string(dest);
            if (settings.wants(what.name))
                report.add(what.name, measure_pair(job, settings, what, source, dest, seconds));
        }
    what.name = size + " ring, all at once";
    what.shape = Shape::ring;
    if (settings.wants(what.name))
        report.add(what.name, measure_message(what, settings, job.all, settings.seconds));
    what.name = size + " all pairs, at once";
    if (settings.wants(what.name))
        report.add(what.name, measure_all_pairs(what, settings, job.all));
    if (settings.only.empty())
        report.print_matrix(ranks);
}
