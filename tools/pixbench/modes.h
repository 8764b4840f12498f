// What pixbench measures: one function for each mode, called on every rank.
#pragma once

#include "measure/job.h"
#include "measure/report.h"
#include "measure/settings.h"

#include <string>
#include <vector>

/// The modes about messages. Rows go to `report` on rank 0 as they are measured.
void measure_pt2pt(const Job &job, const Settings &settings, Report &report);
void measure_region(const Job &job, const Settings &settings, Report &report);
void measure_matrix(const Job &job, const Settings &settings, Report &report);
void measure_stages(const Job &job, const Settings &settings, Report &report);
void measure_pixels(const Job &job, const Settings &settings, Report &report);
void measure_coll(const Job &job, const Settings &settings, Report &report);
void measure_jpeg(const Job &job, const Settings &settings, Report &report);
void measure_codec_links(const Job &job, const Settings &settings, Report &report);
/// What is wrong with such pictures, or nothing.
std::string codec_format_problem(pixMPI_Format format);
void measure_composite(const Job &job, const Settings &settings, Report &report);
std::string composite_format_problem(pixMPI_Format format);
std::vector<std::string> composite_strategies(); ///< of --strategy
void measure_copy(const Job &job, const Settings &settings, Report &report);
void measure_shared(const Job &job, const Settings &settings, Report &report);
void measure_file(const Job &job, const Settings &settings, Report &report);
void measure_pack(const Job &job, const Settings &settings, Report &report);
/// Bytes of the largest region in it.
std::size_t largest_pack(const Settings &settings);

/// One line of the mode `wait`: what was measured, with the baseline of the same run.
struct WaitRow {
    std::string name;
    double us = 0;       ///< median over the repetitions, wall clock
    double least_us = 0; ///< of the repetitions
    double most_us = 0;
    double cpu_us = 0;  ///< median of the processor time that all ranks spent together
    double speedup = 0; ///< how many times faster than the baseline, which is the first row
};

/// One line of the mode `device`: microseconds of a message that a shader begins, and of one that the host makes
/// between two dispatches.
struct DeviceRow {
    std::string name;
    double shader_us = 0, host_us = 0;
};

struct DeviceSettings {
    int repetitions = 5;
    double seconds = 0.2; ///< of each way in each repetition, about
};

/// Rows on all ranks. `about`: the device and the mode.
std::vector<DeviceRow> measure_device(const Team &team, const DeviceSettings &settings, std::string &about);

struct WaitSettings {
    int repetitions = 9;
    double seconds = 0.2; ///< of each way in each repetition, about
};

/// All ranks wait for each other, by MPI_Barrier and by two ways that leave the core to other ranks. Rows on rank 0
/// alone.
std::vector<WaitRow> measure_wait(const WaitSettings &settings);
