// Pixels in a buffer object.
#pragma once

#include "shader/shader_packer.h"
#include "surface/gl_surface.h"

namespace glmpi {

class BufferSurface final : public GlSurface {
  public:
    struct Place {
        GLuint name = 0;
        std::int64_t offset = 0, row_bytes = 0;
        bool map_read = false, map_write = false; ///< what the buffer's storage allows; else copies go through ours
        OwnBuffer own{};                          ///< scratch memory: given back with the surface
        bool whole_words = false; ///< the buffer has the last word of its last pixel whole, as shaders need it
    };
    BufferSurface(GlDevice &owner, pixmpi::Extent size, pixMPI_Format holds, const Place &place)
        : GlSurface(owner, size, holds, true), place_(place) {}
    ~BufferSurface() override;
    /// A separate buffer.
    static Status make(GlDevice &owner, pixMPI_Format format, pixmpi::Extent size,
                       std::shared_ptr<pixmpi::Surface> &surface);

    const Place &place() const { return place_; }
    ShaderPacker::Rows rows() const;
    std::shared_ptr<pixmpi::Surface> again() const override;
    TransferRate rate(Direction) override { return {0.01e-6, 15e9}; }
    Status open(SavedState &state, Direction direction, GLuint buffer) override;
    void read(const pixMPI_Rect &rect, std::byte *pixels) override;
    void write(const pixMPI_Rect &rect, const std::byte *pixels) override;
    void close() override;
    Status finish(SavedState &state) override;

  private:
    void copy(const pixMPI_Rect &rect, std::size_t at, bool reading);
    std::int64_t first_byte(const pixMPI_Rect &rect) const;

    const Place place_;
    std::byte *mapped_ = nullptr;         ///< the whole surface's bytes, while open
    GLenum target_ = GL_COPY_READ_BUFFER; ///< where it is bound
    GLuint pixel_buffer_ = 0, staging_ = 0;
    bool lost_ = false; ///< what it holds, while it was mapped
};

} // namespace glmpi
