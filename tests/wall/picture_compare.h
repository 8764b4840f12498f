// Two pictures, and how much they differ.
#pragma once

#include "run/capture.h"
#include "wall/wall.h"

#include <string>

namespace wall_test {

using mpiglut::Picture;

/// Reads a PNG; false with `error` set when that fails.
bool read_png(const std::string &path, Picture &picture, std::string &error);

/// The same of a PPM with three bytes for each pixel.
bool read_ppm(const std::string &file, Picture &picture);

struct Difference {
    std::string sizes;           ///< what is wrong with the sizes; empty when they agree
    long pixels = 0;             ///< compared
    long different = 0, far = 0; ///< in any channel at all, and by more than 2 levels
    Picture shown;               ///< grey where equal, white where different, red where far

    /// At most 0.05% of the pixels differ, at most 0.01% by more than 2 levels; or none at all.
    bool acceptable(bool exact = false) const;
    std::string text() const;
};

/// Compares where some tile of the wall shows the picture; gaps have to be black in `captured`.
Difference compare(const Picture &plain, const Picture &captured, const pixmpi::Wall &wall);

} // namespace wall_test
