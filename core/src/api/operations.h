// Operations as users hold them.
#pragma once

#include "collective/collective.h"
#include "pixmpi_collectives.h"

namespace pixmpi {

/// For a communicator of so many ranks. PIXMPI_ERR_ARGUMENT names `op`.
Status find_operation(pixMPI_Op op, int size, Reduction &how);
/// A permutation of 0 .. count - 1. PIXMPI_ERR_ARGUMENT names `count` or `order`.
Status check_order(int count, const int order[]);

} // namespace pixmpi
