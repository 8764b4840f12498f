// The regions that pixbench sends, and the same as plain lists for those who have no regions.
#pragma once

#include "measure/settings.h"
#include "pixmpi.h"

#include <cstdint>
#include <string>
#include <vector>

struct RegionCase {
    std::string name;
    int width = 0, height = 0; ///< of the object
    pixMPI_Format format = PIXMPI_RGBA8;
    std::vector<pixMPI_Rect> rects;
    /// Where the pixels go, rectangle for rectangle with as many pixels; empty: to the same places.
    std::vector<pixMPI_Rect> there;
    std::int64_t pixels() const;
    bool alike() const { return there.empty(); }
    const std::vector<pixMPI_Rect> &at_dest() const { return alike() ? rects : there; }
};

/// Alike at both ends.
std::vector<RegionCase> region_cases(const Settings &settings);
/// Those and the other shapes of Wu et al., GPU-Aware Non-contiguous Data Movement In Open MPI (HPDC 2016,
/// doi:10.1145/2907294.2907317).
std::vector<RegionCase> datatype_cases(const Settings &settings);

/// Pixels that lie side by side in an object's memory.
struct Run {
    int at, length;
};
/// The rows of rectangles one by one, as MPI_Type_indexed takes them, in objects of that width.
std::vector<Run> runs_of(const std::vector<pixMPI_Rect> &rects, int width);
