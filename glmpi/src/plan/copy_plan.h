// How the pixels of one band are moved when they are many rectangles: each by its own call, or all that lie within a
// few rows at once, by way of a scratch copy of these rows that the CPU gathers from or scatters to.
#pragma once

#include "device/device.h"
#include "plan/format_choice.h"
#include "region/worklist.h"

#include <memory>
#include <vector>

namespace glmpi {

/// Rows of the surface that are read or written by one call.
struct Slab {
    pixMPI_Rect box;
    std::size_t first, count; ///< of CopyPlan::parts
    bool full;                ///< unpacking: the parts cover the box, nothing of it has to be kept
};

struct CopyPlan {
    std::vector<Slab> slabs;          ///< none: rectangle by rectangle
    std::vector<pixmpi::Piece> parts; ///< Piece::at: within the band
    std::size_t slab_pixels = 0;      ///< of the largest box
};

struct PlanInput {
    pixmpi::Direction direction = pixmpi::Direction::pack;
    int pixel_bytes = 0;
    TransferRate read, write;
    bool rewritable = false; ///< pixels that are read and written back keep their bits
};

CopyPlan make_plan(const pixmpi::Region &region, std::uint64_t first, std::uint64_t count, const PlanInput &input);

/// What it would take, about, without making it.
double estimate_plan(const pixmpi::Region &region, std::uint64_t first, std::uint64_t count, const PlanInput &input);

/// Whether it is faster to copy the region by its strips than by a call for each rectangle.
bool gains_by_strips(const pixmpi::Region &region, const pixmpi::Strips &strips, const PlanInput &input);

/// Rectangle by rectangle for sure, without looking: few enough.
constexpr std::size_t few_rectangles = 4;

} // namespace glmpi
