// The regions that pixbench sends, and the same as plain lists for those who have no regions.
#pragma once

#include "pixmpi.h"
#include "settings.h"

#include <cstdint>
#include <string>
#include <vector>

struct RegionCase {
    std::string name;
    int width = 0, height = 0; ///< of the object
    pixMPI_Format format = PIXMPI_RGBA8;
    std::vector<pixMPI_Rect> rects;
    std::int64_t pixels() const;
};

std::vector<RegionCase> region_cases(const Settings &settings);

/// Pixels that lie side by side in an object's memory.
struct Run {
    int at, length;
};
/// A rectangle's rows one by one, as MPI_Type_indexed takes them.
std::vector<Run> runs_of(const RegionCase &what);
