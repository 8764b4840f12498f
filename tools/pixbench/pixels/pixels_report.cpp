// The columns of the mode pixels.
#include "measure/report.h"

#include <algorithm>
#include <cstdio>

void Report::print_pixels_header() const {
    std::printf(
        "# %s; each rank fills a block, %d steps of arithmetic for each pixel, and exchanges edges of 1 pixel\n",
        settings_.least ? "least of the repetitions" : "medians", settings_.work);
    std::printf(
        "# computation: the fill alone; network: what the exchange adds; efficiency: the computation's share\n");
    std::printf("#%6s %10s %12s %10s %10s %12s %11s %12s %11s %8s  %-5s case\n", "ranks", "Gpixel/s", "computation",
                "network", "efficiency", "naive", "naive", "host MPI", "host MPI", "x naive", "route");
    std::printf("#%6s %10s %12s %10s %10s %12s %11s %12s %11s\n", "", "", "ms", "ms", "%", "network ms", "effic. %",
                "network ms", "effic. %");
    std::fflush(stdout);
}

void Report::print_pixels(const std::string &name, const Figures &f) const {
    const double computation = f.computation;
    const auto beside = [computation](double seconds) { // less than the computation: noise
        std::printf(" %12.4f %11.1f", std::max(seconds - computation, 0.0) * 1e3,
                    std::min(computation / seconds, 1.0) * 100);
    };
    std::printf("%7d %10.4f %12.4f %10.4f %10.1f", f.ranks, f.pixels / f.seconds * 1e-9, computation * 1e3,
                f.network * 1e3, f.efficiency * 100);
    beside(f.naive);
    beside(f.host_mpi);
    std::printf(" %8.2f  %-5s %s\n", f.naive / f.seconds, pixMPI_Route_name(f.route), name.c_str());
    std::fflush(stdout);
}
