// The library's textures, one for each internal format that has needed one: pixels wait there before they are copied or
// blitted to what glTexSubImage does not reach.
#pragma once

#include "context/pixel_formats.h"
#include "region/region.h"

#include <cstdint>
#include <vector>

namespace glmpi {

class GlDevice;
class SavedState;

struct Scratch {
    GLenum internal = 0;
    pixmpi::Extent extent;
    GLuint texture = 0;
    std::uint64_t serial = 0; ///< for Framebuffers
    std::size_t bytes = 0;
    bool reduced = false; ///< in height, for want of memory
};

class Scratches {
  public:
    explicit Scratches(GlDevice &device) : device_(device) {}
    /// A GL_TEXTURE_2D of an internal format that `format` transfers, and of at least that extent; counted as stage
    /// memory, and valid until the next call.
    pixmpi::Status get(SavedState &state, pixMPI_Format format, GLenum internal, pixmpi::Extent extent,
                       Scratch &scratch);
    void destroy();
    void forget();

    /// Rows of that width which a scratch texture should have at most.
    static int rows(int width, int pixel_bytes);

  private:
    pixmpi::Status make(SavedState &state, pixMPI_Format format, Scratch &scratch);
    void drop(Scratch &scratch);

    GlDevice &device_;
    std::vector<Scratch> textures_;
};

/// A new GL_TEXTURE_2D with one level. Whether it has memory is for the caller to see from OpenGL's errors.
GLuint make_texture(GlDevice &device, SavedState &state, GLenum internal, PixelTypes types, pixmpi::Extent extent);

} // namespace glmpi
