// libjpeg by itself, in one thread, as a program would use it: what the library's JPEG is compared with.
#pragma once

#include "pixmpi.h"

#include <cstddef>
#include <span>
#include <vector>

struct PlainJpeg {
    int width = 0, height = 0;
    pixMPI_Format format = PIXMPI_RGBA8; ///< R8, or red, green and blue of 8 bits in either order
    int quality = 90;
    int chroma_columns = 2, chroma_rows = 2; ///< pixels to a sample of chroma
    int restart_rows = 0;                    ///< of blocks in an interval; 0: restart_units are in one
    unsigned restart_units = 0;              ///< 0: there are no intervals

    /// The stream; it ends the run when libjpeg fails. Rows of pixels have no gaps.
    std::vector<std::byte> encode(std::span<const std::byte> pixels) const;
    /// Whatever the size: the stream says it. `warnings`: how often libjpeg has found something wrong.
    std::vector<std::byte> decode(std::span<const std::byte> stream, long *warnings = nullptr) const;
};

/// In dB, of all channels except alpha; 99 where all are equal.
double psnr(std::span<const std::byte> a, std::span<const std::byte> b, pixMPI_Format format);
