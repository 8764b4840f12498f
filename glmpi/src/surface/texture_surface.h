// A level and layer of a texture.
#pragma once

#include "surface/gl_surface.h"

#include <vector>

namespace glmpi {

class TextureSurface final : public GlSurface {
  public:
    TextureSurface(GlDevice &owner, pixmpi::Extent size, pixMPI_Format native, pixMPI_Format travels,
                   const Image &image);

    std::shared_ptr<pixmpi::Surface> again() const override;
    bool by_pointer(Direction direction) const override;
    TransferRate rate(Direction direction) override;
    bool gathers() const override { return true; }
    bool rewritable() override;
    bool image(Image &image) const override;
    bool sampled_depth(Image &image) const override;
    bool drawn_depth(DepthTarget &target) const override;
    Status open(SavedState &state, Direction direction, GLuint buffer) override;
    void read(const pixMPI_Rect &rect, std::byte *pixels) override;
    void write(const pixMPI_Rect &rect, const std::byte *pixels) override;
    Status finish(SavedState &state) override;

  private:
    const FormatChoice &choice(Direction direction);
    bool is_attachable() const;
    Status read_level(SavedState &state);
    void upload(GLenum target, const pixMPI_Rect &rect, const std::byte *pixels) const;

    const pixMPI_Format native_;
    const Image image_;
    const FormatChoice *choices_[2] = {};
    FormatChoice reading_{}, writing_{};
    std::uint64_t serial_ = 0;
    std::vector<std::byte> level_; ///< where nothing but whole levels can be read: this one, for one message
};

} // namespace glmpi
