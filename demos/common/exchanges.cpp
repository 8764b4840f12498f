#include "exchanges.h"

#include <pixmpi.h>

namespace demo {

bool ExchangeOptions::naive() const {
    if (exchange != "naive" && exchange != "library")
        throw UsageError("--exchange: " + exchange + ", expected naive or library");
    return exchange == "naive";
}

void say_heading(const World &world) {
    world.say("ranks exchange          size  a step     exchange  x naive  x one rank");
}

void say_times(const World &world, MPI_Comm comm, const char *exchange, const std::string &size, const StepTimes &times,
               std::optional<double> naive, std::optional<double> alone) {
    double computing = 0;
    MPI_Reduce(&times.computing, &computing, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
    const int ranks = ranks_of(comm);
    const double step = times.seconds / times.steps;
    const double share = std::max(0.0, 1 - computing / ranks / times.seconds);
    const auto ratio = [&](std::optional<double> other) {
        char text[32] = "-";
        if (other)
            std::snprintf(text, sizeof text, "%.2f", *other / step);
        return std::string(text);
    };
    world.say("%5d %-8s %13s %8.3f ms %7.0f%% %8s %11s", ranks, exchange, size.c_str(), 1e3 * step, 100 * share,
              ratio(naive).c_str(), ratio(alone).c_str());
}

void say_table(const World &world, const std::string &size,
               const std::function<StepTimes(MPI_Comm comm, bool naive)> &measure) {
    say_heading(world);
    std::optional<double> alone, naive;
    if (world.rank == 0) {
        pixMPI_Comm_attach(MPI_COMM_SELF, nullptr);
        const StepTimes times = measure(MPI_COMM_SELF, false);
        alone = times.seconds / times.steps;
        say_times(world, MPI_COMM_SELF, "-", size, times, {}, {});
    }
    meet();
    if (world.ranks == 1)
        return;
    for (const bool by_hand : {true, false}) {
        const StepTimes times = measure(MPI_COMM_WORLD, by_hand);
        say_times(world, MPI_COMM_WORLD, by_hand ? "naive" : "library", size, times, naive, alone);
        naive = times.seconds / times.steps;
        meet();
    }
}

} // namespace demo
