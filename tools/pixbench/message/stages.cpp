// Where the time of a message goes: its parts alone, the pipeline with bands of several sizes, and the memory it takes.
#include "message/message.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

std::string size_text(double bytes) {
    char text[32];
    const bool mega = bytes >= 1 << 20;
    std::snprintf(text, sizeof text, "%g %s", bytes / (mega ? 1 << 20 : 1 << 10), mega ? "MiB" : "KiB");
    return text;
}

/// The same ranks once more, with another size of bands.
class BandComm {
  public:
    BandComm(MPI_Comm comm, std::size_t bytes) : bytes_(bytes) {
        MPI_Comm_dup(comm, &comm_);
        pixMPI_Options options = PIXMPI_OPTIONS_INIT;
        options.band_bytes = bytes;
        check(pixMPI_Comm_attach(comm_, &options));
    }
    ~BandComm() {
        check(pixMPI_Comm_detach(comm_));
        MPI_Comm_free(&comm_);
    }
    BandComm(const BandComm &) = delete;
    BandComm &operator=(const BandComm &) = delete;
    MPI_Comm get() const { return comm_; }
    double bytes() const { return static_cast<double>(bytes_); }

  private:
    MPI_Comm comm_ = MPI_COMM_NULL;
    const std::size_t bytes_;
};

/// What the parts take by themselves, all of them for the same message as the pipeline's rows.
void add_parts(const Figures &whole, double naive_readback, double naive_upload, Report &report) {
    const auto part = [&](const char *name, double seconds, double naive) {
        if (std::isnan(seconds))
            return;
        Figures f = whole;
        f.seconds = seconds;
        f.naive = naive;
        f.route = PIXMPI_ROUTE_NONE;
        report.add(name, f);
    };
    part("readback alone, both at work", whole.readback, naive_readback);
    part("upload alone, both at work", whole.upload, naive_upload);
    part("memcpy through shared memory", whole.memcpy, whole.memcpy);
    part("by hand through shared memory", whole.by_hand, whole.by_hand);
    part("host MPI_Send", whole.host_mpi, whole.host_mpi);
}

void measure_pipeline(const Job &job, const Settings &settings, const MessageCase &what, Report &report) {
    const Team &team = job.all;
    std::vector<std::unique_ptr<BandComm>> comms;
    for (std::size_t bytes = 64 << 10; bytes <= std::size_t{4} << 20; bytes *= 4)
        comms.push_back(std::make_unique<BandComm>(team.comm, bytes));
    {
        Message message(what, settings.object, team);
        Message::Ways ways = message.ways();
        Way naive_readback = message.naive_part(true), naive_upload = message.naive_part(false);
        std::vector<Way> with_bands;
        for (const auto &comm : comms)
            with_bands.push_back(message.library(comm->get()));
        std::vector<Way *> all = ways.all();
        all.insert(all.end(), {&naive_readback, &naive_upload});
        pixMPI_Route route = message.verify(ways.library);
        for (Way &way : with_bands) {
            route = message.verify(way);
            all.push_back(&way);
        }
        const Budget budget{settings.seconds * 2, settings.repetitions, settings.least};
        take_turns(all, budget, team);
        Figures f = message.figures(ways, route, budget);
        add_parts(f, naive_readback.result, naive_upload.result, report);
        f.band_bytes = not_measured;
        report.add(what.name + ", bands as the library has them", f);
        for (std::size_t i = 0; i < comms.size(); ++i) {
            f.seconds = with_bands[i].result;
            f.band_bytes = comms[i]->bytes();
            report.add(what.name + ", bands of " + size_text(f.band_bytes), f);
        }
    }
}

/// The stage's memory after ever larger messages.
void measure_sizes(const Job &job, const Settings &settings, MessageCase what, Report &report) {
    const int width = what.width, height = what.height;
    for (int part : {64, 16, 4, 1}) {
        what.width = std::max(width / part, 1);
        what.height = std::max(height / part, 1);
        what.name = std::to_string(what.width) + "x" + std::to_string(what.height) + ", stage memory";
        report.add(what.name, measure_message(what, settings, job.all, settings.seconds / 4));
    }
}

/// Many messages, one after the other: what they take should not grow.
void measure_many(const Job &job, const Settings &settings, MessageCase what, int side, Report &report) {
    const Team &team = job.all;
    what.width = what.height = side;
    what.name =
        std::to_string(side) + "x" + std::to_string(side) + ", " + std::to_string(settings.messages) + " messages";
    Figures f = measure_message(what, settings, team, settings.seconds / 4);
    Message message(what, settings.object, team);
    Way library = message.library(team.comm);
    for (int i = 0; i < 100; ++i)
        library.run();
    const double memory = resident_bytes();
    const double before = MPI_Wtime();
    for (int i = 0; i < settings.messages; ++i)
        library.run();
    f.seconds = (MPI_Wtime() - before) / std::max(settings.messages, 1);
    const double growth = resident_bytes() - memory;
    MPI_Allreduce(&growth, &f.resident_growth, 1, MPI_DOUBLE, MPI_MAX, team.comm);
    add_stage(f, team.comm);
    f.repetitions = settings.messages;
    report.add(what.name, f);
    report.note("resident memory grew by " + size_text(f.resident_growth) +
                " over these, on the rank where it grew more");
}

} // namespace

void measure_stages(const Job &job, const Settings &settings, Report &report) {
    MessageCase what;
    what.width = settings.width ? settings.width : 4096;
    what.height = settings.width ? settings.height : 4096;
    what.format = settings.format == PIXMPI_FORMAT_NONE ? PIXMPI_RGBA8 : settings.format;
    what.name = std::to_string(what.width) + "x" + std::to_string(what.height);
    measure_pipeline(job, settings, what, report);
    measure_sizes(job, settings, what, report);
    measure_many(job, settings, what, 64, report);  // travels in the envelope
    measure_many(job, settings, what, 192, report); // through the stage
}
