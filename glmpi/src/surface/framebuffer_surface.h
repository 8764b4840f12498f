// What glTexSubImage does not reach: renderbuffers, the default framebuffer. Read by glReadPixels; written to a scratch
// texture first, and copied or blitted from there.
#pragma once

#include "surface/gl_surface.h"

namespace glmpi {

class FramebufferSurface final : public GlSurface {
  public:
    struct Source {
        bool window = false;
        GLenum buffer = GL_NONE;                   ///< window: GL_BACK and so on; GL_NONE for depth and stencil
        Image image;                               ///< else
        pixMPI_Format stored = PIXMPI_FORMAT_NONE; ///< where that is the native format and something in addition
        GLint depth_bits = 0;
    };
    FramebufferSurface(GlDevice &owner, pixmpi::Extent size, pixMPI_Format native, pixMPI_Format travels,
                       const Source &source);

    std::shared_ptr<pixmpi::Surface> again() const override;
    TransferRate rate(Direction direction) override;
    bool gathers() const override { return true; }
    bool image(Image &image) const override;
    bool drawn_depth(DepthTarget &target) const override;
    Status open(SavedState &state, Direction direction, GLuint buffer) override;
    void read(const pixMPI_Rect &rect, std::byte *pixels) override;
    void write(const pixMPI_Rect &rect, const std::byte *pixels) override;
    Status finish(SavedState &state) override;

  private:
    Status open_read(SavedState &state, GLuint buffer);
    Status open_write(SavedState &state, GLuint buffer);
    void copy_from_scratch(const pixMPI_Rect &rect);

    const Source source_;
    const pixMPI_Format native_;
    const Aspect aspect_;
    const bool blits_; ///< else glCopyImageSubData does
    PixelTypes reading_, writing_;
    std::uint64_t serial_ = 0;
    Scratch scratch_;
};

} // namespace glmpi
