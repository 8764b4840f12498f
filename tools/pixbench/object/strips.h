// Rectangles cut into strips: rows of an object, as wide as what is wanted of them, which few calls of an API move
// where a call for each rectangle would be dear. For limits.
#pragma once

#include "pixmpi.h"

#include <cstddef>
#include <vector>

/// What of a rectangle lies in one strip.
struct Part {
    pixMPI_Rect rect;
    std::size_t packed; ///< bytes of the strip's parts before it
};

struct Strip {
    pixMPI_Rect box{}; ///< around the parts
    std::vector<Part> parts;
    std::size_t bytes = 0;          ///< of the parts
    std::vector<pixMPI_Rect> holes; ///< of the box, which no part covers
    pixMPI_Rect around_holes{};
};

/// Strips of so many rows, from the lowest one that is wanted; unwanted ones are left out.
std::vector<Strip> cut_into_strips(const std::vector<pixMPI_Rect> &rects, int rows, std::size_t pixel_bytes);

pixMPI_Rect around(const std::vector<pixMPI_Rect> &rects);
