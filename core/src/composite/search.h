// Finds the cells of a picture that are more than background.
#pragma once

#include "combine/operation.h"
#include "composite/cells.h"
#include "device/surface.h"
#include "region/copy_rows.h"

namespace pixmpi {

/// Whether background can be told by the pixels: the farthest depth, or with no depth all bits zero, where the
/// operation changes nothing by such pixels.
bool knows_background(Operation operation, pixMPI_Format color, pixMPI_Format depth);

/// Makes pixels in host memory background: the farthest depths, or colours of all bits zero.
void write_background(const Surface &plane);

/// Of the pixels of `rect`, which lie in host memory: `pixels` is the one at the picture's origin. `format`: of depths,
/// whose background is the farthest one, or of colours.
void find_active(const Rows &pixels, pixMPI_Format format, const pixMPI_Rect &rect, Cells &found);

} // namespace pixmpi
