// Collectives: by the library, by hand (read back, the MPI collective, upload), and the MPI collective alone.
#include "message/collective.h"

namespace {

std::vector<CollectiveCase> cases(const Settings &s, int ranks) {
    const auto size = [&](int width, int height) {
        return s.width ? std::pair(s.width, s.height) : std::pair(width, height);
    };
    const pixMPI_Format format = s.format == PIXMPI_FORMAT_NONE ? PIXMPI_RGBA8 : s.format;
    std::vector<CollectiveCase> all;
    const auto add = [&](Collective verb, const char *name, std::pair<int, int> picture, pixMPI_Format of) {
        all.push_back({std::string(name) + " " + std::to_string(picture.first) + "x" + std::to_string(picture.second) +
                           " " + pixMPI_Format_name(of),
                       verb, picture.first, picture.second, of});
    };
    // A part for each rank: as wide as the picture.
    const auto part = [&](std::pair<int, int> picture) {
        return std::pair(picture.first, std::max(1, picture.second / ranks));
    };
    add(Collective::bcast, "Bcast", size(1920, 1080), format);
    add(Collective::gather, "Gather of", part(size(1920, 1080)), format);
    add(Collective::scatter, "Scatter of", part(size(1920, 1080)), format);
    add(Collective::allgather, "Allgather of", part(size(1920, 1080)), format);
    add(Collective::alltoall, "Alltoall of", size(512, 512), format);
    add(Collective::reduce, "Reduce SUM", size(1024, 1024), PIXMPI_RGBA32F);
    add(Collective::allreduce, "Allreduce SUM", size(1024, 1024), PIXMPI_RGBA32F);
    add(Collective::nearest, "Reduce NEAREST with depth", size(1920, 1080), PIXMPI_RGBA8);
    for (int side = 64; s.sweep && side <= 4096; side *= 4) // 16 KiB, 256 KiB, 4 MiB, 64 MiB of RGBA8
        for (const auto &[verb, name] : {std::pair(Collective::bcast, "Bcast"),
                                         {Collective::allgather, "Allgather of"},
                                         {Collective::alltoall, "Alltoall of"}})
            add(verb, name, verb == Collective::bcast ? std::pair(side, side) : part({side, side}), format);
    for (int side = 32; s.sweep && side <= 2048; side *= 4)
        add(Collective::allreduce, "Allreduce SUM", {side, side}, PIXMPI_RGBA32F);
    return all;
}

} // namespace

void measure_coll(const Job &job, const Settings &settings, Report &report) {
    std::vector<std::string> done;
    for (const CollectiveCase &what : cases(settings, job.all.ranks)) {
        if (!settings.wants(what.name) || std::find(done.begin(), done.end(), what.name) != done.end())
            continue;
        done.push_back(what.name);
        const bool has_depth = what.verb == Collective::nearest;
        if (const std::string problem = has_depth ? no_depths(*job.all.api, settings.object, job.all.comm) : "";
            !problem.empty()) {
            report.note(what.name + " is left out: " + problem);
            continue;
        }
        report.add(what.name, measure_collective(what, settings, job.all));
    }
}
