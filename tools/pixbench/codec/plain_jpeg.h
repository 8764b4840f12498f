// libjpeg by itself, in one thread, as a program would use it: what the library's JPEG is measured beside.
#pragma once

#include "pixmpi.h"

#include <cstddef>
#include <span>
#include <vector>

struct PlainJpeg {
    int width = 0, height = 0;
    pixMPI_Format format = PIXMPI_RGBA8; ///< R8, or red, green and blue of 8 bits in either order
    int quality = 90;

    /// Chroma has half the columns and rows. The stream; it ends the run when libjpeg fails.
    std::vector<std::byte> encode(std::span<const std::byte> pixels) const;
    std::vector<std::byte> decode(std::span<const std::byte> stream) const;
};

/// In dB, of all channels but alpha.
double psnr(std::span<const std::byte> a, std::span<const std::byte> b, pixMPI_Format format);
