// Rows: OSU-style columns while they are measured, JSON at the end.
#pragma once

#include "measure/settings.h"
#include "pixmpi.h"

#include <limits>
#include <string>
#include <vector>

constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

/// What was measured of one case; seconds are medians. Plain numbers, so that one rank can send it to another.
struct Figures {
    double bytes = 0; ///< of pixels that moved, all directions together
    double seconds = not_measured;
    double naive = not_measured;        ///< by hand, see naive.cpp
    double naive_packed = not_measured; ///< regions: by hand, all rectangles in one message
    double host_mpi = not_measured;     ///< MPI_Send of the same bytes in host memory; regions: of an indexed type
    double limit = not_measured;        ///< the slowest of what follows, see limits.h
    double memcpy = not_measured;       ///< from process to process through shared memory, see shared_ring.h
    double gpu_copy = not_measured;     ///< from GPU to GPU, see plain_copy.h
    double nccl = not_measured;         ///< by NCCL, from plain memory to plain memory, see nccl.h
    double by_hand = not_measured;      ///< read straight into shared memory, uploaded from there, see by_hand.h
    double readback = not_measured, upload = not_measured;
    double pack = not_measured, communication = not_measured, unpack = not_measured;
    double copy_command = not_measured, copy_shader = not_measured; ///< pack: the same bytes within the GPU's memory
    double band_bytes = not_measured;
    double stage_bytes = not_measured, stage_bytes_max = not_measured; ///< the rank's that has more
    double resident_growth = not_measured;
    double pixels = not_measured, exchanged = not_measured; ///< pixels: computed; bytes that all ranks send
    double computation = not_measured, network = not_measured,
           efficiency = not_measured;                      ///< pixels, see pixels.cpp;
                                                           ///< composite --overlap: drawing alone, composing alone
    double rounds = not_measured, critical = not_measured; ///< composite: of the formula, see composite_cost.h
    double cpu_seconds = not_measured, naive_cpu_seconds = not_measured, stream_bytes = not_measured,
           psnr = not_measured; ///< jpeg, codec: of a picture; dB, infinite where none is lost
    int ranks = 0;              ///< pixels, composite
    int repetitions = 0;
    int source = -1, dest = -1; ///< of one-way cases
    pixMPI_Format format = PIXMPI_FORMAT_NONE;
    pixMPI_Route route = PIXMPI_ROUTE_NONE;
};

class Report {
  public:
    /// `out` is for rank 0; other ranks print nothing.
    Report(const Settings &settings, int ranks, std::string driver, bool prints);
    void add(const std::string &name, const Figures &figures);
    bool empty() const { return rows_.empty(); }
    /// A line beginning with '#', between rows.
    void note(const std::string &text) const;
    /// A table of GB/s, one row for each sender.
    void print_matrix(int ranks) const;
    /// False when the file cannot be written, which has been printed.
    bool write_json(const std::string &path) const;

  private:
    struct Row {
        std::string name;
        Figures figures;
    };
    void print(const Row &row) const;
    void print_header() const;
    void print_pixels_header() const;
    void print_jpeg_header() const;
    void print_jpeg(const std::string &name, const Figures &figures) const;
    void print_links_header() const;
    void print_links(const std::string &name, const Figures &figures) const;
    void print_pixels(const std::string &name, const Figures &figures) const;
    void print_composite_header() const;
    void print_composite(const std::string &name, const Figures &figures) const;

    const Settings settings_;
    const int ranks_;
    const std::string driver_;
    const bool prints_;
    std::vector<Row> rows_;
};

int usable_cores();
