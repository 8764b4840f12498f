// A copy between two surfaces of this process, from its checked ends to the end of the call.
#pragma once

#include "api/launch.h"

namespace pixmpi {

/// What the call names its arguments.
struct CopyNames {
    const char *from, *from_region, *to, *to_region;
};

/// PIXMPI_ERR_FORMAT, PIXMPI_ERR_REGION: the ends differ in the number of pixels, or in their bytes.
Status check_alike(const Place &from, const Place &to, const CopyNames &names);
Status run_copy(const Form &form, const Place &from, const Place &to, const CopyNames &names);

} // namespace pixmpi
