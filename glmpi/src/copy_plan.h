// How the pixels of one band are moved when they are many rectangles: each by a call of its own, or all that lie within
// a few rows at once, by way of a scratch copy of these rows that the CPU gathers from or scatters to.
#pragma once

#include "format_choice.h"
#include "memory/device.h"

#include <memory>
#include <vector>

namespace glmpi {

/// A part of a rectangle that lies within one slab.
struct SlabPart {
    pixMPI_Rect rect;
    std::uint64_t at;     ///< packed index of its first pixel, within the band
    std::uint32_t stride; ///< pixels from row to row in packed order: the rectangle's width
};

/// Rows of the surface that are read or written by one call.
struct Slab {
    pixMPI_Rect box;
    std::size_t first, count;                   ///< of CopyPlan::parts
    bool full;                                  ///< the parts cover the box: nothing of it has to be kept
    std::size_t first_mark = 0, mark_count = 0; ///< of CopyPlan::marks
};

struct CopyPlan {
    std::uint64_t first = 0, count = 0; ///< the band: packed pixels
    double seconds = 0;                 ///< what it is expected to take
    std::vector<Slab> slabs;            ///< none: rectangle by rectangle
    std::vector<SlabPart> parts;
    /// Of the band, see marks.h: those that are complete when the slab has been packed, or have to be set before it can
    /// be unpacked.
    std::vector<std::uint32_t> marks;
    std::size_t slab_pixels = 0; ///< of the largest box
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
