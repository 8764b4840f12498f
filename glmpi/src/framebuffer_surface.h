// What glTexSubImage does not reach: renderbuffers, depth or stencil alone where both are stored together, the default
// framebuffer. Read by glReadPixels; written to a scratch texture first, and copied or blitted from there.
#pragma once

#include "gl_surface.h"

#include <vector>

namespace glmpi {

class FramebufferSurface final : public GlSurface {
  public:
    struct Source {
        bool window = false;
        GLenum buffer = GL_NONE;                   ///< window: GL_BACK and so on; GL_NONE for depth and stencil
        Image image;                               ///< else
        pixMPI_Format stored = PIXMPI_FORMAT_NONE; ///< all that the surface holds
        Aspect aspect = Aspect::color;             ///< what of it travels
    };
    FramebufferSurface(GlDevice &owner, pixmpi::Extent size, pixMPI_Format native, pixMPI_Format travels,
                       const Source &source);

    bool by_pointer(Direction direction) const override { return direction == Direction::unpack && partial_; }
    TransferRate rate(Direction direction) override;
    bool gathers() const override { return true; }
    Status open(SavedState &state, Direction direction, GLuint buffer) override;
    void read(const pixMPI_Rect &rect, std::byte *pixels) override;
    void write(const pixMPI_Rect &rect, const std::byte *pixels) override;
    void finish(SavedState &state) override;

  private:
    Status open_read(SavedState &state, GLuint buffer);
    Status open_write(SavedState &state, GLuint buffer);
    const std::byte *widened(const std::byte *pixels, std::size_t count);
    void copy_from_scratch(const pixMPI_Rect &rect);

    const Source source_;
    const bool partial_; ///< one part of depth-stencil pixels
    const bool blits_;   ///< else glCopyImageSubData does
    PixelTypes reading_, writing_;
    std::uint64_t serial_ = 0;
    Scratch scratch_;
    std::vector<std::byte> wide_;
};

} // namespace glmpi
