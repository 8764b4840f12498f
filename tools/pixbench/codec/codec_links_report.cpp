// The columns of the mode codec between two ranks.
#include "measure/report.h"

#include <cmath>
#include <cstdio>

void Report::print_links_header() const {
    std::printf("# %s; two frames under way at once; link: bytes that travel; limit: as many bytes by MPI alone\n",
                settings_.least ? "least of the repetitions" : "medians");
    std::printf("#%9s %10s %10s %10s %8s %9s %8s %8s %11s %7s  %-5s case\n", "frames/s", "pixels", "link", "bytes",
                "smaller", "PSNR", "x none", "x MPI", "MPI", "limit/", "route");
    std::printf("#%9s %10s %10s %10s %8s %9s %8s %8s %11s %7s\n", "", "Mbit/s", "Mbit/s", "a frame", "times", "dB", "",
                "raw", "raw, Mbit/s", "ours");
    std::fflush(stdout);
}

void Report::print_links(const std::string &name, const Figures &f) const {
    constexpr double mbit = 8e-6;
    std::printf("%10.2f %10.1f %10.1f %10.0f %8.2f ", 1 / f.seconds, f.bytes / f.seconds * mbit,
                f.stream_bytes / f.seconds * mbit, f.stream_bytes, f.bytes / f.stream_bytes);
    if (std::isinf(f.psnr))
        std::printf("%9s", "same bits");
    else
        std::printf("%9.2f", f.psnr);
    std::printf(" %8.2f %8.2f %11.1f %7.2f  %-5s %s\n", f.naive / f.seconds, f.host_mpi / f.seconds,
                f.bytes / f.host_mpi * mbit, f.limit / f.seconds, pixMPI_Route_name(f.route), name.c_str());
    std::fflush(stdout);
}
