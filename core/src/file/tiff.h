// TIFF's directory, by libtiff: where a file's pixels lie, or would lie. No pixel passes through here.
#pragma once

#include "file/grid.h"
#include "pixmpi_file.h"

#include <string>

namespace pixmpi {

/// What is written in addition to the pixels: the directory first, then the header, without which nothing is a TIFF.
struct TiffDirectory {
    std::vector<std::byte> header, directory;
    std::int64_t directory_offset = 0;
};

/// Of an existing file.
Status read_tiff(const std::string &path, Grid &grid, pixMPI_Picture &picture);
/// Of a file that is to be written; the same for all ranks.
Status lay_out_tiff(const pixMPI_Picture &picture, Grid &grid, TiffDirectory &directory);

} // namespace pixmpi
