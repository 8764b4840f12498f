#include "measure/report.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <mpi_facts.h>
#include <nlohmann/json.hpp>
#include <sched.h>

using nlohmann::ordered_json;

int usable_cores() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

namespace {

/// A column of a case's row; what was not measured is a dash.
void cell(double value, int width, int digits, double unit = 1) {
    if (std::isnan(value))
        std::printf(" %*s", width, "-");
    else
        std::printf(" %*.*f", width, digits, value * unit);
}

} // namespace

Report::Report(const Settings &settings, int ranks, std::string driver, bool prints)
    : settings_(settings), ranks_(ranks), driver_(std::move(driver)), prints_(prints) {
    if (prints_)
        print_header();
}

void Report::print_header() const {
    std::printf("# pixbench %s, api %s, %s, %d ranks, %d cores here\n", settings_.mode.c_str(), settings_.api.c_str(),
                settings_.object.c_str(), ranks_, usable_cores());
    std::printf("# %s; %s\n", driver_.c_str(), demo::mpi_name().c_str());
    if (settings_.mode == "pixels")
        return print_pixels_header();
    if (settings_.mode == "jpeg")
        return print_jpeg_header();
    if (settings_.mode == "codec")
        return print_links_header();
    if (settings_.mode == "composite")
        return print_composite_header();
    std::printf("# %s; x: times faster than; limit: %s\n", settings_.least ? "least of the repetitions" : "medians",
                settings_.mode == "copy" || settings_.mode == "shared"
                    ? "memcpy of as many bytes, if nothing else is said"
                : settings_.mode == "file" ? "reads or writes of the file past the page cache, as dd with O_DIRECT does"
                : settings_.mode == "pack"
                    ? "a copy of the same bytes within the GPU's memory, by command or shader; the GPU's own clocks"
                    : "the slowest of readback alone, upload alone, memcpy from process to process, and from object to "
                      "object by hand; route peer: a copy from GPU to GPU");
    std::printf("#%11s %11s %11s %11s %7s %11s %7s %11s %6s %11s %11s %11s %11s", "Size", "Latency", "Bandwidth",
                "naive", "x naive", "host MPI", "x host", "limit", "limit/", "by hand", "memcpy", "readback", "upload");
    if (!settings_.peer.empty())
        std::printf(" %11s %7s", "NCCL", "x NCCL");
    if (settings_.mode == "region")
        std::printf(" %11s %11s %11s %11s", "packed", "pack", "commun.", "unpack");
    if (settings_.mode == "stages")
        std::printf(" %11s %11s", "stage now", "stage most");
    if (settings_.mode == "pack")
        std::printf(" %11s %11s", "copy", "copy");
    std::printf("  %-5s case\n", "route");
    std::printf("#%11s %11s %11s %11s %7s %11s %7s %11s %6s %11s %11s %11s %11s", "bytes", "us", "MB/s", "us", "", "us",
                "", "us", "ours", "us", "us", "us", "us");
    if (!settings_.peer.empty())
        std::printf(" %11s %7s", "us", "");
    if (settings_.mode == "region")
        std::printf(" %11s %11s %11s %11s", "naive us", "us", "us", "us");
    if (settings_.mode == "stages")
        std::printf(" %11s %11s", "bytes", "bytes");
    if (settings_.mode == "pack")
        std::printf(" %11s %11s", "command us", "shader us");
    std::printf("\n");
    std::fflush(stdout);
}

void Report::print_jpeg_header() const {
    std::printf("# quality 90; x: times faster than libjpeg in one thread; CPU: of all threads of the process\n");
    std::printf("#%11s %11s %7s %11s %11s %7s %11s %8s  case\n", "picture us", "pictures/s", "x", "CPU us", "pictures/",
                "x", "stream", "PSNR");
    std::printf("#%11s %11s %7s %11s %11s %7s %11s %8s\n", "", "", "", "", "CPU s", "", "bytes", "dB");
    std::fflush(stdout);
}

void Report::print_jpeg(const std::string &name, const Figures &f) const {
    std::printf("%12.1f", f.seconds * 1e6);
    cell(1 / f.seconds, 11, 1);
    cell(f.naive / f.seconds, 7, 2);
    cell(f.cpu_seconds, 11, 1, 1e6);
    cell(1 / f.cpu_seconds, 11, 1);
    cell(f.naive_cpu_seconds / f.cpu_seconds, 7, 2);
    cell(f.stream_bytes, 11, 0);
    cell(f.psnr, 8, 2);
    std::printf("  %s\n", name.c_str());
    std::fflush(stdout);
}

void Report::print(const Row &row) const {
    const Figures &f = row.figures;
    if (settings_.mode == "pixels")
        return print_pixels(row.name, f);
    if (settings_.mode == "jpeg")
        return print_jpeg(row.name, f);
    if (settings_.mode == "codec")
        return print_links(row.name, f);
    if (settings_.mode == "composite")
        return print_composite(row.name, f);
    std::printf("%12.0f", f.bytes);
    cell(f.seconds, 11, 2, 1e6);
    cell(f.bytes / f.seconds, 11, 2, 1e-6);
    cell(f.naive, 11, 2, 1e6);
    cell(f.naive / f.seconds, 7, 2);
    cell(f.host_mpi, 11, 2, 1e6);
    cell(f.host_mpi / f.seconds, 7, 2);
    cell(f.limit, 11, 2, 1e6);
    cell(f.limit / f.seconds, 6, 2);
    for (double way : {f.by_hand, f.memcpy, f.readback, f.upload})
        cell(way, 11, 2, 1e6);
    if (!settings_.peer.empty()) {
        cell(f.nccl, 11, 2, 1e6);
        cell(f.nccl / f.seconds, 7, 2);
    }
    if (settings_.mode == "region")
        for (double part : {f.naive_packed, f.pack, f.communication, f.unpack})
            cell(part, 11, 2, 1e6);
    if (settings_.mode == "stages")
        for (double bytes : {f.stage_bytes, f.stage_bytes_max})
            cell(bytes, 11, 0);
    if (settings_.mode == "pack")
        for (double copy : {f.copy_command, f.copy_shader})
            cell(copy, 11, 2, 1e6);
    std::printf("  %-5s %s\n", pixMPI_Route_name(f.route), row.name.c_str());
    std::fflush(stdout);
}

