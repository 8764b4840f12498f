// What the command line of the modes about messages says.
#pragma once

#include "pixmpi.h"

#include <algorithm>
#include <string>
#include <vector>

struct Settings {
    std::string mode;
    std::string api = "gl";
    std::string object;                        ///< what holds the pixels; empty: what the API has first
    int width = 0, height = 0;                 ///< 0: the mode's own cases
    pixMPI_Format format = PIXMPI_FORMAT_NONE; ///< none: the case's own
    std::string only;                          ///< cases with this in their names
    std::vector<int> devices;                  ///< of rank r: number r modulo their count; empty: the rank on its host
    double seconds = 3;                        ///< for each case, about
    int repetitions = 31;                      ///< of each case, at most
    bool least = false;                        ///< the least of the repetitions counts, not the median
    int messages = 100000;                     ///< of the long run in stages
    int work = 64;                             ///< pixels: steps of arithmetic for each pixel
    std::string peer;                          ///< NCCL's library, to compare with; or nothing
    bool sweep = false;                        ///< pt2pt: all sizes from 16x16 to 4096x4096 afterwards
    std::string strategy;                      ///< composite: this one alone; or nothing
    bool overlap = false;                      ///< composite: frames that are drawn while others are composed
    std::string csv;                           ///< composite: file, or nothing
    std::string trace;                         ///< composite: folder, or nothing
    std::string folder = ".";                  ///< file: where the file is made
    std::string json;                          ///< file, or nothing

    /// Seconds of runs in a row that make one measurement, about: the clock and a hiccup of the machine weigh little in
    /// four milliseconds. Who gives a case hardly more time wants to see it run.
    double in_a_row() const { return std::min(4e-3, seconds / 20); }
    bool wants(const std::string &name) const { return name.find(only) != name.npos; }
};
