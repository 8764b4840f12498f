// How pixels of a format are read from textures and written to them on this driver: of the ways that keep every bit,
// the fastest. Measured once for each format and context, on the library's own texture.
#pragma once

#include "context/pixel_formats.h"
#include "device/device.h"

#include <array>

namespace glmpi {

class GlDevice;

enum class Way {
    none,
    by_name,     ///< glGetTextureSubImage, glTextureSubImage
    framebuffer, ///< glReadPixels
    binding,     ///< glTexSubImage
    whole_level  ///< glGetTexImage
};

struct TransferRate {
    double call_seconds = 0.3e-6;   ///< of a call that moves next to nothing
    double bytes_per_second = 10e9; ///< of large ones
};

struct FormatChoice {
    Way way = Way::none;
    PixelTypes types;
    bool exact = false; ///< every bit arrives
    TransferRate rate;
};

class FormatChoices {
  public:
    explicit FormatChoices(GlDevice &device) : device_(device) {}
    /// For a texture format of pixmpi.h, unconverted. Changes no state, takes a few milliseconds the first time.
    const FormatChoice &get(pixMPI_Format format, pixmpi::Direction direction);
    /// For a conversion, where nothing is measured: OpenGL's general way.
    FormatChoice general(pixMPI_Format travelling, pixmpi::Direction direction) const;

  private:
    struct Pair {
        bool measured = false;
        FormatChoice pack, unpack;
    };
    void measure(pixMPI_Format format, Pair &pair);

    GlDevice &device_;
    std::array<Pair, PIXMPI_FORMAT_END> pairs_;
};

} // namespace glmpi