void Report::add(const std::string &name, const Figures &figures) {
    rows_.push_back({name, figures});
    if (prints_)
        print(rows_.back());
}

void Report::note(const std::string &text) const {
    if (!prints_)
        return;
    std::printf("# %s\n", text.c_str());
    std::fflush(stdout);
}

void Report::print_matrix(int ranks) const {
    if (!prints_)
        return;
    std::printf("# GB/s from the rank on the left to the rank above\n#      ");
    for (int to = 0; to < ranks; ++to)
        std::printf(" %8d", to);
    for (int from = 0; from < ranks; ++from) {
        std::printf("\n# %5d", from);
        for (int to = 0; to < ranks; ++to)
            for (const Row &row : rows_)
                if (row.figures.source == from && row.figures.dest == to)
                    cell(row.figures.bytes / row.figures.seconds, 8, 2, 1e-9);
    }
    std::printf("\n");
    std::fflush(stdout);
}

bool Report::write_json(const std::string &path) const {
    const auto number = [](double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(); };
    const auto count = [](double value) {
        return std::isfinite(value) ? ordered_json(static_cast<std::int64_t>(value)) : ordered_json();
    };
    ordered_json all{{"mode", settings_.mode},
                     {"api", settings_.api},
                     {"object", settings_.object},
                     {"statistic", settings_.least ? "least" : "median"},
                     {"ranks", ranks_},
                     {"cores", usable_cores()},
                     {"driver", driver_},
                     {"mpi", demo::mpi_name()},
                     {"rows", ordered_json::array()}};
    if (settings_.mode == "pixels")
        all["work"] = settings_.work;
    for (const Row &row : rows_) {
        const Figures &f = row.figures;
        all["rows"].push_back({{"case", row.name},
                               {"api", settings_.api},
                               {"bytes", count(f.bytes)},
                               {"seconds", number(f.seconds)},
                               {"gbps", number(f.bytes / f.seconds * 1e-9)},
                               {"naive_seconds", number(f.naive)},
                               {"host_mpi_seconds", number(f.host_mpi)},
                               {"limit_seconds", number(f.limit)},
                               {"ratio_naive", number(f.naive / f.seconds)},
                               {"ratio_limit", number(f.limit / f.seconds)},
                               {"route", pixMPI_Route_name(f.route)},
                               {"ratio_host_mpi", number(f.host_mpi / f.seconds)},
                               {"naive_packed_seconds", number(f.naive_packed)},
                               {"by_hand_seconds", number(f.by_hand)},
                               {"memcpy_seconds", number(f.memcpy)},
                               {"gpu_copy_seconds", number(f.gpu_copy)},
                               {"nccl_seconds", number(f.nccl)},
                               {"readback_seconds", number(f.readback)},
                               {"upload_seconds", number(f.upload)},
                               {"pack_seconds", number(f.pack)},
                               {"communication_seconds", number(f.communication)},
                               {"unpack_seconds", number(f.unpack)},
                               {"copy_command_seconds", number(f.copy_command)},
                               {"copy_shader_seconds", number(f.copy_shader)},
                               {"band_bytes", count(f.band_bytes)},
                               {"stage_bytes", count(f.stage_bytes)},
                               {"stage_bytes_most", count(f.stage_bytes_max)},
                               {"resident_growth_bytes", count(f.resident_growth)},
                               {"pixels_per_second", number(f.pixels / f.seconds)},
                               {"computation_seconds", number(f.computation)},
                               {"network_seconds", number(f.network)},
                               {"efficiency", number(f.efficiency)},
                               {"exchanged_bytes", count(f.exchanged)},
                               {"rounds", count(f.rounds)},
                               {"critical_bytes", count(f.critical)},
                               {"frames_per_second", number(1 / f.seconds)},
                               {"cpu_seconds", number(f.cpu_seconds)},
                               {"naive_cpu_seconds", number(f.naive_cpu_seconds)},
                               {"stream_bytes", count(f.stream_bytes)},
                               {"psnr", number(f.psnr)},
                               {"row_ranks", f.ranks > 0 ? ordered_json(f.ranks) : ordered_json()},
                               {"repetitions", f.repetitions},
                               {"source", f.source < 0 ? ordered_json() : ordered_json(f.source)},
                               {"dest", f.dest < 0 ? ordered_json() : ordered_json(f.dest)},
                               {"format", pixMPI_Format_name(f.format)},
                               {"object", settings_.object}});
    }
    std::ofstream file(path);
    file << all.dump(2) << std::endl;
    if (!file)
        std::fprintf(stderr, "pixbench: --json: %s cannot be written\n", path.c_str());
    return file.good();
}
