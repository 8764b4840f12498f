// What is checked of every surface that is plain memory, whatever device it belongs to.
#pragma once

#include "base/format.h"
#include "base/status.h"

#include <cstring>

namespace pixmpi {

/// `member`: the surface's that holds the format.
inline Status check_plain_surface(const char *member, const pixMPI_Format &format, int width, int height) {
    int number = 0; // from C it may hold any
    std::memcpy(&number, &format, sizeof number);
    if (number <= PIXMPI_FORMAT_NONE || number >= PIXMPI_FORMAT_END)
        return fail(PIXMPI_ERR_FORMAT, "surface.%s: %d, expected one of pixMPI_Format", member, number);
    if (width < 0 || height < 0)
        return fail(PIXMPI_ERR_SURFACE, "surface.%s: %d, expected 0 or more", width < 0 ? "width" : "height",
                    width < 0 ? width : height);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
