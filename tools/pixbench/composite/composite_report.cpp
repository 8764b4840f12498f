// The columns of the mode composite.
#include "measure/report.h"

#include <cstdio>

void Report::print_composite_header() const {
    const char *const statistic = settings_.least ? "least of the repetitions" : "medians";
    if (settings_.overlap) {
        std::printf("# %s; a frame is drawn while the one before is composed; x: times the longer of the two alone\n",
                    statistic);
        std::printf("#%10s %10s %10s %10s %7s  case\n", "frames/s", "frame ms", "draw ms", "compose ms", "x");
    } else {
        std::printf(
            "# %s; naive: read back, binary swap by the CPU, upload; sent: by all ranks; by formula, in MB: what "
            "the busiest rank moves, over so many rounds\n",
            statistic);
        std::printf("#%10s %10s %10s %8s %10s %7s %10s  %-5s case\n", "frames/s", "frame ms", "naive ms", "x naive",
                    "sent MB", "rounds", "formula MB", "route");
    }
    std::fflush(stdout);
}

void Report::print_composite(const std::string &name, const Figures &f) const {
    std::printf("%11.2f %10.3f", 1 / f.seconds, f.seconds * 1e3);
    if (settings_.overlap)
        std::printf(" %10.3f %10.3f %7.2f  ", f.computation * 1e3, f.network * 1e3, f.seconds / f.limit);
    else
        std::printf(" %10.3f %8.2f %10.3f %7.0f %10.3f  %-5s ", f.naive * 1e3, f.naive / f.seconds, f.exchanged * 1e-6,
                    f.rounds, f.critical * 1e-6, pixMPI_Route_name(f.route));
    std::printf("%s\n", name.c_str());
    std::fflush(stdout);
}
