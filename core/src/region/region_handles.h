// Regions as users hold them.
#pragma once

#include "region/region.h"

namespace pixmpi {

/// The region behind a handle that a program passed. PIXMPI_WHOLE is none.
Status find_any_region(pixMPI_Region handle, const char *argument, std::shared_ptr<Region> &region);

/// Commits a new region and gives it to the user.
Status hand_out(std::shared_ptr<Region> region, pixMPI_Region *handle);

/// Frees a handle that find_any_region() found.
std::shared_ptr<Region> release_handle(pixMPI_Region handle);

/// The outputs of constructors are checked before the work is done.
Status check_output(const void *output, const char *argument);

} // namespace pixmpi
