// Pixels of one context, checked and ready. Each kind of surface knows how rectangles of it are read and written; the
// transfers decide which, when, and where to.
#pragma once

#include "device/gl_device.h"
#include "glmpi.h"
#include "object/framebuffers.h"

namespace glmpi {

enum class Kind : std::uint8_t { none, texture, renderbuffer, framebuffer, buffer };

/// What a pixMPI_Surface of OpenGL names.
struct Named {
    Kind kind = Kind::none;
    GLuint name = 0;            ///< of the GL object
    GLenum target = 0;          ///< of a texture, or 0 when the library may ask
    GLenum attachment = 0;      ///< of a framebuffer
    std::uint32_t context = 0;  ///< GlDevice::number of glMPI_With_context, or 0: the one that is current
    int level = 0, layer = 0;   ///< of a texture
    std::int64_t offset = 0;    ///< of a buffer: bytes before pixel (0, 0)
    std::int64_t row_bytes = 0; ///< of a buffer
    int width = 0, height = 0;  ///< of a buffer, and where there is a context
    pixMPI_Format format = PIXMPI_FORMAT_NONE; ///< likewise
    pixMPI_Format as = PIXMPI_FORMAT_NONE;     ///< of its pixels on their way; none: the surface's, bits unchanged
};
Named named_of(const pixMPI_Surface &surface);
/// Makes it one of that context, where its size and format have been asked for.
void set_context(pixMPI_Surface &surface, std::uint32_t context);

class GlSurface : public pixmpi::Surface {
  public:
    GlSurface(GlDevice &owner, pixmpi::Extent size, pixMPI_Format travels, bool unchanged)
        : Surface(owner.shared_from_this(), size, travels), gl_device(owner), full(size), bits_unchanged(unchanged) {}

    GlDevice &gl_device;
    const pixmpi::Extent full; ///< of the object, whatever rectangle of it the surface is
    const bool bits_unchanged; ///< what is read and written back has the same bits
    /// Of combine_onto(): whose pixels are combined with what arrives; null: these.
    std::shared_ptr<GlSurface> base;

    /// Of so many pixels.
    std::size_t row_bytes(int width) const {
        return static_cast<std::size_t>(width) * static_cast<std::size_t>(pixel_bytes);
    }

    /// The same pixels, all of them, for another message.
    std::shared_ptr<GlSurface> another() const { return std::static_pointer_cast<GlSurface>(again()); }

    /// Whether pixels have to lie in host memory, not in a pixel buffer.
    virtual bool by_pointer(Direction) const { return false; }
    /// How long calls take and bytes take, for choosing among ways to move many rectangles.
    virtual TransferRate rate(Direction direction) = 0;

    /// Whether calls are so dear that many rectangles are better read or written by the slab; and whether the pixels in
    /// between survive that.
    virtual bool gathers() const { return false; }
    virtual bool rewritable() { return false; }

    /// The image that has the bits as they travel, for glCopyImageSubData; false when there is none.
    virtual bool image(Image &) const { return false; }
    /// Of a depth texture the image that shaders can sample, which gives the bits that travel; false when it is none.
    virtual bool sampled_depth(Image &) const { return false; }
    /// Where depths that travel can be drawn; false when they cannot.
    virtual bool drawn_depth(DepthTarget &) const { return false; }

    /// Around read and write: binds what they need. `buffer`: the pixel buffer from or to which `pixels` are offsets,
    /// 0: they are addresses. Pixels lie without gaps.
    virtual Status open(SavedState &state, Direction direction, GLuint buffer) = 0;
    virtual void read(const pixMPI_Rect &rect, std::byte *pixels) = 0;
    virtual void write(const pixMPI_Rect &rect, const std::byte *pixels) = 0;
    virtual void close() {}

    /// The message is over: nothing of the object is held on to. An error when pixels were lost without OpenGL's having
    /// said so in one.
    virtual Status finish(SavedState &) { return PIXMPI_SUCCESS; }
};

/// A transfer's last step: the surface's own, and what watches it is told.
Status finish_message(GlSurface &surface, Direction direction);

/// What a public call names, looked up anew: objects change, names are used again. Asks OpenGL as little as it can.
Status resolve(GlDevice &device, const Named &named, std::shared_ptr<GlSurface> &surface);
Status resolve(GlDevice &device, const pixMPI_Surface &named, std::shared_ptr<GlSurface> &surface);
/// The rectangle of a buffer as a separate buffer; of other objects the rectangle is left to narrow().
Status cut_out_of_buffer(pixMPI_Surface &named);

/// Parts of resolve(), one for each kind.
Status resolve_texture(GlDevice &device, SavedState &state, const Named &named, std::shared_ptr<GlSurface> &surface);
Status resolve_renderbuffer(GlDevice &device, SavedState &state, const Named &named,
                            std::shared_ptr<GlSurface> &surface);
Status resolve_framebuffer(GlDevice &device, SavedState &state, const Named &named,
                           std::shared_ptr<GlSurface> &surface);
Status resolve_window(GlDevice &device, SavedState &state, const Named &named, std::shared_ptr<GlSurface> &surface);
Status resolve_buffer(GlDevice &device, SavedState &state, const Named &named, std::shared_ptr<GlSurface> &surface);

/// PIXMPI_ERR_SURFACE for what is multisampled.
Status check_samples(GLint samples, const char *what, GLuint name);
/// What of a depth-stencil surface an attachment point means; else all of it.
pixMPI_Format part_of(pixMPI_Format stored, GLenum attachment);

/// The travelling format of a surface of `native` when `as` is asked for.
Status travelling_format(pixMPI_Format native, pixMPI_Format as, GLenum internal, pixMPI_Format &format);

} // namespace glmpi
