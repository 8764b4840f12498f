// Matrices, column by column as OpenGL has them: where geometry is on the display, and what a part of it shows.
#pragma once

#include "context.h"

#include <array>

namespace icet {

using Matrix = std::array<double, 16>;

/// The projection that shows on `part` what `projection` shows there of `display`.
Matrix project_on(const double *projection, const pixMPI_Rect &display, const pixMPI_Rect &part);

/// The smallest rectangle of pixels around what these points may cover; empty when nothing of it is within the view.
/// All of the display when there are no bounds.
pixMPI_Rect covered(const std::vector<Vertex> &bounds, const double *projection, const double *modelview,
                    const pixMPI_Rect &display);

/// The nearest and the farthest depth of these points, from -1 to 1.
std::pair<double, double> depths_of(const std::vector<Vertex> &bounds, const double *projection,
                                    const double *modelview);

/// The rows of `part` that a rank of a data replication group draws.
pixMPI_Rect share_of(const std::vector<int> &group, int rank, const pixMPI_Rect &part);

/// Empty ones are all zero.
pixMPI_Rect common(const pixMPI_Rect &first, const pixMPI_Rect &second);
inline bool empty(const pixMPI_Rect &rect) { return rect.width == 0 || rect.height == 0; }
/// As seen from a corner.
inline pixMPI_Rect relative(const pixMPI_Rect &rect, const pixMPI_Rect &corner) {
    return {rect.x - corner.x, rect.y - corner.y, rect.width, rect.height};
}

} // namespace icet
