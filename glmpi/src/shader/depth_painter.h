// Depths of a band in a buffer, drawn into a texture or renderbuffer: shaders cannot store them, and NVIDIA's driver
// (580.159) copies them by the CPU, at 2 GB/s. A draw clamps floats to [0, 1] and may flush small ones to zero. So the
// shader says whether it has met any that are no plain depths, and the CPU waits for that.
#pragma once

#include "context/gl.h"
#include "device/device.h"
#include "object/framebuffers.h"

#include <memory>

namespace glmpi {

class GlDevice;
class SavedState;

/// What can be drawn to.
struct DepthTarget {
    Image image;
    std::uint64_t serial = 0; ///< of Framebuffers
    pixMPI_Format format = PIXMPI_FORMAT_NONE;
};

class DepthPainter {
  public:
    explicit DepthPainter(GlDevice &device) : device_(device) {}
    /// Formats whose depths from 0 to 1 a draw keeps. Those of 24 bits need not be rounded back to what they were.
    static bool keeps(pixMPI_Format format) { return format == PIXMPI_DEPTH32F || format == PIXMPI_DEPTH16; }

    struct BandWork {
        DepthTarget target;
        const pixmpi::Region &region;
        std::uint64_t first, count;
        GLuint buffer; ///< where the packed depths lie
        std::size_t offset;
    };
    /// False where OpenGL does not draw now, or not there, or would tell the program of it; or where some words of the
    /// band would not arrive as they are. Then they have to be written in another way, all of them.
    bool paint(SavedState &state, const BandWork &band);
    void destroy();

  private:
    bool may_paint(const BandWork &band) const;
    GLuint program(pixMPI_Format format);
    bool make_objects(SavedState &state);
    bool has_met_others(SavedState &state) const;

    GlDevice &device_;
    GLuint programs_[2] = {}; ///< of 16 bits, of 32
    GLuint vertex_array_ = 0;
    GLuint others_ = 0; ///< a buffer with the number of the last band that had words which are no plain depths
    GLint band_ = 0;
    bool broken_ = false; ///< a shader did not compile
};

} // namespace glmpi
