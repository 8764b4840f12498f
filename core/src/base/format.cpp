#include "base/format.h"

#include <strings.h>

using pixmpi::format_info;

int pixMPI_Format_bytes(pixMPI_Format format) { return format_info(format).bytes; }

const char *pixMPI_Format_name(pixMPI_Format format) { return format_info(format).name; }

pixMPI_Format pixMPI_Format_named(const char *name) {
    constexpr char prefix[] = "PIXMPI_";
    if (!name)
        return PIXMPI_FORMAT_NONE;
    if (strncasecmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i)
        if (strcasecmp(name, format_info(static_cast<pixMPI_Format>(i)).name) == 0)
            return static_cast<pixMPI_Format>(i);
    return PIXMPI_FORMAT_NONE;
}
